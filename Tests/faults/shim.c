/* Stands between a tool and the system (LD_PRELOAD) and makes one thing go wrong: a durable operation, a moment, an allocation.
 *
 * A durable operation is a call that changes a file or a folder below HP_FAULT_FOLDER, or that synchronizes one. They are numbered from 1, of all threads together;
 * what SQLite does is seen like what the tool does, because both call the same libc.
 *
 *   HP_FAULT_FOLDER   which files are meant; without it nothing is counted
 *   HP_FAULT_LOG      a file that gets a record of every operation, with the bytes, from which the folder can be made again as it was at any moment
 *   HP_FAULT_AT       the number of the operation that is met by the fault; 0 is none
 *   HP_FAULT_KIND     kill     ends the process before the operation
 *                     torn     writes half of the bytes, then ends the process
 *                     short    writes half of the bytes and says so
 *                     stop     stops the process before the operation, until it is told to go on
 *                     signal=N sends the process a signal before the operation
 *                     error=N  fails with this errno
 *   HP_FAULT_STICKY   from the operation on, all fail (interrupted calls: every second one, or nobody would ever be done)
 *   HP_FAULT_MEMORY   the number of the allocation by SQLite that fails; with HP_FAULT_STICKY all from there on
 *   HP_FAULT_CLOCK    the clock runs backwards by so many seconds with every look at it
 *   HP_FAULT_COUNT    a file that gets the numbers of operations, of allocations and of faults when the process ends by itself
 *
 * A record: "<kind> <inode> <offset> <size> <length of name> <length of other name> <length of data>\n", the names, the data, "\n".
 * Kinds: C created, W written, T truncated, S synchronized, D folder synchronized, R renamed, L linked, U removed, X folder removed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum fault { NONE, KILL, TORN, SHORT, STOP, SIGNAL, ERROR };

static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
static long fault_at, operations, memory_at, allocations, faults, clock_step;
static enum fault fault;
static int fault_number, is_sticky, was_refused;
static int count_file = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t sqlite_start, sqlite_end;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

#define REAL(result, name, ...)                                       \
    static result (*real_##name)(__VA_ARGS__);                        \
    if (!real_##name) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static int find_sqlite(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libsqlite3")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            sqlite_start = info->dlpi_addr + part->p_vaddr;
            sqlite_end = sqlite_start + part->p_memsz;
        }
    }
    return 1;
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("HP_FAULT_FOLDER");
    if (text && strlen(text) < sizeof folder) strcpy(folder, text), folder_length = strlen(text);
    // Opened before the tool restricts itself.
    if ((text = getenv("HP_FAULT_COUNT"))) count_file = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fault_at = number("HP_FAULT_AT"), is_sticky = number("HP_FAULT_STICKY"), clock_step = number("HP_FAULT_CLOCK");
    text = getenv("HP_FAULT_KIND");
    if (text && !strcmp(text, "kill")) fault = KILL;
    if (text && !strcmp(text, "torn")) fault = TORN;
    if (text && !strcmp(text, "short")) fault = SHORT;
    if (text && !strcmp(text, "stop")) fault = STOP;
    if (text && !strncmp(text, "signal=", 7)) fault = SIGNAL, fault_number = atoi(text + 7);
    if (text && !strncmp(text, "error=", 6)) fault = ERROR, fault_number = atoi(text + 6);
    if ((text = getenv("HP_FAULT_LOG"))) {
        int file = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        log_file = fcntl(file, F_DUPFD_CLOEXEC, 200);
        syscall(SYS_close, file);
    }
    if (getenv("HP_FAULT_MEMORY")) memory_at = number("HP_FAULT_MEMORY"), dl_iterate_phdr(find_sqlite, NULL);
}

__attribute__((destructor)) static void finish(void) {
    if (count_file < 0) return;
    char text[64];
    int size = snprintf(text, sizeof text, "%ld %ld %ld\n", operations, allocations, faults);
    if (syscall(SYS_write, count_file, text, (size_t)size) < 0) abort();
}

/* Names */

static int is_below(const char *path) { return folder_length && !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]); }

/* The absolute form of a name, its folder resolved; whether it is one that is meant. */
static int is_meant(const char *path, char *absolute) {
    char copy[PATH_MAX], resolved[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!folder_length || strlen(path) >= sizeof copy) return 0;
    if (!slash) {
        if (!getcwd(resolved, sizeof resolved)) return 0;
        slash = path - 1;
    } else {
        memcpy(copy, path, slash - path), copy[slash - path] = 0;
        if (!realpath(*copy ? copy : "/", resolved)) return 0;
    }
    if (strlen(resolved) + strlen(slash + 1) + 2 > PATH_MAX) return 0;
    stpcpy(stpcpy(stpcpy(absolute, resolved), "/"), slash + 1);
    return is_below(absolute);
}

static int is_file_meant(int file, char *absolute) {
    char link[64];
    if (!folder_length) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, absolute, PATH_MAX - 1);
    if (size < 0) return 0;
    absolute[size] = 0;
    return is_below(absolute);
}

/* Operations */

static void record(char kind, unsigned long inode, long offset, long size, const char *name, const char *other, const void *data, size_t length) {
    if (log_file < 0) return;
    char head[200];
    int head_length = snprintf(head, sizeof head, "%c %lu %ld %ld %zu %zu %zu\n", kind, inode, offset, size, strlen(name), strlen(other), length);
    const struct { const void *bytes; size_t length; } parts[] = {{head, head_length}, {name, strlen(name)}, {other, strlen(other)}, {data, length}, {"\n", 1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *rest = parts[i].bytes;
        for (size_t left = parts[i].length; left > 0;) {
            ssize_t step = syscall(SYS_write, log_file, rest, left);
            if (step <= 0) abort();
            rest += step, left -= step;
        }
    }
}

__attribute__((noreturn)) static void end_process(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* What becomes of the operation whose turn it is. */
enum need { SPACE, NO_SPACE };
enum outcome { GO, REFUSED, PART, LAST_PART };

static enum outcome meet(enum need need, size_t length) {
    operations++;
    if (fault == NONE || fault_at == 0) return GO;
    int is_now = operations == fault_at || (is_sticky && operations > fault_at);
    if (!is_now) return GO;
    faults++;
    switch (fault) {
    case KILL: end_process();
    case TORN:
        if (length < 2) end_process();
        return LAST_PART;
    case SHORT: return length < 2 ? faults--, GO : PART;
    case STOP: raise(SIGSTOP); return GO;
    case SIGNAL: {
        /* Any thread that does not block it takes it; this one waits a moment for that. */
        kill(getpid(), fault_number);
        struct timespec moment = {0, 2000000};
        syscall(SYS_nanosleep, &moment, NULL);
        return GO;
    }
    case ERROR:
        if ((fault_number == ENOSPC && need == NO_SPACE) || (fault_number == EINTR && was_refused)) return was_refused = 0, faults--, GO;
        was_refused = 1;
        errno = fault_number;
        return REFUSED;
    default: return GO;
    }
}

static unsigned long inode_of(int file, long *size, int *is_folder) {
    struct stat status;
    if (fstat(file, &status)) return 0;
    if (size) *size = status.st_size;
    if (is_folder) *is_folder = S_ISDIR(status.st_mode);
    return status.st_ino;
}

static unsigned long inode_of_name(const char *path) {
    struct stat status;
    return lstat(path, &status) ? 0 : status.st_ino;
}

static int open_file(int base, const char *path, int flags, mode_t mode) {
    char name[PATH_MAX];
    REAL(int, openat64, int, const char *, int, ...);
    if (!(flags & O_CREAT) || base != AT_FDCWD || !is_meant(path, name) || inode_of_name(name)) return real_openat64(base, path, flags, mode);
    pthread_mutex_lock(&turn);
    int file = meet(SPACE, 0) == REFUSED ? -1 : real_openat64(base, path, flags, mode);
    int problem = errno;
    if (file >= 0) record('C', inode_of(file, NULL, NULL), 0, 0, name, "", "", 0);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return file;
}

#define OPENS(name, ...)                             \
    mode_t mode = 0;                                 \
    if (flags & (O_CREAT | __O_TMPFILE)) {           \
        va_list rest;                                \
        va_start(rest, flags);                       \
        mode = va_arg(rest, mode_t);                 \
        va_end(rest);                                \
    }                                                \
    return open_file(__VA_ARGS__, path, flags, mode)

int open(const char *path, int flags, ...) { OPENS(open, AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPENS(open64, AT_FDCWD); }
int openat(int base, const char *path, int flags, ...) { OPENS(openat, base); }
int openat64(int base, const char *path, int flags, ...) { OPENS(openat64, base); }

static ssize_t write_file(int file, const void *bytes, size_t length, off64_t offset) {
    char name[PATH_MAX];
    REAL(ssize_t, write, int, const void *, size_t);
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    int problem = errno;
    if (!is_file_meant(file, name)) {
        errno = problem;
        return offset < 0 ? real_write(file, bytes, length) : real_pwrite64(file, bytes, length, offset);
    }
    pthread_mutex_lock(&turn);
    off64_t place = offset < 0 ? lseek64(file, 0, SEEK_CUR) : offset;
    enum outcome outcome = meet(SPACE, length);
    size_t wanted = outcome == PART || outcome == LAST_PART ? length / 2 : length;
    ssize_t done = outcome == REFUSED ? -1 : offset < 0 ? real_write(file, bytes, wanted) : real_pwrite64(file, bytes, wanted, offset);
    problem = errno;
    if (done > 0) record('W', inode_of(file, NULL, NULL), place, done, name, "", bytes, done);
    if (outcome == LAST_PART) end_process();
    pthread_mutex_unlock(&turn);
    errno = problem;
    return done;
}

ssize_t write(int file, const void *bytes, size_t length) { return write_file(file, bytes, length, -1); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) { return write_file(file, bytes, length, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) { return write_file(file, bytes, length, offset); }

static int truncate_file(int file, off64_t size) {
    char name[PATH_MAX];
    long before = 0;
    REAL(int, ftruncate64, int, off64_t);
    if (!is_file_meant(file, name)) return real_ftruncate64(file, size);
    pthread_mutex_lock(&turn);
    unsigned long inode = inode_of(file, &before, NULL);
    int result = meet(size > before ? SPACE : NO_SPACE, 0) == REFUSED ? -1 : real_ftruncate64(file, size);
    int problem = errno;
    if (result == 0) record('T', inode, 0, size, name, "", "", 0);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return result;
}

int ftruncate(int file, off_t size) { return truncate_file(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_file(file, size); }

static int synchronize(int file, int (*call)(int)) {
    char name[PATH_MAX];
    int is_folder = 0;
    if (!is_file_meant(file, name)) return call(file);
    pthread_mutex_lock(&turn);
    unsigned long inode = inode_of(file, NULL, &is_folder);
    int result = meet(SPACE, 0) == REFUSED ? -1 : call(file);
    int problem = errno;
    if (result == 0) record(is_folder ? 'D' : 'S', inode, 0, 0, name, "", "", 0);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return result;
}

int fsync(int file) {
    REAL(int, fsync, int);
    return synchronize(file, real_fsync);
}

int fdatasync(int file) {
    REAL(int, fdatasync, int);
    return synchronize(file, real_fdatasync);
}

/* Names are given, changed and removed by calls of one or two paths. */
static int change_name(char kind, enum need need, const char *from, const char *to, int (*two)(const char *, const char *), int (*one)(const char *)) {
    char name[PATH_MAX], other[PATH_MAX] = "";
    int is_ours = is_meant(from, name);
    if (to) is_ours |= is_meant(to, other);
    if (!is_ours) return to ? two(from, to) : one(from);
    pthread_mutex_lock(&turn);
    unsigned long inode = inode_of_name(name);
    int is_there = inode != 0;
    int result = is_there && meet(need, 0) == REFUSED ? -1 : to ? two(from, to) : one(from);
    int problem = errno;
    if (result == 0) record(kind, inode, 0, 0, name, other, "", 0);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return result;
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return change_name('R', SPACE, from, to, real_rename, NULL);
}

int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    return change_name('L', SPACE, from, to, real_link, NULL);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return change_name('U', NO_SPACE, path, NULL, NULL, real_unlink);
}

int rmdir(const char *path) {
    REAL(int, rmdir, const char *);
    return change_name('X', NO_SPACE, path, NULL, NULL, real_rmdir);
}

/* The clock */

int clock_gettime(clockid_t clock, struct timespec *time) {
    static long looks;
    int result = syscall(SYS_clock_gettime, clock, time);
    if (clock_step && clock == CLOCK_REALTIME && result == 0) time->tv_sec -= clock_step * __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    return result;
}

/* Memory, of SQLite alone: what calls from its text */

static int is_refused(const void *caller) {
    if ((uintptr_t)caller < sqlite_start || (uintptr_t)caller >= sqlite_end) return 0;
    long count = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (!memory_at || (count != memory_at && !(is_sticky && count > memory_at))) return 0;
    __atomic_add_fetch(&faults, 1, __ATOMIC_RELAXED);
    return 1;
}

void *malloc(size_t size) { return is_refused(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_refused(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return is_refused(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_realloc(memory, size); }
