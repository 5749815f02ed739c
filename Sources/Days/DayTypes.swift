internal import Archive
internal import Bytes
internal import Measures

/// The measure of an item (`Spec/days.md`, "Records"), in the order of the words.
public enum DayMeasure: String, Comparable, Sendable {
    case activitySummary = "activity_summary"
    case category, cumulative, discrete, event, nap, night, workout

    public static func < (left: DayMeasure, right: DayMeasure) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

/// The measures of an archive's sample types, by their ranks: 0 without an identifier, then in the order of the
/// identifiers.
struct DayTypes {
    struct DayType {
        let measure: Measure
        let kind: DayMeasure
        let isSleep: Bool
        /// Fraction digits of its amounts.
        let digits: Int
        /// `true` if the type was read to its end.
        var isComplete = false
    }

    private(set) var types: [DayType]

    private static let sleep = Array("HKCategoryTypeIdentifierSleepAnalysis".utf8)

    init(_ context: ExportContext) {
        let unnamed = DayType(measure: .unknown, kind: .event, isSleep: false, digits: 6, isComplete: true)
        types = [unnamed] + context.typeNames.map(Self.type)
        for row in 0..<context.coverage.count {
            let rank = context.typeIndex(context.coverageTypeIDs[row]).map { $0 + 1 } ?? 0
            let isComplete = Self.isComplete(context.coverage, row)
            types[rank].isComplete = rank == 0 ? types[0].isComplete && isComplete : isComplete
        }
    }

    private static func type(_ name: [UInt8]) -> DayType {
        let measure = Measure(of: name)
        let kind: DayMeasure =
            switch measure.kind {
            case _ where measure.isDated: .activitySummary
            case .cumulative: .cumulative
            case .discrete: .discrete
            case .category: .category
            case .workout: .workout
            case .event: .event
            }
        return DayType(
            measure: measure, kind: kind, isSleep: name == sleep, digits: DecimalAmount.digits(ofUnit: measure.unit))
    }

    /// Returns `true` if a row of the coverage states that its type was read to its end.
    private static func isComplete(_ coverage: PackedTable, _ row: Int) -> Bool {
        let values = coverage.values(row)
        func text(_ column: CoverageColumn) -> String? {
            guard case .text(let range) = values[column.rawValue] else { return nil }
            return String(decoding: coverage.bytes[range], as: UTF8.self)
        }
        guard values[CoverageColumn.hasRun.rawValue] == .integer(1) else { return false }
        guard let state = text(.state) else { return text(.status) == "completed" }
        return state == "verified" || state == "continued"
    }
}
