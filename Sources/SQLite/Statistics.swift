internal import CSQLite

/// Keeps what a file says of its own statistics (`sqlite_stat1`, `sqlite_stat4`) from SQLite's planner.
///
/// Forged ones, or some of long ago, make a statement go through a whole table for each row of another: where a table
/// is said to have one row, even its row id is not used. No option turns them off. But SQLite reads them with
/// statements of its own, right after it has read the schema, and goes on with its defaults where these end early. So
/// the schema is read here, while each of them is ended before its first row.
///
/// Where a later SQLite reads them in another way, they count again; a test compares the plans.
enum Statistics {
    /// Reads the schema without them. No callback that is asked for progress is left.
    ///
    /// - Returns: the root pages of its tables and indexes; nil if SQLite cannot read it.
    static func readSchemaWithout(_ handle: OpaquePointer) -> [UInt32]? {
        // Asked at every step, and it only looks (manual, sqlite3_progress_handler).
        unsafe sqlite3_progress_handler(
            handle, 1, { handle in unsafe Statistics.areRead(OpaquePointer(handle!)) ? 1 : 0 },
            UnsafeMutableRawPointer(handle))
        defer { unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        let sql = "SELECT rootpage FROM main.sqlite_master"
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        var roots: [UInt32] = []
        var status = unsafe sqlite3_step(statement)
        while status == SQLITE_ROW {
            if let root = unsafe UInt32(exactly: sqlite3_column_int64(statement, 0)) { roots.append(root) }
            status = unsafe sqlite3_step(statement)
        }
        return status == SQLITE_DONE ? roots : nil
    }

    /// Returns `true` if the statement that runs reads them: the newest of the connection, by its first column. The
    /// schema's own begins with `type`.
    private static func areRead(_ handle: OpaquePointer) -> Bool {
        guard let newest = unsafe sqlite3_next_stmt(handle, nil), let name = unsafe sqlite3_column_name(newest, 0)
        else { return false }
        return unsafe sqlite3_stricmp(name, "tbl") == 0 || sqlite3_stricmp(name, "idx") == 0
    }
}
