internal import CSQLite

/// Rows of ours that SQL reads as a table of one connection (manual, "The Virtual Table Mechanism of SQLite").
///
/// The table is read from its first row to its last; SQLite looks for rows by reading all of them.
package protocol VirtualTable: AnyObject {
    /// Its name.
    static var name: String { get }
    /// The names of its columns.
    static var columns: [String] { get }
    /// The number of rows.
    var count: Int { get }
    /// Puts a value in its place; without one it is NULL.
    func give(_ column: Int, of row: Int, to result: SQLiteResult)
}

/// A table as SQLite knows it: it lives as long as the connection.
final class RegisteredTable {
    fileprivate let rows: any VirtualTable

    init(_ rows: any VirtualTable) { self.rows = rows }

    /// Makes the table known; whether SQLite took it.
    func register(_ handle: OpaquePointer) -> Bool {
        let client = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe sqlite3_create_module_v2(
            handle, type(of: rows).name, Self.module, client,
            { unsafe Unmanaged<RegisteredTable>.fromOpaque($0!).release() }) == SQLITE_OK
    }

    fileprivate var declaration: String {
        "CREATE TABLE x(\(type(of: rows).columns.map { "\"\($0)\"" }.joined(separator: ", ")))"
    }

    @unsafe private struct Table {
        // SQLite's part comes first.
        var base: sqlite3_vtab
        let rows: Unmanaged<RegisteredTable>
    }

    @unsafe private struct Cursor {
        var base: sqlite3_vtab_cursor
        let rows: Unmanaged<RegisteredTable>
        var index: Int
    }

    // Set once and then only read, by SQLite.
    private nonisolated(unsafe) static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe module.initialize(to: sqlite3_module())
        unsafe module.pointee.xConnect = { handle, client, _, _, result, _ in
            let rows = unsafe Unmanaged<RegisteredTable>.fromOpaque(client!)
            let status = unsafe sqlite3_declare_vtab(handle, rows._withUnsafeGuaranteedRef { $0.declaration })
            guard status == SQLITE_OK else { return status }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            unsafe table.initialize(to: Table(base: sqlite3_vtab(), rows: rows))
            unsafe result!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        unsafe module.pointee.xDisconnect = { table in
            unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).deallocate()
            return SQLITE_OK
        }
        unsafe module.pointee.xBestIndex = { _, plan in
            unsafe plan!.pointee.estimatedCost = 1000
            unsafe plan!.pointee.estimatedRows = 1000
            return SQLITE_OK
        }
        unsafe module.pointee.xOpen = { table, result in
            let rows = unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.rows
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            unsafe cursor.initialize(to: Cursor(base: sqlite3_vtab_cursor(), rows: rows, index: 0))
            unsafe result!.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe module.pointee.xClose = { cursor in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        unsafe module.pointee.xFilter = { cursor, _, _, _, _ in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index = 0
            return SQLITE_OK
        }
        unsafe module.pointee.xNext = { cursor in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index += 1
            return SQLITE_OK
        }
        unsafe module.pointee.xEof = { cursor in
            let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
            return unsafe cursor.pointee.rows._withUnsafeGuaranteedRef { unsafe cursor.pointee.index >= $0.rows.count }
                ? 1 : 0
        }
        unsafe module.pointee.xColumn = { cursor, context, column in
            let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
            let index = unsafe cursor.pointee.index
            unsafe cursor.pointee.rows._withUnsafeGuaranteedRef {
                unsafe $0.rows.give(Int(column), of: index, to: SQLiteResult(context!))
            }
            return SQLITE_OK
        }
        unsafe module.pointee.xRowid = { cursor, rowid in
            unsafe rowid!.pointee = Int64(
                UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index)
            return SQLITE_OK
        }
        return unsafe module
    }()
}
