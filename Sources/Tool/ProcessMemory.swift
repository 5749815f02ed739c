internal import CProcess

/// Where the memory of all threads comes from.
enum ProcessMemory {
    /// Has all threads share one pool, before there are any. With a pool for each, what one thread freed stays with its
    /// pool while the next takes new memory: three exports recomputed one after the other needed 70 MiB, and 55 so. The
    /// tools take memory seldom enough that the threads do not wait for each other.
    static func begin() { hp_share_memory_pool() }
}
