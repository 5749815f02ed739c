internal import Bytes
public import Files
internal import SQLite

/// A file whose export is recorded and which still has its temporary name: whoever finds this after a crash gives
/// the file its name.
public struct PublishIntent: Sendable {
    /// The key in `archive_metadata`.
    let key: String
    /// The name that the file has.
    public let temporary: Path
    /// The name that it is to have.
    public let destination: Path
    /// `true` if an existing file is to be replaced.
    public let isReplacing: Bool

    /// Returns the beginning of the keys of an export's intents.
    static func prefix(ofExport exportID: String) -> String { "publish_intent:\(exportID):" }

    /// An intent for an export.
    public init(exportID: String, temporary: Path, destination: Path, isReplacing: Bool) {
        key = Self.prefix(ofExport: exportID) + Hexadecimal.text(temporary.name)
        self.temporary = temporary
        self.destination = destination
        self.isReplacing = isReplacing
    }

    /// Two names in hex, since names need not be text, and the mode.
    var value: String {
        let names = "\(Hexadecimal.text(temporary.bytes)) \(Hexadecimal.text(destination.bytes))"
        return "\(names) \(isReplacing ? "replace" : "new")"
    }

    fileprivate init?(key: String, value: String) {
        let parts = value.split(separator: " ")
        guard parts.count == 3, let temporary = Path(hexadecimal: parts[0]),
            let destination = Path(hexadecimal: parts[1])
        else { return nil }
        self.key = key
        self.temporary = temporary
        self.destination = destination
        isReplacing = parts[2] == "replace"
    }
}

extension Archive {
    /// Returns the intents of processes that ended between the commit and the renaming.
    public func publishIntents() throws(ArchiveError) -> [PublishIntent] {
        var statement = try connection.prepare(
            "SELECT key, value FROM archive_metadata "
                + "WHERE key >= 'publish_intent:' AND key < 'publish_intent;' ORDER BY key")
        var intents: [PublishIntent] = []
        while try statement.step() {
            if let intent = PublishIntent(key: statement.text(0) ?? "", value: statement.text(1) ?? "") {
                intents.append(intent)
            }
        }
        return intents
    }

    /// Returns `true` if it is certain that a commit that failed did not record an intent.
    ///
    /// A failed commit may have written everything all the same: a journal that is removed in a folder that is not
    /// synchronized, or frames of a log that the next process to open the archive takes for committed. So what a
    /// log holds beyond the last commit is thrown away first.
    public func isWithout(_ intent: PublishIntent) -> Bool {
        rollBack()
        do throws(ArchiveError) {
            if try connection.text("PRAGMA journal_mode") == "wal",
                try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0
            {
                return false
            }
            return try connection.integer("SELECT count(*) FROM archive_metadata WHERE key = ?1", [.text(intent.key)])
                == 0
        } catch {
            return false
        }
    }

    /// Forgets an intent that is fulfilled.
    public func drop(_ intent: PublishIntent) throws(ArchiveError) {
        var statement = try connection.prepare("DELETE FROM archive_metadata WHERE key = ?1")
        try statement.run([.text(intent.key)])
    }

    /// Forgets what is left to be done for exports, in the caller's transaction: their records are removed.
    package func dropIntents(ofExports exportIDs: [String]) throws(ArchiveError) {
        var statement = try connection.prepare(
            "DELETE FROM main.archive_metadata WHERE substr(key, 1, length(?1)) = ?1")
        for id in exportIDs { try statement.run([.text(PublishIntent.prefix(ofExport: id))]) }
    }

    /// Forgets intents of which nothing is left to be done, in one transaction.
    public func drop(_ intents: [PublishIntent]) throws(ArchiveError) {
        guard !intents.isEmpty else { return }
        try writing { () throws(ArchiveError) in
            for intent in intents { try drop(intent) }
        }
    }
}

extension Path {
    fileprivate init?(hexadecimal text: Substring) {
        guard let bytes = Hexadecimal.bytes(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }
}
