public import CanonicalJSON
internal import Files

/// The parts that can be repaired, in the order of the names.
public enum RepairPart: String, Sendable, CaseIterable {
    /// `observation_type_summaries` and `daily_type_aggregates`, from ranges, versions and events.
    case aggregates
    /// Records of exports that name an observation which is not there: they are removed.
    case exports
    /// `sample_visibility_ranges`, from events.
    case ranges
}

/// The findings of a repair, and the rows that it wrote.
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

    /// The outcome for a table.
    public struct Table: Sendable {
        public let name: String
        public let differences: Differences
        /// The content of the table before.
        public let before: TableContent
        /// The content of the table now; `nil` if nothing was written.
        public internal(set) var after: TableContent?
    }

    /// The parts that were asked for.
    public let parts: Set<RepairPart>
    /// In the order of their names.
    public internal(set) var tables: [Table] = []
    /// Samples whose events cannot be followed; their ranges are left as they are.
    public internal(set) var samplesLeft = 0
    /// Ranges whose `last_seen_at` is left as it is, since facts that it follows from are missing.
    public internal(set) var datesLeft = 0
    /// `true` if the archive's own rules are those that rows were rebuilt by.
    public let statesIdentityRules: Bool
    /// The copy that was made; nil where nothing was written.
    public internal(set) var backup: ArchiveBackup?

    /// Rows that differ, or did.
    public var total: Int { tables.reduce(0) { $0 + $1.differences.total } }

    /// The detail of a repair in the context log: canonical JSON (`Spec/repair.md`, "Context log").
    var detail: String {
        json(backup: backup.map { Path(bytes: $0.path.name).display }).text
    }

    /// Returns the members that the context log and `--json` share.
    ///
    /// - Parameters:
    ///   - name: the name of the backup.
    ///   - result: what became of the repair, for `--json`.
    public func json(backup name: String?, result: String? = nil) -> JSONObject {
        [
            "backup": name, "backup_sha256": backup?.hash, "dates_left": datesLeft,
            "parts": RepairPart.allCases.filter { parts.contains($0) }.map(\.rawValue), "result": result,
            "samples_left": samplesLeft, "states_identity_rules": statesIdentityRules,
            "tables": JSONObject(tables.map { ($0.name, $0.json) }),
        ]
    }
}

extension RepairReport.Table {
    fileprivate var json: JSONObject {
        [
            "added": differences.added, "hash_after": after?.hash, "hash_before": before.hash,
            "removed": differences.removed, "replaced": differences.replaced, "rows_after": after?.rows,
            "rows_before": before.rows,
        ]
    }
}
