import Answer
import Archive
import Changes
import Files
import Timestamps
import Tool

/// The two observations of an answer, and how the text names them.
struct AnswerPlace {
    /// The names of them in sentences.
    let frame: AnswerFrame
    /// "Export of …, compared with …. Days at UTC+02:00."
    let basis: String
    /// Options that choose the same two observations; empty for the newest and the one before it.
    let options: String
    /// The file of a page.
    let page: String
    /// `true` if only a part of the records is compared.
    let isSelection: Bool
    /// `true` if no observation is before the earlier one.
    let isFirstPair: Bool
    private let standings: DiffStandings

    init(
        _ archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, isNewestPair: Bool
    ) throws {
        let (from, to) = (scope.fromObservationID ?? scope.observationID, scope.observationID)
        let dates = ObservationTexts(archive, context)
        frame = dates.frame(from, to)
        basis = "\(frame.compared) \(dates.days(of: to))"
        options = isNewestPair ? "" : "--from \(from) --to \(to)"
        isSelection = scope.filter != Filter()
        page = "\(try dates.month(of: to)).html"
        isFirstPair = try archive.finishedObservation(before: from) == nil
        // A run can be of an older observation.
        standings = DiffStandings(context, scope) { [frame] id, isPlace in
            [from, to].contains(id)
                ? frame.name(id, isPlace: isPlace)
                : (isPlace ? "in " : "") + "the \(frame.noun) of \(dates.name(id))"
        }
    }

    /// Returns the reasons why the outcome of a type is not known.
    func reasons(_ type: Answer.TypeFacts) -> String {
        standings.doubts(type.identifier, type.reasons).joined(separator: "; ")
    }

    /// Returns the hint by which a person can find it out.
    func hint(_ type: Answer.TypeFacts, _ words: AnswerWords) -> String {
        AnswerDoubts.hint(
            type.reasons, standings.runs(of: type.identifier), noun: frame.noun,
            rejected: words.command("list", "rejected"))
    }
}

/// Names observations by their local dates.
struct ObservationTexts {
    private let days: [Int64: Int64]
    private let rows: [Int64: (trigger: String, zone: String)]
    private let offsets: [Int64: String]

    init(_ archive: borrowing Archive, _ context: ExportContext) {
        var (days, rows, offsets): ([Int64: Int64], [Int64: (String, String)], [Int64: String]) = ([:], [:], [:])
        let table = context.observations
        for row in 0..<table.count {
            let values = table.values(row)
            func text(_ column: ObservationColumn) -> String {
                guard case .text(let range) = values[column.rawValue] else { return "" }
                return printable(table.bytes[range], limit: 40)
            }
            guard case .integer(let id) = values[ObservationColumn.id.rawValue] else { continue }
            rows[id] = (text(.triggerReason), text(.timeZoneIdentifier))
            if let day = try? archive.observationDay(id) { days[id] = day }
            if let rules = try? archive.timeZone(of: id), let day = days[id] {
                offsets[id] = TimeZoneRules.name(ofOffset: rules.offset(at: day * 86_400))
            }
        }
        (self.days, self.rows, self.offsets) = (days, rows, offsets)
    }

    /// Returns `true` if an observation is of an Apple Health export.
    func isExport(_ id: Int64) -> Bool { rows[id]?.trigger == "apple_health_export" }

    /// Returns the day of an observation; its id if it has none.
    func name(_ id: Int64) -> String { days[id].map { AnswerDates.text($0) } ?? "observation \(id)" }

    /// Returns the names of two observations in sentences.
    func frame(_ from: Int64, _ to: Int64) -> AnswerFrame {
        AnswerFrame(areExports: isExport(from) && isExport(to), (from, days[from]), (to, days[to]))
    }

    /// Returns "Days at UTC+02:00."
    func days(of id: Int64) -> String {
        AnswerFrame.days(zone: rows[id]?.zone, offset: offsets[id] ?? "UTC")
    }

    /// Returns "UTC+02:00 all year", or the name of the zone.
    func zone(of id: Int64) throws -> String {
        if let zone = rows[id]?.zone, !zone.isEmpty { return zone }
        return "\(offsets[id] ?? "UTC") all year"
    }

    /// Returns a month as `2026-10`.
    func month(of id: Int64) throws -> String {
        guard let day = days[id] else { return "observation-\(id)" }
        let date = Calendar.date(days: day)
        return "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)"
    }
}
