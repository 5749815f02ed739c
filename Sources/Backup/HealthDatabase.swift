internal import Archive
internal import Files
internal import SQLite

/// The two databases of a phone's health data (`Spec/iphone-backup.md`): samples, and the sources that they name.
///
/// Tables and columns are found by their names, never by a version number.
struct HealthDatabase {
    /// Missing and odd parts, for people.
    private(set) var notes: [String] = []
    let samples: HealthFile
    let sources: HealthFile
    /// `true` if SQLite finds damage in one of them: rows may be missing.
    let isDamaged: Bool

    private static let required = [
        ("objects", ["data_id", "uuid", "type", "provenance"]),
        ("samples", ["data_id", "start_date", "end_date", "data_type"]),
        ("quantity_samples", ["data_id", "quantity"]), ("data_provenances", ["source_id"]),
    ]
    private static let optional = [
        ("category_samples", ["data_id", "value"]), ("metadata_values", ["key_id", "object_id", "value_type"]),
        ("metadata_keys", ["key"]), ("correlations", ["correlation", "object"]), ("unit_strings", ["unit_string"]),
    ]

    /// Takes the databases of a source.
    init(_ source: HealthSource) throws(ArchiveError) {
        (samples, sources) = (source.samples, source.sources)
        var damaged: [HealthFile] = []
        for file in [samples, sources] where try file.isDamaged() { damaged.append(file) }
        isDamaged = !damaged.isEmpty
        try requireColumns()
        notes += damaged.map { "\($0.path.display): damaged: no type counts as complete" }
        for file in [samples, sources] where file.mayLackLog {
            notes.append("\(file.path.display): no -wal file next to it; a copy without it lacks the last records")
        }
        for (table, wanted) in Self.optional where !has(table, wanted) {
            notes.append("\(samples.path.display): no table \(table) with \(wanted.joined(separator: ", "))")
        }
    }

    private func requireColumns() throws(ArchiveError) {
        for (table, wanted) in Self.required {
            for column in wanted where !has(table, [column]) {
                throw ArchiveError(
                    .schema, "\(samples.path.display): not a known health database: no column \(table).\(column)")
            }
        }
        guard sources.columns["sources"] != nil else {
            throw ArchiveError(.schema, "\(sources.path.display): not a known health database: no table sources")
        }
    }

    /// Returns `true` if a table of the samples has columns.
    func has(_ table: String, _ wanted: [String]) -> Bool {
        guard let found = samples.columns[table] else { return false }
        return wanted.allSatisfy(found.contains)
    }

    /// Returns a column of a table of the samples in SQL; `NULL` if the table does not have it.
    func column(_ table: String, _ name: String, as alias: String) -> String {
        has(table, [name]) ? "\(alias).\(name)" : "NULL"
    }

    /// Returns a column of a table of the sources in SQL; `NULL` if the table does not have it.
    func sourceColumn(_ table: String, _ name: String) -> String {
        sources.columns[table]?.contains(name) == true ? name : "NULL"
    }

    /// Returns `true` if rows of a table of the samples are found by a column without reading all.
    func finds(_ table: String, by column: String) throws(ArchiveError) -> Bool {
        try samples.isIndexed(table, by: column)
    }

    /// `true` if there is a table of devices.
    var hasDevices: Bool { sources.columns["source_devices"] != nil }
}

/// A database that is only read: as it is, with a log or a journal next to it as a private copy, into which SQLite
/// folds the log, or decrypted in memory.
final class HealthFile {
    /// The name of the database in errors.
    let path: Path
    /// `true` if nothing says whether the database had a log.
    let mayLackLog: Bool
    /// The columns of each table.
    let columns: [String: Set<String>]
    private let connection: SQLiteConnection<ArchiveError>
    /// Removed when the database is closed.
    private let copy: PrivateCopy?
    /// The encrypted files of the database and its log.
    private let encrypted: [DecryptedFile]

    /// The most tables that are looked at.
    private static let tableLimit = 4096

    /// Opens a database of a backup, with the log of the same moment if there is one.
    init(_ database: DecryptedFile, log: DecryptedFile?, _ wait: LockWait) throws(ArchiveError) {
        let connection = try SQLiteConnection<ArchiveError>.open(
            supplied: database, log: log, named: database.path, wait: wait)
        try connection.noteEncoding()
        // SQLite would write an index of its own, with values, into a temporary file.
        try connection.execute("PRAGMA automatic_index = OFF")
        columns = try Self.columns(of: connection, named: database.path)
        path = database.path
        mayLackLog = false
        self.connection = connection
        copy = nil
        encrypted = [database] + (log.map { [$0] } ?? [])
    }

    /// Opens a plain database, with the log next to it. Nothing is written into its folder.
    init(_ path: Path, _ wait: LockWait) throws(ArchiveError) {
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(path) }
        let facts = try ArchiveFile.examine(file, named: path)
        let hasCompanion = ["-wal", "-journal"].contains { FileStatus.exists(file.withSuffix($0)) }
        var opened = file
        let copy: PrivateCopy?
        if hasCompanion {
            let made = try PrivateCopy.makeStill(of: file, facts, named: path, wait)
            opened = made.path
            copy = consume made
        } else {
            copy = nil
        }
        let connection = try SQLiteConnection<ArchiveError>.open(
            resolved: opened, named: path, mode: hasCompanion ? .readWrite : .immutable, wait: wait)
        try connection.noteEncoding()
        // SQLite would write an index of its own, with values, into a temporary file.
        try connection.execute("PRAGMA automatic_index = OFF")
        columns = try Self.columns(of: connection, named: path)
        self.path = path
        mayLackLog = !FileStatus.exists(path.withSuffix("-wal"))
        self.connection = connection
        self.copy = copy
        encrypted = []
    }

    /// Prepares one statement.
    func prepare(_ sql: String) throws(ArchiveError) -> SQLiteStatement<ArchiveError> { try connection.prepare(sql) }

    /// Returns the first column of the first row as an integer.
    func integer(_ sql: String) throws(ArchiveError) -> Int64? { try connection.integer(sql) }

    /// Returns `true` if a table has a key or an index that begins with a column.
    func isIndexed(_ table: String, by column: String) throws(ArchiveError) -> Bool {
        var indexes = try connection.prepare("PRAGMA index_list(\"\(table)\")")
        while try indexes.step() {
            guard let name = indexes.text(1), indexes.integer(4) == 0, !name.utf8.contains(UInt8(ascii: "\"")) else {
                continue
            }
            var columns = try connection.prepare("PRAGMA index_info(\"\(name)\")")
            if try columns.step(), columns.text(2) == column { return true }
        }
        return false
    }

    /// Returns `true` if SQLite finds damage. Indexes are not looked at: samples are listed without them.
    func isDamaged() throws(ArchiveError) -> Bool {
        var rows = try connection.prepare("PRAGMA quick_check(1)")
        return try !rows.step() || rows.text(0) != "ok"
    }

    /// Throws if a value was lost for want of memory, or a file of a backup changed while it was read.
    func checkEnd() throws(ArchiveError) {
        try connection.checkMemory()
        for file in encrypted where !file.isUnchanged { throw ArchiveError.changedWhileRead(file.path) }
    }

    private static func columns(
        of database: borrowing SQLiteConnection<ArchiveError>, named path: Path
    ) throws(ArchiveError) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        var tables = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT \(tableLimit)")
        while try tables.step() {
            // A name of other characters is none that is asked for.
            guard let name = tables.text(0), name.utf8.allSatisfy({ $0 >= 0x30 && $0 < 0x7F }) else { continue }
            var rows = try database.prepare("PRAGMA table_xinfo(\"\(name)\")")
            while try rows.step() {
                // Whoever made the file wrote the expression, which may never end (decision 0021).
                guard rows.integer(6) == 0 else {
                    throw ArchiveError(.schema, "\(path.display): table \(name) has a computed column")
                }
                if let column = rows.text(1) { found[name, default: []].insert(column) }
            }
        }
        return found
    }
}
