internal import CSQLite

/// What a schema may ask for: set before it is read (SQLite manual, "Defense Against The Dark Arts").
enum SQLiteLimits {
    /// Limits of a connection, each as it is after a library was built with others.
    private static let limits: [(Int32, Int32)] = [
        // The longest line of a bundle has 64 MiB: a longer value is in none.
        (SQLITE_LIMIT_LENGTH, 1 << 26),
        (SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
        (SQLITE_LIMIT_FUNCTION_ARG, 127),
        // One database to a connection: only a transaction over several writes a super-journal.
        (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ]

    /// Sets the limits, and leaves no module but that of JSON: a file can name any for a table of its own, and none is
    /// needed.
    static func set(_ handle: OpaquePointer) {
        for (limit, value) in limits { unsafe sqlite3_limit(handle, limit, value) }
        unsafe "json_each".withCString { name in
            var kept: [UnsafePointer<CChar>?] = unsafe [name, nil]
            unsafe kept.withUnsafeMutableBufferPointer { _ = unsafe sqlite3_drop_modules(handle, $0.baseAddress) }
        }
    }
}
