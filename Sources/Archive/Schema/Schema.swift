internal import Files
internal import Format
internal import SQLite

/// The shape that an archive must have (`Spec/archive-schema.sql`). Extra tables and columns are tolerated.
package enum Schema {
    /// The version that this code reads and writes.
    package static let version: Int64 = 2

    /// What may be done about an archive of before.
    private static let prototypeHint =
        "hp-export capture --reset-prototype moves a prototype aside and begins a new archive"

    /// Required tables and their columns, in the order of the tables' names.
    package static let tables: [(name: String, columns: [String])] = ArchiveTable.ofSchema
        .map { ($0.name, $0.columns.map(\.name)) }.sorted { $0.name < $1.name }

    /// What the names of these tools' own tables and functions begin with.
    ///
    /// SQLite finds a table of the file before it looks for a virtual table that a program offers under the same name.
    static let reservedPrefix = "hp_"

    /// Checks `sqlite_schema` before anything else is read, then the version (`Spec/archive-verification.md`,
    /// "Schemas").
    package static func check(_ connection: borrowing Connection) throws(ArchiveError) {
        let objects = try SchemaObject.all(connection)
        try checkObjects(objects, connection)
        for table in tables { try checkColumns(of: table.name, table.columns, connection) }
        try checkVersion(connection)
        try refuseUnreleasedRules(connection)
        try checkExtensions(objects, connection)
        try checkTypes(connection)
    }

    /// The most bytes of the identifier of a sample type: those of a start tag of an Apple Health export. A type stands
    /// in every item of it, and in headers and lists.
    private static let typeLimit = 4 << 20

    private static func checkTypes(_ connection: borrowing Connection) throws(ArchiveError) {
        let long = try connection.integer(
            "SELECT rowid FROM sample_types WHERE length(CAST(type_identifier AS BLOB)) > \(typeLimit) LIMIT 1")
        guard let long else { return }
        throw ArchiveError(
            .schema,
            "\(connection.path.display): sample_types: row \(long): an identifier of more than "
                + "\(typeLimit) bytes")
    }

    /// A database in memory with the tables of `Spec/archive-schema.sql` and the extensions, to compare with.
    static func specified() throws(ArchiveError) -> Connection {
        let connection = try Connection.open(Path("specification"), mode: .memory, wait: LockWait())
        try connection.execute(ArchiveStatements.schema)
        for part in ArchiveExtension.allCases { try connection.execute(part.statements) }
        return connection
    }

    /// Whether a database is neither an archive of this schema nor of a newer one.
    package static func isPrototype(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let objects = try SchemaObject.all(connection)
        guard objects.contains(where: { $0.name == "archive_metadata" && $0.isPlainTable }) else { return true }
        var info = try connection.prepare("PRAGMA main.table_xinfo(archive_metadata)")
        var columns: Set<String> = []
        while try info.step() { columns.insert(info.text(1) ?? "") }
        guard columns.contains("key"), columns.contains("value") else { return true }
        var stated = try connection.prepare("SELECT value FROM archive_metadata WHERE key = 'schema_version'")
        guard try stated.step(), let version = Int64(stated.text(0) ?? "") else { return true }
        return version < Self.version
    }

    /// The columns that a required table has.
    package static func columns(of table: String) -> [String] { ArchiveTable.named(table).columns.map(\.name) }

    /// A required table must be a plain table without triggers: a view or a virtual table runs code of the file's
    /// author.
    private static func checkObjects(_ objects: [SchemaObject], _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        let path = connection.path.display
        let required = Set(tables.map(\.name))
        var found: Set<String> = []
        var names: Set<String> = []
        for object in objects {
            func refuse(_ what: String) -> ArchiveError { ArchiveError(.schema, "\(path): \(what)") }
            if object.key.hasPrefix(reservedPrefix) {
                throw refuse("\(object.display): names that begin with \(reservedPrefix) are reserved for these tools")
            }
            if object.takesNameOfSQLite { throw refuse("\(object.display): its name is one that SQLite gives") }
            if object.type == "trigger" {
                if required.contains(object.tableKey) { throw refuse("table \(object.tableKey) has a trigger") }
                continue
            }
            // SQLite takes the first of two, where the second says IF NOT EXISTS.
            guard names.insert(object.key).inserted else { throw refuse("\(object.display): the name stands twice") }
            guard required.contains(object.name) else { continue }
            guard object.type == "table" else {
                throw refuse("\(object.name) is a \(printable(object.type.utf8)), not a table")
            }
            guard object.isPlainTable else {
                throw refuse("\(object.name) is a virtual table, or has no pages of its own")
            }
            found.insert(object.name)
        }
        if found.isEmpty {
            throw ArchiveError(
                .schema, "\(path): a SQLite database, but not a HealthProbe archive", hint: prototypeHint)
        }
        if let missing = tables.first(where: { !found.contains($0.name) }) {
            throw ArchiveError(.schema, "\(path): table \(missing.name) is missing")
        }
    }

    static func checkColumns(of table: String, _ required: [String], _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        func refuse(_ what: String) -> ArchiveError { ArchiveError(.schema, "\(connection.path.display): \(what)") }
        var info = try connection.prepare("PRAGMA main.table_xinfo(\(table))")
        var found: Set<String> = []
        while try info.step() {
            let name = info.text(1) ?? ""
            // Column 6 is 0 for a plain column, 2 or 3 for a generated one (manual, PRAGMA table_xinfo).
            if required.contains(name), info.integer(6) != 0 { throw refuse("column \(table).\(name) is generated") }
            // It would stand before the row id, by which rows are found again.
            if name.asciiLowercased == "rowid" { throw refuse("column \(table).rowid hides the row id") }
            found.insert(name)
        }
        if let missing = required.first(where: { !found.contains($0) }) {
            throw refuse("column \(table).\(missing) is missing")
        }
        // Under a table's name there is an index only where the table is one itself (manual, PRAGMA index_info).
        var key = try connection.prepare("PRAGMA main.index_info(\(table))")
        if try key.step() { throw refuse("table \(table) is WITHOUT ROWID") }
    }

    /// Refuses an archive whose identity rules only builds before the first release had (`Spec/README.md`, "Versions").
    private static func refuseUnreleasedRules(_ connection: borrowing Connection) throws(ArchiveError) {
        let unreleased = "1"
        guard try connection.text("SELECT value FROM archive_metadata WHERE key = 'identity_rules'") == unreleased
        else { return }
        let path = connection.path.display
        throw ArchiveError(
            .schema,
            "\(path): made by an unreleased build (identity rules \(unreleased)): capture the exports again")
    }

    private static func checkVersion(_ connection: borrowing Connection) throws(ArchiveError) {
        let path = connection.path.display
        var stated = try connection.prepare("SELECT value FROM archive_metadata WHERE key = 'schema_version'")
        guard try stated.step(), let text = stated.text(0) else {
            throw ArchiveError(.schema, "\(path): archive_metadata states no schema_version", hint: prototypeHint)
        }
        guard let version = Int64(text) else {
            throw ArchiveError(
                .schema,
                "\(path): archive_metadata states a schema_version that is no number")
        }
        if version < Self.version {
            throw ArchiveError(
                .schema,
                "\(path): schema version \(version) is older than "
                    + "\(Self.version), the one these tools read", hint: prototypeHint)
        }
        if version > Self.version {
            throw ArchiveError(
                .schema,
                "\(path): schema version \(version) is newer than \(Self.version), the one "
                    + "these tools read", hint: "use a newer release of the tools")
        }
        let newest = try connection.integer("SELECT max(version) FROM schema_migrations")
        guard newest == version else {
            throw ArchiveError(
                .schema,
                "\(path): archive_metadata states schema version \(version), "
                    + "schema_migrations \(newest.map(String.init) ?? "none")")
        }
    }
}
