public import Archive
internal import SQLite

/// The log of an archive's events, besides its evidence (`Spec/capture.md`, "Extensions and migrations"). No entry
/// holds a health value or an identifier.
public struct ContextLog: ~Copyable {
    /// The subject of an entry: the text of `context_log.event_kind`.
    public enum Kind: String, Sendable {
        case archiveCreated = "archive_created"
        case archiveReset = "archive_reset"
        case extensionAdded = "extension_added"
        case deviceChainStarted = "device_chain_started"
        case captureStarted = "capture_started"
        case captureResumed = "capture_resumed"
        case captureFinished = "capture_finished"
        case captureFailed = "capture_failed"
        case registryChanged = "registry_changed"
        case permissionChanged = "permission_changed"
        case versionChanged = "version_changed"
        case integrityChecked = "integrity_checked"
        case repaired
        case guardOverridden = "guard_overridden"
        case historySealed = "history_sealed"
        case observationWithdrawn = "observation_withdrawn"
    }

    private var insert: Statement
    private let program: String

    static func open(_ connection: borrowing Connection, program: String) throws(ArchiveError) -> ContextLog {
        ContextLog(
            insert: try connection.prepare(
                "INSERT INTO context_log(logged_at, event_kind, observation_id, "
                    + "tool_version, detail_json) VALUES (?, ?, ?, ?, ?)"), program: program)
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - moment: Unix seconds.
    ///   - detail: canonical JSON of an object.
    public mutating func add(_ kind: Kind, at moment: Double, observationID: Int64?, detail: String)
        throws(ArchiveError)
    {
        let row: [Parameter] = [
            .real(moment), .text(kind.rawValue), Parameter(observationID), .text(program), .text(detail),
        ]
        try insert.run(row, storing: 1)
    }
}

extension Archive {
    /// Returns the context log, ready for entries; the table is added if it is missing.
    public func contextLog(program: String, now: Double) throws(ArchiveError) -> ContextLog {
        if try !Schema.hasContextLog(connection) {
            try writing { () throws(ArchiveError) in _ = try contextLogInPlace(program: program, now: now) }
        }
        return try ContextLog.open(connection, program: program)
    }

    /// Returns the context log as `contextLog` does, all of it in the caller's transaction.
    func contextLogInPlace(program: String, now: Double) throws(ArchiveError) -> ContextLog {
        if try Schema.hasContextLog(connection) { return try ContextLog.open(connection, program: program) }
        try SchemaChange.addition(.contextLog).make(in: self, now: now)
        var log = try ContextLog.open(connection, program: program)
        try log.add(.extensionAdded, at: now, observationID: nil, detail: ArchiveExtension.contextLog.detail)
        return log
    }

    /// Adds the tables of the capture facts where they are missing, in the caller's transaction: the archive has all
    /// of them and says so, in `archive_metadata`, `schema_migrations` and the context log, or none.
    func addCaptureFacts(program: String, now: Double) throws(ArchiveError) {
        guard try !Schema.hasCaptureFacts(connection) else { return }
        try Schema.checkRoom(for: .captureFacts, connection)
        var log = try contextLogInPlace(program: program, now: now)
        let part = ArchiveExtension.captureFacts
        try SchemaChange.addition(part).make(in: self, now: now)
        try log.add(.extensionAdded, at: now, observationID: nil, detail: part.detail)
    }
}

extension ArchiveExtension {
    /// The detail of the entry that says that it was added.
    var detail: String { "{\"name\":\"\(rawValue)\",\"version\":\(version)}" }
}
