// Put into a tool by LD_PRELOAD: a kernel that has neither Landlock nor filters of system calls; with HP_LANDLOCK=N, one that
// has this version of Landlock's interface, and filters.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
    static long (*real)(long, ...);
    const char *version = getenv("HP_LANDLOCK");
    va_list list;
    long value[6];
    va_start(list, number);
    for (int index = 0; index < 6; index++) value[index] = va_arg(list, long);
    va_end(list);
    if (!version && number >= 444 && number <= 446) {
        errno = ENOSYS;
        return -1;
    }
    // The flag asks for the version.
    if (version && number == 444 && (value[2] & 0xffffffff) == 1) return atoi(version);
    if (!real) real = dlsym(RTLD_NEXT, "syscall");
    return real(number, value[0], value[1], value[2], value[3], value[4], value[5]);
}

int prctl(int option, ...) {
    static int (*real)(int, ...);
    va_list list;
    long value[4];
    va_start(list, option);
    for (int index = 0; index < 4; index++) value[index] = va_arg(list, long);
    va_end(list);
    if (!getenv("HP_LANDLOCK") && (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)) {
        errno = EINVAL;
        return -1;
    }
    if (!real) real = dlsym(RTLD_NEXT, "prctl");
    return real(option, value[0], value[1], value[2], value[3]);
}
