public import CanonicalJSON
internal import Files

/// What can be repaired, in the order of the names.
public enum RepairPart: String, Sendable, CaseIterable {
    /// `observation_type_summaries` and `daily_type_aggregates`, from ranges, versions and events.
    case aggregates
    /// Records of exports that name an observation which is not there: they are removed.
    case exports
    /// `sample_visibility_ranges`, from events.
    case ranges
}

/// What a repair found, and what it wrote.
public struct RepairReport: Sendable {
    /// Rows of a table that are not what they should be.
    public struct Differences: Sendable, Equatable {
        /// Rows that are there and say something else.
        public var replaced: Int
        /// Rows that are missing.
        public var added: Int
        /// Rows that should not be there.
        public var removed: Int

        /// All of them.
        public var total: Int { replaced + added + removed }
    }

    /// What became of a table.
    public struct Table: Sendable {
        public let name: String
        public let differences: Differences
        /// What it held before.
        public let before: TableContent
        /// What it holds now; nil where nothing was written.
        public internal(set) var after: TableContent?
    }

    /// What was asked for.
    public let parts: Set<RepairPart>
    /// In the order of their names.
    public internal(set) var tables: [Table] = []
    /// Samples whose events cannot be followed; their ranges are left as they are.
    public internal(set) var samplesLeft = 0
    /// Whether the archive's own rules are those that rows were rebuilt by.
    public let statesIdentityRules: Bool
    /// The copy that was made; nil where nothing was written.
    public internal(set) var backup: ArchiveBackup?

    /// Rows that differ, or did.
    public var total: Int { tables.reduce(0) { $0 + $1.differences.total } }

    /// What the context log holds of a repair: canonical JSON (`Spec/repair.md`, "Context log").
    var detail: String {
        var json = Writer()
        json.beginObject()
        if let backup {
            json.key("backup")
            json.string(Path(bytes: backup.path.name).display)
            json.key("backup_sha256")
            json.string(backup.hash)
        }
        write(to: &json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes the members `parts`, `result` where one is given, `samples_left`, `states_identity_rules` and
    /// `tables` of an object.
    public func write(result: String? = nil, to json: inout Writer) {
        json.key("parts")
        json.beginArray()
        for part in RepairPart.allCases where parts.contains(part) { json.string(part.rawValue) }
        json.endArray()
        if let result {
            json.key("result")
            json.string(result)
        }
        json.member("samples_left", samplesLeft)
        json.member("states_identity_rules", statesIdentityRules)
        json.key("tables")
        json.beginObject()
        for table in tables { table.write(to: &json) }
        json.endObject()
    }
}

extension RepairReport.Table {
    fileprivate func write(to json: inout Writer) {
        json.key(Key(name))
        json.beginObject()
        json.member("added", differences.added)
        json.member("hash_after", after?.hash)
        json.member("hash_before", before.hash)
        json.member("removed", differences.removed)
        json.member("replaced", differences.replaced)
        json.member("rows_after", after?.rows)
        json.member("rows_before", before.rows)
        json.endObject()
    }
}
