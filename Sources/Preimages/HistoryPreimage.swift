internal import CanonicalJSON

/// An entry of the history of an archive, whose canonical text is hashed to its link (`Spec/history.md`, "Entries").
public struct HistoryPreimage: Sendable {
    /// Why an entry was made.
    public enum Kind: String, Sendable {
        case observation, sealed, withdrawn
    }

    /// Rows of a table that no entry before covers.
    public struct Rows: Sendable, Equatable {
        public let table: String
        public let count: Int64
        public let hash: Digest

        /// Rows.
        public init(table: String, count: Int64, hash: Digest) {
            self.table = table
            self.count = count
            self.hash = hash
        }
    }

    /// The greatest id of a table.
    public struct LastID: Sendable, Equatable {
        public let table: String
        public let id: Int64

        /// An id of at most 2^53−1 in magnitude.
        public init(table: String, id: Int64) {
            self.table = table
            self.id = id
        }
    }

    public var archive: Digest
    public var kind: Kind
    /// A timestamp.
    public var madeAt: String
    public var observationID: Int64
    public var observationHash: Digest?
    public var previous: Digest?
    public var replaces: Int64?
    /// In the order of the tables' names; those without rows are left out.
    public var rows: [Rows] = []
    public var lastIDs: [LastID] = []
    public var sequence: Int64
    public var toolVersion: String

    /// An entry without rows.
    public init(
        archive: Digest, kind: Kind, madeAt: String, observationID: Int64, sequence: Int64, toolVersion: String
    ) {
        self.archive = archive
        self.kind = kind
        self.madeAt = madeAt
        self.observationID = observationID
        self.sequence = sequence
        self.toolVersion = toolVersion
    }

    /// The canonical text.
    public var text: [UInt8] {
        var json = Writer(capacity: 2048)
        json.beginObject()
        put("archive", archive, &json)
        json.key("kind")
        json.string(kind.rawValue)
        json.key("last_ids")
        json.beginObject()
        for last in lastIDs {
            json.key(Key(last.table))
            json.integer(last.id)
        }
        json.endObject()
        json.key("made_at")
        json.string(madeAt)
        json.key("observation")
        json.beginObject()
        put("hash", observationHash, &json)
        json.key("id")
        json.integer(observationID)
        json.endObject()
        put("previous", previous, &json)
        if let replaces {
            json.key("replaces")
            json.integer(replaces)
        }
        json.key("rows")
        json.beginObject()
        for rows in rows {
            json.key(Key(rows.table))
            json.beginObject()
            json.key("count")
            json.integer(rows.count)
            put("hash", rows.hash, &json)
            json.endObject()
        }
        json.endObject()
        json.key("sequence")
        json.integer(sequence)
        json.key("tool_version")
        json.string(toolVersion)
        json.endObject()
        return json.bytes
    }

    private func put(_ key: Key, _ digest: Digest?, _ json: inout Writer) {
        guard let digest else { return }
        json.key(key)
        json.string(digest.hex)
    }

    /// What the identity of an archive is the hash of, without its prefix.
    public static func archive(deviceChainHash: [UInt8]?, madeAt: String) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        // Another engine's hash may be anything; one that is no UTF-8 counts as none.
        if let deviceChainHash, let text = String(validating: deviceChainHash, as: UTF8.self) {
            json.key("device_chain_hash")
            json.string(text)
        }
        json.key("made_at")
        json.string(madeAt)
        json.endObject()
        return json.bytes
    }
}
