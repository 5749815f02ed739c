import CanonicalJSON
import Codes
import Files
import Tool
import Verification

/// How reports are printed, for people and for machines (`Spec/schemas/verify-result.json`): each file's when it is
/// there.
struct VerificationOutput: ~Copyable {
    private var output: StandardOutput
    private let isJSON: Bool
    private var count = 0
    /// The worst status of a file.
    private(set) var status = ExitStatus.good
    /// The same for build servers.
    private(set) var report: JUnitReport

    /// Begins on standard output.
    init(isJSON: Bool, suite: String) throws(FileError) {
        output = try StandardOutput()
        self.isJSON = isJSON
        report = JUnitReport(suite: suite)
    }

    /// Prints what was found of a file.
    mutating func add(_ result: VerifiedFile) throws(FileError) {
        if isJSON {
            try output.write(count == 0 ? "{\"files\":[" : ",")
            try output.write(Self.json(result))
        } else if case .verified(let report) = result.outcome {
            try output.write(Self.text(report, of: result.file))
            try output.flush()
        }
        count += 1
        if result.status.number > status.number { status = result.status }
        switch result.outcome {
        case .verified(let report) where report.isGood:
            self.report.add(result.file.display, .passed(report.notVerified.isEmpty ? nil : report.verdict))
        case .verified(let report):
            self.report.add(result.file.display, .failed(counts: report.counts, verdict: report.verdict))
        case .unreadable(let text): report.add(result.file.display, .error(text))
        }
    }

    /// Ends it: everything has arrived.
    mutating func finish() throws(FileError) {
        if isJSON { try output.write("]}\n") }
        try output.flush()
    }

    /// Verdict, layers, findings one a line, and what their codes mean.
    private static func text(_ report: Report, of file: Path) -> [UInt8] {
        var text = "\(file.display): \(report.verdict)\n"
        text += "  " + Layer.allCases.map { "\($0.rawValue) \(word(report.status($0)))" }.joined(separator: "  ") + "\n"
        if let record = report.record, let evidence = report.evidence {
            text += "  archive record \(words(record.rawValue))  evidence \(words(evidence.rawValue))\n"
        }
        if let note = report.archiveNote { text += "  archive \(note)\n" }
        for finding in report.findings { text += "  \(line(finding))\n" }
        let listed = report.findings.count
        if report.total > listed {
            text +=
                "  \(report.total - listed) more: "
                + report.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }
                .joined(separator: ", ")
                + " in all\n"
        }
        text += Explanations.text(of: report.findings.map(\.code) + report.counts.keys.sorted())
        return Array(text.utf8)
    }

    private static func word(_ status: Report.Status) -> String {
        switch status {
        case .ok: StatusWord.good("OK")
        case .failed: StatusWord.bad("FAILED")
        case .unknown: "unknown"
        }
    }

    private static func words(_ name: String) -> String { name.replacing("_", with: " ") }

    private static func line(_ finding: Finding) -> String {
        var places: [String] = []
        if let line = finding.line { places.append("line \(line)") }
        if let frame = finding.frame { places.append("frame \(frame)") }
        if let byte = finding.byte { places.append("byte \(byte)") }
        if let pointer = finding.pointer { places.append(printable(pointer.utf8, limit: 200)) }
        if let expected = finding.expected { places.append("expected \(printable(expected.utf8))") }
        if let found = finding.found { places.append("found \(printable(found.utf8))") }
        return places.isEmpty ? finding.code.rawValue : "\(finding.code.rawValue): \(places.joined(separator: ", "))"
    }

    private static func json(_ result: VerifiedFile) -> [UInt8] {
        var json = Writer()
        switch result.outcome {
        case .verified(let report): write(result, report, to: &json)
        case .unreadable(let text):
            json.beginObject()
            json.member("error", text)
            json.member("file", result.file.display)
            json.member("result", "failed")
            json.endObject()
        }
        return json.bytes
    }

    private static func write(_ result: VerifiedFile, _ report: Report, to json: inout Writer) {
        json.beginObject()
        json.member("archive", result.archive?.display)
        json.member("archive_note", report.archiveNote)
        if report.total > 0 {
            json.key("counts")
            json.beginObject()
            for (code, count) in report.counts.sorted(by: { $0.key < $1.key }) {
                json.member(Key(code.rawValue), count)
            }
            json.endObject()
        }
        json.member("evidence", report.evidence?.rawValue)
        json.member("file", result.file.display)
        json.key("findings")
        json.beginArray()
        for finding in report.findings { write(finding, to: &json) }
        json.endArray()
        json.member("item_count", report.itemCount)
        json.key("layers")
        json.beginObject()
        for layer in Layer.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            json.member(Key(layer.rawValue), report.status(layer).rawValue)
        }
        json.endObject()
        json.key("not_verified")
        json.beginArray()
        for part in report.notVerified { json.string(part.rawValue) }
        json.endArray()
        json.member("record", report.record?.rawValue)
        json.member("result", report.isGood ? "ok" : "findings")
        json.member("verdict", report.verdict)
        json.endObject()
    }

    private static func write(_ finding: Finding, to json: inout Writer) {
        json.beginObject()
        json.member("byte", finding.byte.map { Int($0) })
        json.member("code", finding.code.rawValue)
        json.member("expected", finding.expected)
        json.member("found", finding.found)
        json.member("frame", finding.frame)
        json.member("line", finding.line)
        json.member("pointer", finding.pointer)
        json.endObject()
    }
}
