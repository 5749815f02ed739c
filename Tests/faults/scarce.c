/* Stands between a tool and the system (LD_PRELOAD) and gives it less than it asks for, as a busy system may.
 *
 *   HP_SCARCE=reads     a read at a place of a file gives half of the bytes that were asked for
 *   HP_SCARCE=threads   a thread without attributes cannot be had: those that the tools start themselves, not those of the Swift runtime
 *   HP_SCARCE_COUNT     a file that gets the number of calls that were given less, when the process ends by itself
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long count;

static int is_scarce(const char *what) {
    const char *text = getenv("HP_SCARCE");
    return text && !strcmp(text, what);
}

static size_t half(size_t size) {
    if (size < 2 || !is_scarce("reads")) return size;
    count++;
    return size / 2;
}

#define REAL(result, name, ...) result (*real)(__VA_ARGS__) = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t pread(int file, void *buffer, size_t size, off_t offset) {
    REAL(ssize_t, pread, int, void *, size_t, off_t);
    return real(file, buffer, half(size), offset);
}

ssize_t pread64(int file, void *buffer, size_t size, off64_t offset) {
    REAL(ssize_t, pread64, int, void *, size_t, off64_t);
    return real(file, buffer, half(size), offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!attributes && is_scarce("threads")) {
        count++;
        return EAGAIN;
    }
    return real(thread, attributes, routine, argument);
}

static int count_file = -1;

// Opened before the tool restricts itself.
__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("HP_SCARCE_COUNT");
    if (path) count_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void finish(void) {
    if (count_file >= 0) dprintf(count_file, "%ld\n", (long)count);
}
