// Runs another program and waits for it: `posix_spawn` with its attributes, which Swift's view of the C library has in
// another form on each platform.
#ifndef HP_PROGRAM_H
#define HP_PROGRAM_H

#include <stddef.h>

// The most words that a program can be run with.
#define HP_WORD_LIMIT 31

// Runs a program. `words` is its name and its arguments, `count` of them, each with a NUL behind it; a name without a slash
// is looked for in PATH. The program reads `input` as its standard input, which must fit into a pipe (4,096 bytes always
// do). What it writes to standard output is put into `output`, and `*size` is how much that is. Standard error is the
// caller's. Returns the exit status, 128 + the signal that ended it, or the negative error number if it could not be run
// or wrote more than there is room for.
int hp_run_program(
    const unsigned char *words, int count, const unsigned char *input, size_t input_size, unsigned char *output,
    size_t room, size_t *size);

#endif
