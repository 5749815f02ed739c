// What Swift's view of the C library lacks: `prctl` is variadic, and `malloc.h` is not in it.
#ifndef HP_PROCESS_H
#define HP_PROCESS_H

#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

// No image of the process's memory is kept when it ends by a fault, wherever the system sends such images; and no other
// process of the same user may look into it. True where the platform has no such switch.
static inline int hp_forbid_dumping(void) {
#ifdef PR_SET_DUMPABLE
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
#else
    return 1;
#endif
}

// Has all threads take memory from one pool (`mallopt(3)`). Nothing where the platform has no such switch.
static inline void hp_share_memory_pool(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

// Returns an argument of the process as the C library passed it on before `main`, the program's name at 0; NULL after the
// last. If the C library passes none, there is not even that name. Swift's own `CommandLine` reads the arguments from
// /proc, which may be missing.
const char *hp_argument(int index);

#endif
