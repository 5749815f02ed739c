import Answer
import Archive
import Changes
import Files

/// The standings of sample types without changes. Only if it is unknown what is visible is it uncertain that nothing
/// changed. The words state the findings of the comparison, with the observations that it rests on.
struct DiffStandings {
    private let context: ExportContext
    private let scope: Scope
    /// By place in `ExportContext.types`.
    private var found: [Int: (standing: Comparison.Standing, reasons: [Comparison.Reason])] = [:]

    /// Names an observation, after "at" and elsewhere.
    private let name: (_ id: Int64, _ isPlace: Bool) -> String

    init(
        _ context: ExportContext, _ scope: Scope,
        name: @escaping (_ id: Int64, _ isPlace: Bool) -> String = { id, isPlace in
            (isPlace ? "at " : "") + "observation \(id)"
        }
    ) {
        self.context = context
        self.scope = scope
        self.name = name
    }

    mutating func add(_ standing: Comparison.Standing, _ reasons: [Comparison.Reason], of type: Int) {
        found[type] = (standing, reasons)
    }

    /// Returns a line for each covered type without a change, by its identifier.
    ///
    /// - Parameter changed: places of the types with changes, in `ExportContext.types`.
    func text(without changed: Set<Int>) -> String {
        let names = context.typeNames
        let places = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var table = TextTable([("no change in", false), ("because", false)])
        for row in 0..<context.coverage.count {
            let name = Self.text(.sampleType, row, context.coverage)
            let place = places[name]
            guard !name.isEmpty, !(place.map { changed.contains($0) } ?? false) else { continue }
            table.add([printable(name, limit: 60), standing(row, place.flatMap { found[$0] })])
        }
        // Named by the filter, and not known at either observation.
        let never = [scope.fromObservationID, scope.observationID].compactMap { $0 }
            .map { "never queried up to observation \($0)" }
        for name in context.unknownTypes {
            table.add([printable(name.utf8, limit: 60), "unknown: " + never.joined(separator: "; ")])
        }
        return table.isEmpty ? "" : "\n" + table.text
    }

    private func standing(_ row: Int, _ found: (standing: Comparison.Standing, reasons: [Comparison.Reason])?) -> String
    {
        let (from, to) = (scope.fromObservationID ?? scope.observationID, scope.observationID)
        guard let found else {
            return "unknown: never queried up to observation \(from); never queried up to observation \(to)"
        }
        let reasons = doubts.texts(found.reasons.map(\.rawValue), runs(row))
        guard reasons.isEmpty else { return "unknown: " + reasons.joined(separator: "; ") }
        let text =
            switch found.standing {
            case .verified: "verified unchanged"
            case .continued: "continued unchanged"
            default: "unchanged, not stated that every record was read"
            }
        guard case .integer(let rejected) = context.coverage.values(row)[CoverageColumn.rejectedCount.rawValue] else {
            return text
        }
        return "\(text); the same \(AnswerNumbers.records(Int(rejected))) \(rejected == 1 ? "was" : "were") rejected"
    }

    /// Returns the reasons why the outcome of a type is not known, by its identifier.
    func doubts(_ identifier: String, _ reasons: [String]) -> [String] {
        doubts.texts(reasons, runs(row(of: identifier)))
    }

    /// Returns the runs of a type, by its identifier.
    func runs(of identifier: String) -> (from: AnswerDoubts.Run?, to: AnswerDoubts.Run?) { runs(row(of: identifier)) }

    /// Returns the row of a type in the coverage; `nil` if it has none.
    private func row(of identifier: String) -> Int? {
        let name = Array(identifier.utf8)
        return (0..<context.coverage.count).first { Self.text(.sampleType, $0, context.coverage) == name }
    }

    private var doubts: AnswerDoubts {
        AnswerDoubts(
            from: scope.fromObservationID ?? scope.observationID, to: scope.observationID, name: name,
            stored: { printable($0.utf8, limit: 40) })
    }

    private func runs(_ row: Int?) -> (from: AnswerDoubts.Run?, to: AnswerDoubts.Run?) {
        guard let row else { return (nil, nil) }
        return (run(row, context.fromCoverage ?? context.coverage), run(row, context.coverage))
    }

    private func run(_ row: Int, _ coverage: PackedTable) -> AnswerDoubts.Run {
        let values = coverage.values(row)
        var observation: Int64?
        if case .integer(let id) = values[CoverageColumn.observationID.rawValue] { observation = id }
        let words = Self.text(.discontinuity, row, coverage).split(separator: UInt8(ascii: " "))
        return AnswerDoubts.Run(
            status: String(decoding: Self.text(.status, row, coverage), as: UTF8.self), observation: observation,
            discontinuities: words.map { String(decoding: $0, as: UTF8.self) },
            hasWithheld: values[CoverageColumn.withheldCount.rawValue] != .null)
    }

    private static func text(_ column: CoverageColumn, _ row: Int, _ table: PackedTable) -> [UInt8] {
        switch table.values(row)[column.rawValue] {
        case .text(let range): Array(table.bytes[range])
        default: []
        }
    }
}
