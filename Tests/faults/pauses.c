/* Stands between a tool and the system (LD_PRELOAD) and stops it at points of its work, until it is told to go on (SIGCONT).
 *
 * A point comes before a call that begins or ends a transaction or publishes a file: opening a file, locking or unlocking a part of it, writing to a stream, synchronizing, renaming, linking, removing.
 * They are numbered from 1, of all threads together. What SQLite writes to a place of a file is no point: nobody sees it before the next lock.
 *
 *   HP_PAUSES_AT    the numbers of the points to stop at, with commas between them
 *   HP_PAUSES_LOG   a file that gets a letter for each point: O opened, L locked, F locked as a whole, W written, S synchronized, R renamed, N linked, U removed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static long points, stops[16];
static int stop_count, log_file = -1;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("HP_PAUSES_AT");
    while (text && *text && stop_count < 16) {
        char *end;
        stops[stop_count++] = strtol(text, &end, 10);
        text = *end ? end + 1 : end;
    }
    if ((text = getenv("HP_PAUSES_LOG"))) log_file = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void meet(char kind) {
    long number = __atomic_add_fetch(&points, 1, __ATOMIC_RELAXED);
    if (log_file >= 0 && syscall(SYS_write, log_file, &kind, (size_t)1) != 1) abort();
    for (int i = 0; i < stop_count; i++)
        if (stops[i] == number) raise(SIGSTOP);
}

#define REAL(result, name, ...)                 \
    static result (*real_##name)(__VA_ARGS__);  \
    if (!real_##name) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define OPENS(name, base)                                                \
    mode_t mode = 0;                                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {                               \
        va_list rest;                                                    \
        va_start(rest, flags);                                           \
        mode = va_arg(rest, mode_t);                                     \
        va_end(rest);                                                    \
    }                                                                    \
    REAL(int, openat64, int, const char *, int, ...);                    \
    meet('O');                                                           \
    return real_openat64(base, path, flags, mode)

int open(const char *path, int flags, ...) { OPENS(open, AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPENS(open64, AT_FDCWD); }
int openat(int base, const char *path, int flags, ...) { OPENS(openat, base); }
int openat64(int base, const char *path, int flags, ...) { OPENS(openat64, base); }

#define CONTROLS                                                                      \
    va_list rest;                                                                     \
    va_start(rest, command);                                                          \
    void *argument = va_arg(rest, void *);                                            \
    va_end(rest);                                                                     \
    REAL(int, fcntl64, int, int, ...);                                                \
    if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) meet('L'); \
    return real_fcntl64(file, command, argument)

int fcntl(int file, int command, ...) { CONTROLS; }
int fcntl64(int file, int command, ...) { CONTROLS; }

#define PASSES(kind, result, name, parameters, arguments, ...) \
    result name parameters {                                   \
        REAL(result, name, __VA_ARGS__);                       \
        meet(kind);                                            \
        return real_##name arguments;                          \
    }

PASSES('F', int, flock, (int file, int operation), (file, operation), int, int)
PASSES('W', ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), int, const void *, size_t)
PASSES('S', int, fsync, (int file), (file), int)
PASSES('S', int, fdatasync, (int file), (file), int)
PASSES('R', int, rename, (const char *from, const char *to), (from, to), const char *, const char *)
PASSES('N', int, link, (const char *from, const char *to), (from, to), const char *, const char *)
PASSES('U', int, unlink, (const char *path), (path), const char *)
