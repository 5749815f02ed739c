public import Archive

/// Inspection: whether what an archive holds is what it should be (`Spec/archive-verification.md`).
///
///     ArchiveInspection ─► two workers, a reader each ─► checks ─► CheckLog ─► InspectionReport
///
/// | check | looks at | file |
/// |---|---|---|
/// | `sqlite` | the file's b-trees | `SQLiteCheck` |
/// | `schema` | the shape of tables and indexes | `SchemaCheck` |
/// | `references` | ids that lead nowhere | `ReferenceCheck` |
/// | `values` | each value and row by itself | `ValueCheck`, `ValueRules` |
/// | `manifests` | what exports recorded | `ManifestCheck` |
/// | `evidence` | columns that say the same thing twice | `EvidenceCheck` |
/// | `ranges` | visibility ranges, recomputed from events | `RangeCheck`, `RebuiltRanges` |
/// | `identities` | identities that occur twice, hashes | `IdentityCheck`, `HashCheck` |
/// | `aggregates` | summaries and buckets, recomputed from ranges | `AggregateCheck` |
/// | `exports` | recorded exports, recomputed | `ExportCheck` |
/// | `history` | entries of the history, recomputed | `HistoryCheck` |
///
/// It only reads, and computes sums, days and ranges in ways of its own (`ExpansionSum`, `ZoneDays`,
/// `RebuiltRanges`): a check that used the rules of what captures would agree with its mistakes. What both have in
/// common is how canonical text is written, dates included (`Spec/archive-verification.md` says what watches over
/// that).

/// What to look at.
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
}

/// What was found of an archive.
public struct InspectionReport: Sendable {
    /// In the order of `Check`, those that were asked for.
    public internal(set) var checks: [CheckReport] = []
    /// Whether the archive changed while it was read.
    public internal(set) var isChanged = false
    /// Whether a private copy was read because a log or a journal lies beside the archive.
    public internal(set) var isPrivateCopy = false

    /// Findings in all.
    public var total: Int { checks.reduce(isChanged ? 1 : 0) { $0 + $1.total } }
    /// Whether nothing was found. A check that could not be made here for want of what it needs is no finding.
    public var isGood: Bool { total == 0 }
}
