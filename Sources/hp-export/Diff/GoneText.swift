import Answer
import Archive
import Changes
import Exports
import Files
import Measures
import Timestamps
import Tool

/// The records that are no longer visible, one a line, by time.
enum GoneText {
    /// Prints them as they are read, and ends the archive's transaction.
    static func show(_ archive: borrowing Archive, _ scope: Scope, _ call: Call) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        let (words, zone) = (try AnswerWords(call), try archive.timeZone(of: scope.observationID))
        let names = context.typeNames.map { String(decoding: $0, as: UTF8.self) }
        let frame = ObservationTexts(archive, context).frame(
            scope.fromObservationID ?? scope.observationID, scope.observationID)
        var output = try StandardOutput()
        var records = try archive.goneRecords(of: scope, in: context)
        var (gone, replaced) = (0, 0)
        while let record = try records.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            let name = record.type.map { names[$0] } ?? ""
            let cells = [
                moment(record.start, zone), moment(record.end, zone), standing(record),
                AnswerWords.title(name), value(record, of: name),
                words.source(Answer.Source(bundle: record.bundleIdentifier, nameHash: record.sourceNameHash)),
            ]
            try output.write(cells.joined(separator: "  ") + "\n")
            if record.pair == nil { gone += 1 } else { replaced += 1 }
        }
        try output.write(
            "\(AnswerNumbers.text(gone)) gone, \(AnswerNumbers.text(replaced)) replaced: "
                + "records of \(frame.earlier) that \(frame.later) no longer has\n")
        archive.rollBack()
        try archive.checkReading()
        try output.flush()
        return .good
    }

    private static func standing(_ record: GoneRecord) -> String {
        switch record.pair?.kind {
        case nil: "gone    "
        default: "replaced"
        }
    }

    /// Returns a local time.
    private static func moment(_ seconds: Double?, _ zone: TimeZoneRules) -> String {
        let none = "-" + String(repeating: " ", count: 18)
        guard let seconds, seconds.magnitude < 1e12 else { return none }
        let local = seconds + Double(zone.offset(at: Int64(seconds.rounded(.down))))
        guard let text = (try? TimestampText(local))?.string else { return none }
        return String(text.prefix(19)).replacing("T", with: " ")
    }

    private static func value(_ record: GoneRecord, of type: String) -> String {
        if let number = record.number {
            let text = AnswerNumbers.text(number) ?? String(number)
            return text + (record.unit.map { " " + printable($0, limit: 40) } ?? "")
        }
        if let category = record.category {
            return ValueNames.name(of: String(category), in: type) ?? "value \(category)"
        }
        if let activity = record.activity {
            return ValueNames.name(ofActivity: String(activity)) ?? "activity \(activity)"
        }
        return "-"
    }
}
