internal import CProcess

/// Where the memory of all threads comes from.
enum ProcessMemory {
    /// Has all threads share one pool, before there are any. With a pool for each, what one thread freed stays with its
    /// pool while the next takes new memory: an archive of three exports was checked in 79 MiB, and is in 57 so. The
    /// tools take memory seldom: waiting for each other costs a capture 2 % of its time, the rest 1 % or less.
    static func begin() { hp_share_memory_pool() }
}
