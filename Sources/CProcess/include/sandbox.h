// The sandbox of Linux: Landlock rules for files, and a seccomp filter for system calls. Elsewhere nothing happens, and
// every function reports that the system has no such thing.
#ifndef HP_SANDBOX_H
#define HP_SANDBOX_H

// Returns the version of Landlock's interface, 0 if the kernel has none.
int hp_landlock_version(void);

// Begins a set of rules that allows nothing. Returns its descriptor, -1 if there is none.
int hp_landlock_begin(int version);

// Allows reading what `path` leads to: a file, or a folder with everything below it; with `writes`, also changing it. A
// path that leads nowhere is left out.
void hp_landlock_allow(int rules, int version, const char *path, int writes);

// Puts the rules into force for this thread and those that it starts, and closes them. Returns 1 if they are.
int hp_landlock_enforce(int rules);

// Forbids sockets, new programs and processes, and calls that change the system, to this thread and those that it starts.
// Returns 1 if that is in force.
int hp_forbid_calls(void);

#endif
