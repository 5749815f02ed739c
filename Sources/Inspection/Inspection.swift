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
/// | `ranges` | visibility ranges, recomputed from events | `RangeCheck`, `RebuiltRanges` |
/// | `identities` | identities that occur twice, hashes | `IdentityCheck`, `HashCheck` |
/// | `aggregates` | summaries and buckets, recomputed from ranges | `AggregateCheck` |
/// | `exports` | recorded exports, recomputed | `ExportCheck` |
///
/// It only reads, and computes sums, days and ranges in ways of its own (`ExpansionSum`, `ZoneDays`, `RebuiltRanges`): a
/// check that used the rules of what captures would agree with its mistakes. What both have in common is how canonical
/// text is written, dates included (`Spec/archive-verification.md` says what watches over that).
public enum Check: String, CaseIterable, Sendable {
    case sqlite, schema, references, values, manifests, ranges, identities, aggregates, exports
}
