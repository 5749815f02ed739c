public import Archive
public import CanonicalJSON
internal import Files

/// The rows that an undo removed or restored (`Spec/undo.md`).
public struct UndoReport: Sendable {
    /// `observations.id` of what is gone.
    public let observationID: Int64
    /// The observation with its local date, as notes name it.
    public let label: String
    /// The copy that was made before; it holds what is gone.
    public var backup: ArchiveBackup?
    /// Recorded exports that named the observation, and are gone with it.
    public var exports: [ExportRecord] = []
    /// Rows that are gone, by what they were.
    public var counts = Counts()
    /// `true` if the file was written again. Otherwise it still has its size, with nothing in the place of deleted
    /// rows.
    public var isVacuumed = false

    /// Rows that were taken back.
    public struct Counts: Sendable {
        public var events = 0, relationships = 0, samples = 0, versions = 0
        /// `true` if the device chain began with the observation and was deleted with it.
        public var hasRemovedChain = false
    }

    init(observationID: Int64, label: String) {
        self.observationID = observationID
        self.label = label
    }

    /// The detail of the log entry: canonical JSON.
    var detail: String {
        json(backup: backup.map { Path(bytes: $0.path.name).display }).text
    }

    /// Returns the members that the context log and `--json` share.
    ///
    /// - Parameter name: the name of the backup.
    public func json(backup name: String?) -> JSONObject {
        [
            "backup": name, "backup_sha256": backup?.hash, "events": counts.events, "exports": exports.count,
            "observation_id": observationID, "relationships": counts.relationships, "samples": counts.samples,
            "versions": counts.versions,
        ]
    }
}
