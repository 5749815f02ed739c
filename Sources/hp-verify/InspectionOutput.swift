import CanonicalJSON
import Codes
import Files
import Inspection
import Tool

/// How the report of an archive is printed, for people and for machines (`Spec/schemas/verify-archive-result.json`).
struct InspectionOutput {
    let report: InspectionReport
    let path: Path
    let options: InspectionOptions
    /// The tables of the report cache that differ; nil where there is none.
    let cache: [String]?

    /// Verdict, a line per check, findings one a line.
    var text: String {
        var text = "\(path.display): \(verdict)\n"
        for check in report.checks {
            let name = check.check.rawValue
            text += "  \(name)\(String(repeating: " ", count: 12 - name.count))\(Self.word(check.status))"
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
        if report.isPrivateCopy { text += "  \(Self.note)\n" }
        for finding in findings { text += "  \(Self.line(finding))\n" }
        for check in report.checks {
            text += Explanations.rest(check.total, listed: check.findings.count, check.counts)
        }
        text += Explanations.text(of: report.checks.flatMap { $0.counts.keys.sorted() } + changes.map(\.code))
        return text
    }

    private static func word(_ status: CheckReport.Status) -> String {
        status == .notChecked ? "not checked" : StatusWord.verdict(isGood: status == .ok)
    }

    private static let note = "read from a private copy: a log or a journal lies beside the archive"

    private var verdict: String {
        guard report.isGood else { return "invalid: \(report.total) finding\(report.total == 1 ? "" : "s")" }
        let isWhole =
            options.checks == Set(Check.allCases) && options.sample == nil
            && report.checks.allSatisfy { $0.status == .ok }
        return isWhole ? "valid" : "valid, as far as it was checked"
    }

    private var changes: [ArchiveFinding] { report.isChanged ? [ArchiveFinding.changed] : [] }

    private var findings: [ArchiveFinding] { report.checks.flatMap(\.findings) + changes }

    private static func line(_ finding: ArchiveFinding) -> String {
        var places: [String] = []
        if let table = finding.table { places.append(table + (finding.row.map { " row \($0)" } ?? "")) }
        if let column = finding.column { places.append(column) }
        if let expected = finding.expected { places.append("expected \(printable(expected.utf8, limit: 300))") }
        if let found = finding.found { places.append("found \(printable(found.utf8, limit: 300))") }
        return places.isEmpty ? finding.code.rawValue : "\(finding.code.rawValue): \(places.joined(separator: ", "))"
    }

    /// One object.
    var json: JSONObject {
        let counts = report.checks.reduce(into: report.isChanged ? [ArchiveFinding.changed.code: 1] : [:]) {
            counts, check in counts.merge(check.counts, uniquingKeysWith: +)
        }
        return [
            "archive": path.display, "archive_note": report.isPrivateCopy ? Self.note : nil,
            "cache": cache.map { ["differs": $0] as JSONObject }, "checks": report.checks.map(Self.json),
            "counts": counts.isEmpty ? nil : JSONObject(counts.map { ($0.key.rawValue, $0.value) }),
            "findings": findings.lazy.map(Self.json), "result": report.isGood ? "ok" : "findings",
            "sample": options.sample, "verdict": verdict,
        ]
    }

    private static func json(_ check: CheckReport) -> JSONObject {
        [
            "finding_count": check.total, "name": check.check.rawValue,
            "notes": check.notes.isEmpty ? nil : check.notes,
            "reason": check.reason.map { printable($0.utf8, limit: 300) }, "row_count": check.rowCount,
            "status": check.status.rawValue,
        ]
    }

    private static func json(_ finding: ArchiveFinding) -> JSONObject {
        // A row id that a JSON number cannot carry is text.
        let row: (any JSONValue)? = finding.row.map { if $0.magnitude < 1 << 53 { $0 } else { String($0) } }
        return [
            "code": finding.code.rawValue, "column": finding.column, "expected": finding.expected,
            "found": finding.found.map { printable($0.utf8, limit: 300) }, "row": row, "table": finding.table,
        ]
    }
}
