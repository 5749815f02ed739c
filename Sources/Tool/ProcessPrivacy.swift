internal import CProcess
internal import Platform

/// Keeps health records out of core dumps.
enum ProcessPrivacy {
    /// Forbids core dumps, before anything is read: the limit counts for files, the other switch also where a program
    /// is given the dump (`core(5)`). Where one of the two cannot be set, the other is enough, and the work goes on.
    static func begin() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            unsafe setrlimit(RLIMIT_CORE, &limit)
        #endif
        _ = hp_forbid_dumping()
    }
}
