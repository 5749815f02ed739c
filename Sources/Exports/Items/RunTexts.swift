internal import Archive
internal import Bytes

/// The states of each type's runs at the two observations of a comparison, as changes state them (`Spec/changes.md`).
struct RunTexts: Sendable {
    /// By index into the types of the context, in UTF-8; nil where coverage does not say.
    private(set) var before: [[UInt8]?] = []
    private(set) var after: [[UInt8]?] = []

    /// For items that are no changes.
    init() {}

    init(_ context: ExportContext) {
        guard let from = context.fromCoverage else { return }
        let types = TypeNames(context.types)
        let names = (0..<context.types.count).map { types.name($0) }
        before = Self.texts(of: names, in: from)
        after = Self.texts(of: names, in: context.coverage)
    }

    /// Returns the texts of types. A type that coverage has several entries for has none that can be relied on.
    private static func texts(of names: [[UInt8]?], in coverage: PackedTable) -> [[UInt8]?] {
        func texts(_ column: CoverageColumn) -> TypeNames { TypeNames(coverage, column: column.rawValue) }
        let (types, statuses, states) = (texts(.sampleType), texts(.status), texts(.state))
        var rows: [[UInt8]: [Int]] = [:]
        for row in 0..<coverage.count { if let name = types.name(row) { rows[name, default: []].append(row) } }
        return names.map { name in
            guard let name, let found = rows[name], found.count == 1 else { return nil }
            let row = found[0]
            guard coverage.values(row)[CoverageColumn.hasRun.rawValue] == .integer(1) else {
                return Array("never_queried".utf8)
            }
            let (status, unknown) = (statuses.name(row), Array("unknown".utf8))
            return status == Array("completed".utf8) && states.name(row) == unknown ? unknown : status
        }
    }
}
