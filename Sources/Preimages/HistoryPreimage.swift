internal import CanonicalJSON

/// An entry of the history of an archive, whose canonical text is hashed to its link (`Spec/history.md`, "Entries").
public struct HistoryPreimage: Sendable {
    /// Why an entry was made.
    public enum Kind: String, Sendable {
        case observation, sealed, withdrawn
    }

    /// The commitment to rows of a table.
    public struct Rows: Sendable, Equatable {
        public let table: String
        public let count: Int64
        public let hash: Digest

        /// A commitment to `count` rows.
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

    /// `entry_version`.
    public static let version: Int64 = 2

    public var archive: Digest
    public var kind: Kind
    /// A timestamp.
    public var madeAt: String
    public var observationID: Int64
    public var observationHash: Digest
    /// `true` if the archive had the list of selected types; always `false` of `withdrawn`.
    public var listsTypes = false
    /// `true` if the archive stated the extension `capture_facts`; always `false` of `withdrawn`.
    public var statesFacts = false
    public var previous: Digest?
    /// In the order of the tables' names; tables without rows are left out.
    public var rows: [Rows] = []
    public var lastIDs: [LastID] = []
    public var sequence: Int64
    public var toolVersion: String

    /// An entry without rows.
    public init(
        archive: Digest, kind: Kind, madeAt: String, observationID: Int64, observationHash: Digest, sequence: Int64,
        toolVersion: String
    ) {
        self.archive = archive
        self.kind = kind
        self.madeAt = madeAt
        self.observationID = observationID
        self.observationHash = observationHash
        self.sequence = sequence
        self.toolVersion = toolVersion
    }

    /// Returns the greatest id that the entry states of a table; `nil` if it states none.
    public func lastID(of table: String) -> Int64? { lastIDs.first { $0.table == table }?.id }

    /// The canonical text.
    public var text: [UInt8] {
        var json = Writer(capacity: 2048)
        json.beginObject()
        json.member("archive", archive.hex)
        json.member("entry_version", Self.version)
        json.member("kind", kind.rawValue)
        json.key("last_ids")
        json.beginObject()
        for last in lastIDs { json.member(Key(last.table), last.id) }
        json.endObject()
        json.member("made_at", madeAt)
        json.key("observation")
        json.beginObject()
        json.member("hash", observationHash.hex)
        json.member("id", observationID)
        if kind != .withdrawn {
            json.member("lists_types", listsTypes)
            json.member("states_facts", statesFacts)
        }
        json.endObject()
        json.member("previous", previous?.hex)
        json.key("rows")
        json.beginObject()
        for rows in rows {
            json.key(Key(rows.table))
            json.beginObject()
            json.member("count", rows.count)
            json.member("hash", rows.hash.hex)
            json.endObject()
        }
        json.endObject()
        json.member("sequence", sequence)
        json.member("tool_version", toolVersion)
        json.endObject()
        return json.bytes
    }

    /// Returns what the identity of an archive is the hash of, without its prefix.
    ///
    /// - Parameters:
    ///   - salt: 64 hex digits.
    ///   - madeAt: that of the first entry.
    public static func archive(salt: String, madeAt: String) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("made_at", madeAt)
        json.member("salt", salt)
        json.endObject()
        return json.bytes
    }
}
