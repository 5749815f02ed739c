import Archive
import Changes
import Files

/// How the sample types stand of which nothing changed: only where it is unknown what is visible, is it uncertain that
/// nothing did. The words say what the comparison found, with the observations that it rests on.
struct DiffStandings {
    private let context: ExportContext
    private let scope: Scope
    /// By place in `ExportContext.types`.
    private var found: [Int: (standing: Comparison.Standing, reasons: [Comparison.Reason])] = [:]

    /// What an observation is called, after "at" and elsewhere.
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

    /// A line for each covered type without a change, by its identifier.
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
        let reasons = doubts(row, found.reasons)
        guard reasons.isEmpty else { return "unknown: " + reasons.joined(separator: "; ") }
        let text =
            switch found.standing {
            case .verified: "verified unchanged"
            case .continued: "continued unchanged"
            default: "unchanged"
            }
        guard case .integer(let rejected) = context.coverage.values(row)[CoverageColumn.rejectedCount.rawValue] else {
            return text
        }
        return "\(text); the same \(rejected) record\(rejected == 1 ? "" : "s") could not be stored"
    }

    /// Why it is not known what became of a type, by its identifier.
    func doubts(_ identifier: String, _ reasons: [Comparison.Reason]) -> [String] {
        doubts(row(of: identifier), reasons)
    }

    /// Why its run leaves a type unknown, in the words of the archive.
    func discontinuities(_ identifier: String) -> [String] {
        guard let row = row(of: identifier) else { return [] }
        let words = [context.coverage, context.fromCoverage].compactMap { $0 }.flatMap { coverage in
            Self.text(.discontinuity, row, coverage).split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return words
    }

    /// The row of a type in the coverage; `nil` if it has none.
    private func row(of identifier: String) -> Int? {
        let name = Array(identifier.utf8)
        return (0..<context.coverage.count).first { Self.text(.sampleType, $0, context.coverage) == name }
    }

    private func doubts(_ row: Int?, _ reasons: [Comparison.Reason]) -> [String] {
        let (from, to) = (scope.fromObservationID ?? scope.observationID, scope.observationID)
        return reasons.map { reason in
            switch reason {
            case .fromNeverQueried: "never queried up to \(name(from, false))"
            case .toNeverQueried: "never queried up to \(name(to, false))"
            case .fromRunNotCompleted, .fromStateUnknown:
                row.map { doubt($0, context.fromCoverage ?? context.coverage, at: from) }
                    ?? "not known \(name(from, true))"
            case .toRunNotCompleted, .toStateUnknown:
                row.map { doubt($0, context.coverage, at: to) } ?? "not known \(name(to, true))"
            case .rejectedRecordsDiffer:
                "the records that could not be stored \(name(from, true)) and \(name(to, true)) differ"
            default: reason.rawValue.replacing("_", with: " ")
            }
        }
    }

    /// Why it is unknown what is visible of a type at an observation.
    private func doubt(_ row: Int, _ coverage: PackedTable, at observation: Int64) -> String {
        let values = coverage.values(row)
        let status = Self.text(.status, row, coverage)
        guard status == Array("completed".utf8) else {
            return "run of \(run(values)) \(printable(status, limit: 40))"
        }
        guard values[CoverageColumn.observationID.rawValue] == .integer(observation) else {
            return "not asked \(name(observation, true))"
        }
        var words = Self.text(.discontinuity, row, coverage).split(separator: UInt8(ascii: " ")).map {
            let word = String(decoding: $0, as: UTF8.self)
            return Self.words[word] ?? printable($0)
        }
        if values[CoverageColumn.withheldCount.rawValue] != .null { words.append("withheld closures") }
        return "\(name(observation, false)): " + (words.isEmpty ? "not verified" : words.joined(separator: ", "))
    }

    /// Why a run leaves a type unknown, in words.
    private static let words = [
        "anchor_broken": "its anchor is not that of the run before", "clock_backwards": "the clock ran backwards",
        "conflicts": "records contradict each other", "count_differs": "the client stated another count",
        "files_missing": "files that it names were not there", "no_anchor": "no anchor links it to the run before",
        "rejected_records": "other records were rejected than before",
    ]

    private func run(_ values: [PackedValue]) -> String {
        if case .integer(let id) = values[CoverageColumn.observationID.rawValue] { return name(id, false) }
        return "observation -"
    }

    private static func text(_ column: CoverageColumn, _ row: Int, _ table: PackedTable) -> [UInt8] {
        switch table.values(row)[column.rawValue] {
        case .text(let range): Array(table.bytes[range])
        default: []
        }
    }
}
