internal import CSQLite

/// The library itself.
public enum SQLiteLibrary {
    /// Its version, as it is at run time (`sqlite3_libversion`).
    public static var version: String { unsafe String(cString: sqlite3_libversion()) }
}
