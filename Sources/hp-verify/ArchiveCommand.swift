import Archive
import CanonicalJSON
import Codes
import Files
import Inspection
import ReportCache
import Tool

/// `hp-verify archive`.
enum ArchiveCommand {
    static let command = Tool.Command(
        "archive", "check an archive's integrity, from the file's pages to its recorded exports",
        about: [
            .text("Checks an archive's integrity. The archive is only read. The checks:"),
            .terms([
                Tool.Term("sqlite", "the file's pages, b-trees and indexes"),
                Tool.Term("schema", "tables, columns, keys and indexes beside those of the specification"),
                Tool.Term("references", "ids that name rows which do not exist"),
                Tool.Term("values", "storage classes, texts, dates, counts, words"),
                Tool.Term("manifests", "recorded exports: hashes, counts, questions"),
                Tool.Term("evidence", "what events, runs and the context log say twice"),
                Tool.Term("ranges", "visibility ranges, recomputed from events"),
                Tool.Term("identities", "identities and rows that occur twice; content hashes, recomputed"),
                Tool.Term("aggregates", "summaries and daily buckets, recomputed from ranges"),
                Tool.Term("exports", "recorded exports, recomputed"),
                Tool.Term("history", "entries of the history, recomputed"),
            ]),
        ],
        options: [
            Tool.Option("--head", .file(), "compare with a head of the history that was kept, or its statement"),
            Tool.Option("--only", .words("C,...", of: names), isRepeatable: true, "only these checks"),
            Tool.Option("--skip", .words("C,...", of: names), isRepeatable: true, "all checks but these"),
            Tool.Option(
                "--sample", .number("N", in: 1...1_000_000_000),
                "check N rows of a table, and N exports, where a check goes row by row; the same N every time"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("findings of a check"), VerifyOptions.json,
            VerifyOptions.quiet, Progress.option,
        ], example: "archive.sqlite --skip exports", exitStatus: VerifyOptions.exitStatus, run: run)

    private static let names = Check.allCases.map(\.rawValue)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, options) = (call.archive, try options(arguments))
        var junit = try JUnitFile.begin(arguments, apart: Archive.ownFiles(of: path))
        let archive = try call.open()
        let progress = try call.begin("rows")
        let report = try ArchiveInspection.run(archive, options) { progress.add($0) }
        progress.end()
        if let signal = Signals.first { return .stopped(by: signal) }
        let cache = report.isMalformed ? nil : try? ReportCache.differences(from: archive)
        let output = InspectionOutput(report: report, path: path, options: options, cache: cache ?? nil)
        let status = try call.show(output.text, json: output.json, isGood: report.isGood)
        try junit?.publish(JUnitReport(report, of: path))
        return status
    }

    private static func options(_ arguments: Arguments) throws -> InspectionOptions {
        var options = InspectionOptions()
        if let only = try checks("--only", arguments) { options.checks = only }
        if let skipped = try checks("--skip", arguments) { options.checks.subtract(skipped) }
        guard !options.checks.isEmpty else { throw UsageError("no check is left") }
        options.head = try head(arguments)
        options.sample = try arguments.integer("--sample")
        if options.head != nil {
            guard options.sample == nil else { throw UsageError("--head compares everything: leave --sample out") }
            options.checks.formUnion(InspectionOptions.checksOfHead)
        }
        if let limit = try arguments.integer("--max-findings") { options.findingLimit = limit }
        return options
    }

    private static func head(_ arguments: Arguments) throws -> HistoryHead? {
        guard let path = try arguments.path("--head") else { return nil }
        let file = try Descriptor.reading(path)
        var bytes = [UInt8](repeating: 0, count: 4097)
        let count = try file.read(into: &bytes)
        guard let head = HistoryHead(Array(bytes.prefix(count))) else {
            throw UsageError("\(path.display): no head, which has the lines archive, length and link")
        }
        return head
    }

    private static func checks(_ option: String, _ arguments: Arguments) throws(UsageError) -> Set<Check>? {
        try arguments.words(option).map { Set($0.compactMap(Check.init)) }
    }
}

/// The printed report of an archive, for people and for machines (`Spec/schemas/verify-archive-result.json`).
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
