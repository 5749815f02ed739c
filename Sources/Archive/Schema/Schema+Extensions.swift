internal import Files
internal import SQLite

extension Schema {
    /// Whether an archive has the context log, which is an extension of ours (`Spec/capture.md`): a plain table with
    /// its columns, none of them generated. Anything else with its name belongs to another program.
    package static func hasContextLog(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let objects = try SchemaObject.all(connection)
        guard objects.contains(where: { $0.name == "context_log" && $0.isPlainTable }) else { return false }
        var info = try connection.prepare("PRAGMA main.table_xinfo(context_log)")
        var found: Set<String> = []
        while try info.step() { if info.integer(6) == 0 { found.insert(info.text(1) ?? "") } }
        return found.isSuperset(of: columns(of: "context_log"))
    }

    /// Whether an archive has what a capture notes beside the schema: it states so, and opening checked the tables.
    package static func hasCaptureFacts(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try statedVersion(of: .captureFacts, connection) == String(ArchiveExtension.captureFacts.version)
    }

    /// Whether an archive has a history (`Spec/history.md`), as `hasCaptureFacts`.
    package static func hasHistory(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try statedVersion(of: .history, connection) == String(ArchiveExtension.history.version)
    }

    /// The tables of the extensions that an archive states, and then must have.
    package static func statedTables(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        let facts = try hasCaptureFacts(connection) ? ArchiveExtension.captureFacts.tables : []
        return try facts + (hasHistory(connection) ? ArchiveExtension.history.tables : [])
    }

    /// The version of an extension that an archive states; nil where it states none.
    package static func statedVersion(of part: ArchiveExtension, _ connection: borrowing Connection)
        throws(ArchiveError) -> String?
    {
        try connection.text("SELECT value FROM main.archive_metadata WHERE key = '\(part.key)'")
    }

    /// A table of the capture facts or of the history is as required as one of the schema, where the archive states
    /// them. The context log is only listed; a reader that finds another table of that name does without.
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
