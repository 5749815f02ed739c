#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Both ends are closed in programs that are started, but for those that are put in the place of standard ones.
static int open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static void close_pipe(int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

// The signals that this process ignores have their usual effect in the program.
static int spawn(pid_t *child, char *const arguments[], int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGPIPE);
        sigaddset(&signals, SIGXFSZ);
        posix_spawn_file_actions_adddup2(&actions, input, 0);
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        error = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Reads to the end; what has no room is counted.
static void read_all(int descriptor, unsigned char *output, size_t room, size_t *size) {
    unsigned char rest[4096];
    for (;;) {
        size_t left = *size < room ? room - *size : 0;
        ssize_t count = left > 0 ? read(descriptor, output + *size, left) : read(descriptor, rest, sizeof rest);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        *size += (size_t)count;
    }
}

int hp_run_program(
    const unsigned char *words, int count, const unsigned char *input, size_t input_size, unsigned char *output,
    size_t room, size_t *size) {
    char *arguments[HP_WORD_LIMIT + 1] = {NULL};
    if (count < 1 || count > HP_WORD_LIMIT) return -E2BIG;
    for (int index = 0; index < count; index++) {
        arguments[index] = (char *)words;
        words += strlen((const char *)words) + 1;
    }
    int in[2], out[2], status;
    pid_t child;
    *size = 0;
    int error = open_pipe(in);
    if (error != 0) return -error;
    error = open_pipe(out);
    if (error != 0) {
        close_pipe(in);
        return -error;
    }
    error = spawn(&child, arguments, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    if (error == 0) {
        // A program that does not read its input is no error: its status says more.
        ssize_t written = write(in[1], input, input_size);
        (void)written;
    }
    close(in[1]);
    if (error == 0) read_all(out[0], output, room, size);
    close(out[0]);
    if (error != 0) return -error;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -errno;
    }
    if (*size > room) return -EFBIG;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
