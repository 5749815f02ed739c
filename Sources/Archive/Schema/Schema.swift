internal import Files
internal import Format
internal import SQLite

/// The shape that an archive must have (`Spec/archive-schema.sql`). Extra tables and columns are tolerated.
package enum Schema {
    /// The version that this code reads and writes.
    package static let version: Int64 = 2

    /// The hint of what may be done about an archive of before.
    private static let prototypeHint =
        "hp-export capture --reset-prototype moves a prototype aside and begins a new archive"

    /// Required tables and their columns, in the order of the tables' names.
    package static let tables: [(name: String, columns: [String])] = ArchiveTable.ofSchema
        .map { ($0.name, $0.columns.map(\.name)) }.sorted { $0.name < $1.name }

    /// The prefix of the names of these tools' own tables and functions.
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

    /// Returns a database in memory with the tables of `Spec/archive-schema.sql` and the extensions, to compare with.
    static func specified() throws(ArchiveError) -> Connection {
        let connection = try Connection.open(Path("specification"), mode: .memory, wait: LockWait())
        try connection.execute(ArchiveStatements.schema)
        for part in ArchiveExtension.allCases { try connection.execute(part.statements) }
        return connection
    }

    /// Returns `true` if a database is neither an archive of this schema nor of a newer one.
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

    /// Returns the columns that a required table has.
    package static func columns(of table: String) -> [String] { ArchiveTable.named(table).columns.map(\.name) }

    /// Checks that a required table is a plain table without triggers: a view or a virtual table runs code of the
    /// file's author.
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

extension Schema {
    /// Returns `true` if an archive has the context log, which is an extension of ours (`Spec/capture.md`): a plain
    /// table with its columns, none of them generated. Anything else with its name belongs to another program.
    package static func hasContextLog(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let objects = try SchemaObject.all(connection)
        guard objects.contains(where: { $0.name == "context_log" && $0.isPlainTable }) else { return false }
        var info = try connection.prepare("PRAGMA main.table_xinfo(context_log)")
        var found: Set<String> = []
        while try info.step() { if info.integer(6) == 0 { found.insert(info.text(1) ?? "") } }
        return found.isSuperset(of: columns(of: "context_log"))
    }

    /// Returns `true` if an archive has the facts that a capture notes in addition to the schema: it states so, and
    /// opening checked the tables.
    package static func hasCaptureFacts(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try statedVersion(of: .captureFacts, connection) == String(ArchiveExtension.captureFacts.version)
    }

    /// Returns `true` if an archive has a history (`Spec/history.md`), as `hasCaptureFacts`.
    package static func hasHistory(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try statedVersion(of: .history, connection) == String(ArchiveExtension.history.version)
    }

    /// Returns the tables of the extensions that an archive states, and then must have.
    package static func statedTables(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        let facts = try hasCaptureFacts(connection) ? ArchiveExtension.captureFacts.tables : []
        return try facts + (hasHistory(connection) ? ArchiveExtension.history.tables : [])
    }

    /// Returns the version of an extension that an archive states; `nil` if it states none.
    package static func statedVersion(of part: ArchiveExtension, _ connection: borrowing Connection)
        throws(ArchiveError) -> String?
    {
        try connection.text("SELECT value FROM main.archive_metadata WHERE key = '\(part.key)'")
    }

    /// Checks the tables of extensions. Those of the capture facts or of the history are as required as those of the
    /// schema, if the archive states them. The context log is only listed; a reader that finds another table of that
    /// name does without.
    static func checkExtensions(_ objects: [SchemaObject], _ connection: borrowing Connection) throws(ArchiveError) {
        // Only builds that were never released made version 1 (`Spec/decisions/0020`).
        for part in ArchiveExtension.allCases where try statedVersion(of: part, connection) == "1" {
            throw ArchiveError(
                .schema,
                "\(connection.path.display): made by an unreleased build (extension \(part.rawValue) 1)",
                hint: "capture the exports again, oldest first, into a new archive")
        }
        if try hasCaptureFacts(connection) { try check(.captureFacts, objects, connection) }
        if try hasHistory(connection) { try check(.history, objects, connection) }
    }

    private static func check(
        _ part: ArchiveExtension, _ objects: [SchemaObject], _ connection: borrowing Connection
    ) throws(ArchiveError) {
        let path = connection.path.display
        for table in part.tables {
            func refuse(_ what: String) -> ArchiveError { ArchiveError(.schema, "\(path): table \(table) \(what)") }
            if objects.contains(where: { $0.type == "trigger" && $0.tableKey == table }) {
                throw refuse("has a trigger")
            }
            guard let object = objects.first(where: { $0.name == table && $0.type != "trigger" }) else {
                throw refuse("is missing, and the archive states the extension \(part.rawValue)")
            }
            guard object.isPlainTable else { throw refuse("is no plain table") }
            try checkColumns(of: table, columns(of: table), connection)
        }
    }

    /// Throws where an extension cannot be added: tables of its names are another program's, or a newer release made
    /// them.
    package static func checkRoom(for part: ArchiveExtension, _ connection: borrowing Connection) throws(ArchiveError) {
        let path = connection.path.display
        if let stated = try statedVersion(of: part, connection), stated != String(part.version) {
            throw ArchiveError(
                .schema, "\(path): the extension \(part.rawValue) has a version that these tools do not write",
                hint: "use a newer release of the tools")
        }
        let objects = try SchemaObject.all(connection)
        if let taken = objects.first(where: { $0.type != "trigger" && part.tables.contains($0.key) }) {
            throw ArchiveError(
                .schema,
                "\(path): \(taken.display) is there, but the archive does not state the extension "
                    + part.rawValue)
        }
    }
}
