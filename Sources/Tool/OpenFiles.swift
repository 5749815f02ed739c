internal import Platform

/// How many files the process may have open at a time.
///
/// With too few, SQLite and OpenSSL fail in ways that name no reason; so the limit is looked at before they start.
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
