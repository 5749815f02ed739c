internal import Platform

/// How many files the process may have open at a time.
///
/// The concurrency runtime opens files of its own on threads of its own and ends the process where it cannot; so
/// what it needs is looked at before it starts.
enum OpenFiles {
    private static let needed: rlim_t = 16

    /// Raises the limit if that is needed and allowed; says so where it is too low all the same.
    static func problem() -> String? {
        guard var limit = openFileLimit(), limit.rlim_cur < needed else { return nil }
        limit.rlim_cur = min(limit.rlim_max, 64)
        setOpenFileLimit(limit)
        return limit.rlim_cur < needed
            ? "only \(limit.rlim_cur) files may be open at a time, and \(needed) are needed" : nil
    }
}
