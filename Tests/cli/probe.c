// Put into a tool by LD_PRELOAD: when the tool first writes to standard output, this tries what a fault in it could try, and
// says on standard error how the kernel answered: 0, or the number of the error.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result) {
    char line[4200];
    int number = result < 0 ? errno : 0;
    int length = snprintf(line, sizeof line, "probe %s %d\n", what, number);
    syscall(SYS_write, 2, line, (size_t)length);
}

static void *nothing(void *argument) { return argument; }

// HP_PROBE has lines "read PATH", "write PATH", "list PATH".
static void try_files(void) {
    char *text = strdup(getenv("HP_PROBE") ? getenv("HP_PROBE") : "");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *path = strchr(line, ' ') + 1;
        int flags = line[0] == 'w' ? O_RDWR | O_CREAT : line[0] == 'l' ? O_RDONLY | O_DIRECTORY : O_RDONLY;
        say(line, open(path, flags | O_CLOEXEC, 0600));
    }
}

static void try_calls(void) {
    char *none[] = {"none", NULL};
    pthread_t thread;
    say("inet", socket(AF_INET, SOCK_STREAM, 0));
    say("unix", socket(AF_UNIX, SOCK_DGRAM, 0));
    int pair[2];
    say("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    say("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    say("uring", syscall(SYS_io_uring_setup, 1, NULL));
    // Where they are not forbidden, these two do nothing: there is no such process, and no such program.
    say("ptrace", ptrace(PTRACE_PEEKDATA, 0x7ffffff0, NULL, NULL));
    say("memfd", memfd_create("code", 0));
    say("exec", execve("/no/such/program", none, none));
    // Without the library: a handler of fork is not what is asked about.
    long child = syscall(SYS_clone, 17, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    say("fork", child);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    errno = pthread_create(&thread, NULL, nothing, NULL);
    say("thread", errno ? -1 : 0);
}

ssize_t write(int file, const void *bytes, size_t count) {
    static int is_done;
    struct stat here, there;
    // The tool may have given standard output another number.
    if (!is_done && file != 2 && fstat(file, &here) == 0 && fstat(1, &there) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev) {
        is_done = 1;
        try_files();
        try_calls();
    }
    return syscall(SYS_write, file, bytes, count);
}
