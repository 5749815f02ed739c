// What Swift's view of the C library lacks: `prctl` is variadic, and `malloc.h` is not in it.
#ifndef HP_CPROCESS_SHIM_H
#define HP_CPROCESS_SHIM_H

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

#endif
