import Archive
import Files

/// How the sample types stand of which nothing changed: only where it is unknown what is visible, is it uncertain that
/// nothing did.
struct DiffStandings {
    private let context: ExportContext
    private let scope: Scope

    init(_ context: ExportContext, _ scope: Scope) {
        self.context = context
        self.scope = scope
    }

    /// A line for each covered type without a change, by its identifier.
    ///
    /// - Parameter changed: places of the types with changes, in `ExportContext.types`.
    func text(without changed: Set<Int>) -> String {
        let names = context.typeNames
        let hidden = Set(changed.map { names[$0] })
        var table = TextTable([("no change in", false), ("because", false)])
        for row in 0..<context.coverage.count {
            let name = Self.text(.sampleType, row, context.coverage)
            guard !name.isEmpty, !hidden.contains(name) else { continue }
            table.add([printable(name, limit: 60), standing(row)])
        }
        return table.isEmpty ? "" : "\n" + table.text
    }

    private func standing(_ row: Int) -> String {
        var reasons = [doubt(row, context.coverage, at: scope.observationID)]
        if let from = context.fromCoverage {
            reasons.insert(doubt(row, from, at: scope.fromObservationID ?? scope.observationID), at: 0)
        }
        let known = reasons.compactMap { $0 }
        guard known.isEmpty else { return "unknown: " + known.joined(separator: "; ") }
        switch Self.text(.state, row, context.coverage) {
        case Array("verified".utf8): return "verified unchanged"
        case Array("continued".utf8): return "continued unchanged"
        default: return "unchanged"
        }
    }

    /// Why it is unknown what is visible of a type at an observation; nil where it is known.
    private func doubt(_ row: Int, _ coverage: PackedTable, at observation: Int64) -> String? {
        let values = coverage.values(row)
        guard values[CoverageColumn.hasRun.rawValue] == .integer(1) else {
            return "never queried up to observation \(observation)"
        }
        let status = Self.text(.status, row, coverage)
        guard status == Array("completed".utf8) else {
            return "run of observation \(run(values)) \(printable(status, limit: 40))"
        }
        guard Self.text(.state, row, coverage) == Array("unknown".utf8) else { return nil }
        guard values[CoverageColumn.observationID.rawValue] == .integer(observation) else {
            return "not asked at observation \(observation)"
        }
        let codes = Self.text(.discontinuity, row, coverage)
        let withheld = values[CoverageColumn.withheldCount.rawValue] == .null ? "" : " withheld closures"
        let why = codes.isEmpty && withheld.isEmpty ? " not verified" : " \(printable(codes))\(withheld)"
        return "observation \(observation)\(why)"
    }

    private func run(_ values: [PackedValue]) -> String {
        if case .integer(let id) = values[CoverageColumn.observationID.rawValue] { return String(id) }
        return "-"
    }

    private static func text(_ column: CoverageColumn, _ row: Int, _ table: PackedTable) -> [UInt8] {
        switch table.values(row)[column.rawValue] {
        case .text(let range): Array(table.bytes[range])
        default: []
        }
    }
}
