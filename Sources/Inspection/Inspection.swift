public import Archive
internal import Codes

/// Inspection: whether what an archive holds is what it should be (`Spec/archive-verification.md`).
///
///     ArchiveInspection ─► two workers, a reader each ─► checks ─► CheckLog ─► InspectionReport
///
/// | check | looks at | types |
/// |---|---|---|
/// | `sqlite` | the file's b-trees | `SQLiteCheck` |
/// | `schema` | the shape of tables and indexes | `SchemaCheck` |
/// | `references` | ids that lead nowhere | `ReferenceCheck` |
/// | `values` | each value and row by itself | `ValueCheck`, with `RowWalk` |
/// | `manifests` | what exports recorded | `ManifestCheck` |
/// | `evidence` | columns that say the same thing twice | `EvidenceCheck`, `EventPass`, `BeginningCheck`, |
/// | | | `StatusCheck`, `ContextEntries`, `CaptureFactsCheck`, `TypeSetCheck` |
/// | `ranges` | visibility ranges, derived from events | `RangeCheck` |
/// | `identities` | identities that occur twice, hashes | `IdentityCheck`, `HashCheck` |
/// | `aggregates` | summaries and buckets, derived from ranges | `AggregateCheck`, `StateCheck` |
/// | `exports` | recorded exports, recomputed | `ExportCheck` |
/// | `history` | entries of the history, recomputed | `HistoryCheck` |
///
/// It only reads. Ranges, days, aggregates and the preimages of hashes are derived by `Derivation` and `Preimages`,
/// with which captures and repairs make what is stored: a check finds what was changed since. `Tests/reference` finds
/// the mistakes that both sides share (`Spec/archive-verification.md`).

/// The options of an inspection.
public struct InspectionOptions: Sendable {
    /// The checks that are made.
    public var checks = Set(Check.allCases)
    /// So many rows of a table, and exports, are looked at where a check goes row by row; nil for all.
    public var sample: Int?
    /// A head of the history that was kept elsewhere.
    public var head: HistoryHead?
    /// Most findings that a check lists; more are counted.
    public var findingLimit = 1000

    /// Everything.
    public init() {}

    /// The checks that must hold before an archive is said to extend a head. The entries commit to what exports read
    /// only if indexes, references and ranges are right.
    public static let checksOfHead: Set<Check> = [.sqlite, .schema, .references, .ranges, .history]
}

/// The findings of the inspection of an archive.
public struct InspectionReport: Sendable {
    /// In the order of `Check`, those that were asked for.
    public internal(set) var checks: [CheckReport] = []
    /// `true` if the archive changed while it was read.
    public internal(set) var isChanged = false
    /// `true` if a private copy was read because the archive has a log or a journal next to it.
    public internal(set) var isPrivateCopy = false

    /// Answers to a head, in the notes of the check `history`: *extends* if nothing was found and each check that it
    /// needs was made, else a finding or, beside others, a note.
    ///
    /// - Parameter isOurs: whether captures accept the schema. Else a column may compare texts in another way.
    mutating func answerHead(isOurs: Bool) {
        guard let place = checks.firstIndex(where: { $0.check == .history }) else { return }
        let open = InspectionOptions.checksOfHead.filter { needed in
            !checks.contains { $0.check == needed && $0.status == .ok }
        }
        if total > 0 {
            checks[place].notes.append("with findings, the archive is not said to extend the head")
        } else if open.isEmpty, isOurs, let more = checks[place].entriesSinceHead {
            checks[place].notes.append("extends the head by \(more) \(more == 1 ? "entry" : "entries")")
        } else {
            let names = open.map(\.rawValue).sorted().joined(separator: ", ")
            checks[place].counts[.historyUnanswered] = 1
            checks[place].findings.append(
                ArchiveFinding(
                    code: .historyUnanswered, table: nil, row: nil, column: nil,
                    expected: "each check that a head needs",
                    found: isOurs
                        ? "not made, or not whole: \(names)" : "a schema that captures refuse"))
        }
    }

    /// Findings in all.
    public var total: Int { checks.reduce(isChanged ? 1 : 0) { $0 + $1.total } }
    /// `true` if nothing was found. A check is no finding if it could not be made here for want of its needs.
    public var isGood: Bool { total == 0 }
}

extension InspectionReport {
    /// Checks without which nothing else can be trusted.
    private static let foundations: Set<Check> = [.sqlite, .schema, .references]
    /// The beginnings of those lines of `PRAGMA integrity_check` that are about rows, not about pages. Their texts are
    /// those of SQLite.
    private static let ofRows = [
        "row ", "wrong # of entries in index ", "non-unique entry in index ", "NULL value in ",
        "CHECK constraint failed in ", "TEXT value in ", "NUMERIC value in ", "non-INT value in ",
    ]

    /// The checks that make the archive degraded: they found something. One that could not be made to its end and
    /// found nothing says nothing against the archive; where SQLite cannot read it, that is a finding.
    public var degrading: [Check] {
        checks.filter { Self.foundations.contains($0.check) && $0.total > 0 }.map(\.check)
    }

    /// `true` if pages of the file are malformed, or a log next to it is not used by SQLite: then nothing may be
    /// written to it.
    public var isMalformed: Bool {
        checks.contains { check in
            guard check.counts[.sqliteUnreadable] == nil, check.counts[.sqliteLog] == nil else { return true }
            let lines = check.findings.filter { $0.code == .sqliteIntegrity }
            // Lines that are not listed may say anything.
            return lines.count < check.counts[.sqliteIntegrity] ?? 0
                || lines.contains { line in !Self.ofRows.contains { line.found?.hasPrefix($0) ?? false } }
        }
    }
}
