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

    /// The file names of both databases.
    static let names = ["healthdb_secure.sqlite", "healthdb.sqlite"]
    private static let required = [
        ("objects", ["data_id", "uuid", "type", "provenance"]),
        ("samples", ["data_id", "start_date", "end_date", "data_type"]),
        ("quantity_samples", ["data_id", "quantity"]), ("data_provenances", ["source_id"]),
    ]
    private static let optional = [
        ("category_samples", ["data_id", "value"]), ("metadata_values", ["key_id", "object_id", "value_type"]),
        ("metadata_keys", ["key"]), ("correlations", ["correlation", "object"]), ("unit_strings", ["unit_string"]),
    ]

    /// Opens both databases of a folder, each with the log next to it. Nothing is written into the folder.
    init(folder: Path, wait: LockWait) throws(ArchiveError) {
        for name in ["Manifest.db", "Manifest.plist"]
        where FileStatus.exists(folder.appending(Array(name.utf8))) {
            throw ArchiveError(
                .unreadable, "\(folder.display): a backup as the phone wrote it, with \(name)",
                hint: "decrypt it first, and name the folder with \(Self.names[0]) and \(Self.names[1])")
        }
        let files = Self.names.map { folder.appending(Array($0.utf8)) }
        for file in files where !FileStatus.exists(file) {
            throw ArchiveError(
                .missing, "\(file.display): no such file",
                hint: "copy \(Self.names[0]), \(Self.names[1]) and the -wal file of each into one folder")
        }
        PrivateCopy.removeAbandoned()
        samples = try HealthFile(files[0], wait)
        sources = try HealthFile(files[1], wait)
        var damaged: [HealthFile] = []
        for file in [samples, sources] where try file.isDamaged() { damaged.append(file) }
        isDamaged = !damaged.isEmpty
        try requireColumns()
        notes += damaged.map { "\($0.path.display): damaged: no type counts as complete" }
        for file in files where !FileStatus.exists(file.withSuffix("-wal")) {
            notes.append("\(file.display): no -wal file next to it; a copy without it lacks the last records")
        }
        for (table, wanted) in Self.optional where !has(table, wanted) {
            notes.append("\(files[0].display): no table \(table) with \(wanted.joined(separator: ", "))")
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

    /// A column of a table of the samples in SQL; `NULL` if the table does not have it.
    func column(_ table: String, _ name: String, as alias: String) -> String {
        has(table, [name]) ? "\(alias).\(name)" : "NULL"
    }

    /// A column of a table of the sources in SQL; `NULL` if the table does not have it.
    func sourceColumn(_ table: String, _ name: String) -> String {
        sources.columns[table]?.contains(name) == true ? name : "NULL"
    }

    /// `true` if there is a table of devices.
    var hasDevices: Bool { sources.columns["source_devices"] != nil }
}

/// A database that is only read: as it is, or with a log or a journal next to it as a private copy, into which SQLite
/// folds the log.
final class HealthFile {
    /// What errors call it.
    let path: Path
    /// The columns of each table.
    let columns: [String: Set<String>]
    private let connection: SQLiteConnection<ArchiveError>
    /// Removed when the database is closed.
    private let copy: PrivateCopy?

    /// The most tables that are looked at.
    private static let tableLimit = 4096

    init(_ path: Path, _ wait: LockWait) throws(ArchiveError) {
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(path) }
        let facts = try ArchiveFile.examine(file, named: path)
        let hasLog = ["-wal", "-journal"].contains { FileStatus.exists(file.withSuffix($0)) }
        var opened = file
        let copy: PrivateCopy?
        if hasLog {
            let made = try PrivateCopy.makeStill(of: file, facts, named: path, wait)
            opened = made.path
            copy = consume made
        } else {
            copy = nil
        }
        let connection = try SQLiteConnection<ArchiveError>.open(
            resolved: opened, named: path, mode: hasLog ? .readWrite : .immutable, wait: wait)
        try connection.noteEncoding()
        columns = try Self.columns(of: connection)
        self.path = path
        self.connection = connection
        self.copy = copy
    }

    /// Prepares one statement.
    func prepare(_ sql: String) throws(ArchiveError) -> SQLiteStatement<ArchiveError> { try connection.prepare(sql) }

    /// The first column of the first row as an integer.
    func integer(_ sql: String) throws(ArchiveError) -> Int64? { try connection.integer(sql) }

    /// Returns `true` if SQLite finds damage. Indexes are not looked at: rows are found without them.
    func isDamaged() throws(ArchiveError) -> Bool {
        var rows = try connection.prepare("PRAGMA quick_check(1)")
        return try !rows.step() || rows.text(0) != "ok"
    }

    /// Throws if a value was lost for want of memory.
    func checkMemory() throws(ArchiveError) { try connection.checkMemory() }

    private static func columns(of database: borrowing SQLiteConnection<ArchiveError>) throws(ArchiveError)
        -> [String: Set<String>]
    {
        var found: [String: Set<String>] = [:]
        var tables = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT \(tableLimit)")
        while try tables.step() {
            // A name of other characters is none that is asked for.
            guard let name = tables.text(0), name.utf8.allSatisfy({ $0 >= 0x30 && $0 < 0x7F }) else { continue }
            var rows = try database.prepare("PRAGMA table_info(\"\(name)\")")
            while try rows.step() {
                if let column = rows.text(1) { found[name, default: []].insert(column) }
            }
        }
        return found
    }
}
