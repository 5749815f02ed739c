import CanonicalJSON
import Codes
import Files
import Inspection
import Tool

/// How the report of an archive is printed, for people and for machines (`Spec/schemas/verify-archive-result.json`).
enum InspectionOutput {
    /// Verdict, a line per check, findings one a line.
    ///
    /// - Parameter cache: the tables of the report cache that differ; nil where there is none.
    static func text(
        _ report: InspectionReport, of path: Path, _ options: InspectionOptions, cache: [String]?
    ) -> [UInt8] {
        var text = "\(path.display): \(verdict(report, options))\n"
        for check in report.checks {
            let name = check.check.rawValue
            text += "  \(name)\(String(repeating: " ", count: 12 - name.count))\(word(check.status))"
            let rows = check.rowCount > 0 ? "  \(check.rowCount) row\(check.rowCount == 1 ? "" : "s")" : ""
            text += check.reason.map { ": \(printable($0.utf8, limit: 300))" } ?? rows
            text += check.total > 0 ? "  \(check.total) finding\(check.total == 1 ? "" : "s")\n" : "\n"
            for note in check.notes { text += "              \(printable(note.utf8, limit: 300))\n" }
        }
        if let cache {
            text +=
                cache.isEmpty
                ? "  the cache beside it agrees\n"
                : "  the cache beside it differs in \(cache.joined(separator: ", ")): hp-export cache rebuilds it\n"
        }
        if report.isPrivateCopy { text += "  \(note)\n" }
        for finding in report.checks.flatMap(\.findings) + changes(report) { text += "  \(line(finding))\n" }
        for check in report.checks where check.total > check.findings.count {
            text +=
                "  \(check.total - check.findings.count) more: "
                + check.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }.joined(
                    separator: ", ")
                + " in all\n"
        }
        text += Explanations.text(of: report.checks.flatMap { $0.counts.keys.sorted() } + changes(report).map(\.code))
        return Array(text.utf8)
    }

    private static func word(_ status: CheckReport.Status) -> String {
        switch status {
        case .ok: StatusWord.good("OK")
        case .failed: StatusWord.bad("FAILED")
        case .notChecked: "not checked"
        }
    }

    private static let note = "read from a private copy: a log or a journal lies beside the archive"

    private static func verdict(_ report: InspectionReport, _ options: InspectionOptions) -> String {
        guard report.isGood else { return "invalid: \(report.total) finding\(report.total == 1 ? "" : "s")" }
        let isWhole =
            options.checks == Set(Check.allCases) && options.sample == nil
            && report.checks.allSatisfy { $0.status == .ok }
        return isWhole ? "valid" : "valid, as far as it was checked"
    }

    private static func changes(_ report: InspectionReport) -> [ArchiveFinding] {
        report.isChanged ? [ArchiveFinding.changed] : []
    }

    private static func line(_ finding: ArchiveFinding) -> String {
        var places: [String] = []
        if let table = finding.table { places.append(table + (finding.row.map { " row \($0)" } ?? "")) }
        if let column = finding.column { places.append(column) }
        if let expected = finding.expected { places.append("expected \(printable(expected.utf8, limit: 300))") }
        if let found = finding.found { places.append("found \(printable(found.utf8, limit: 300))") }
        return places.isEmpty ? finding.code.rawValue : "\(finding.code.rawValue): \(places.joined(separator: ", "))"
    }

    /// One object.
    static func json(
        _ report: InspectionReport, of path: Path, _ options: InspectionOptions, cache: [String]?
    ) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("archive", path.display)
        if report.isPrivateCopy { json.member("archive_note", note) }
        if let cache {
            json.key("cache")
            json.beginObject()
            json.key("differs")
            json.beginArray()
            for table in cache { json.string(table) }
            json.endArray()
            json.endObject()
        }
        json.key("checks")
        json.beginArray()
        for check in report.checks { write(check, to: &json) }
        json.endArray()
        let counts = report.checks.reduce(into: report.isChanged ? [ArchiveFinding.changed.code: 1] : [:]) {
            counts, check in counts.merge(check.counts, uniquingKeysWith: +)
        }
        if !counts.isEmpty {
            json.key("counts")
            json.beginObject()
            for (code, count) in counts.sorted(by: { $0.key < $1.key }) {
                json.member(Key(code.rawValue), Int64(count))
            }
            json.endObject()
        }
        json.key("findings")
        json.beginArray()
        for finding in report.checks.flatMap(\.findings) + changes(report) { write(finding, to: &json) }
        json.endArray()
        json.member("result", report.isGood ? "ok" : "findings")
        json.member("sample", options.sample.map { Int64($0) })
        json.member("verdict", verdict(report, options))
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    private static func write(_ check: CheckReport, to json: inout Writer) {
        json.beginObject()
        json.member("finding_count", Int64(check.total))
        json.member("name", check.check.rawValue)
        if !check.notes.isEmpty {
            json.key("notes")
            json.beginArray()
            for note in check.notes { json.string(note) }
            json.endArray()
        }
        json.member("reason", check.reason.map { printable($0.utf8, limit: 300) })
        json.member("row_count", Int64(check.rowCount))
        json.member("status", check.status.rawValue)
        json.endObject()
    }

    private static func write(_ finding: ArchiveFinding, to json: inout Writer) {
        json.beginObject()
        json.member("code", finding.code.rawValue)
        json.member("column", finding.column)
        json.member("expected", finding.expected)
        json.member("found", finding.found.map { printable($0.utf8, limit: 300) })
        writeRow(finding.row, to: &json)
        json.member("table", finding.table)
        json.endObject()
    }

    /// A row id that a JSON number cannot carry is text.
    private static func writeRow(_ row: Int64?, to json: inout Writer) {
        guard let row else { return }
        if row.magnitude < 1 << 53 { json.member("row", row) } else { json.member("row", String(row)) }
    }
}
