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
            try output.write(Self.json(result).bytes)
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
    private static func text(_ report: Report, of file: Path) -> String {
        var text = "\(file.display): \(report.verdict)\n"
        text += "  " + Layer.allCases.map { "\($0.rawValue) \(word(report.status($0)))" }.joined(separator: "  ") + "\n"
        if let record = report.record {
            let evidence = report.evidence.map { "  evidence \(words($0.rawValue))" } ?? ""
            text += "  archive record \(words(record.rawValue))\(evidence)\n"
        }
        if let note = report.archiveNote { text += "  archive \(note)\n" }
        for finding in report.findings { text += "  \(line(finding))\n" }
        text += Explanations.rest(report.total, listed: report.findings.count, report.counts)
        text += Explanations.text(of: report.findings.map(\.code) + report.counts.keys.sorted())
        return text
    }

    private static func word(_ status: Report.Status) -> String {
        status == .unknown ? "unknown" : StatusWord.verdict(isGood: status == .ok)
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

    private static func json(_ result: VerifiedFile) -> JSONObject {
        switch result.outcome {
        case .verified(let report): json(result, report)
        case .unreadable(let text): ["error": text, "file": result.file.display, "result": "failed"]
        }
    }

    private static func json(_ result: VerifiedFile, _ report: Report) -> JSONObject {
        let counts = report.counts.map { ($0.key.rawValue, $0.value) }
        return [
            "archive": result.archive?.display, "archive_note": report.archiveNote,
            "counts": report.total > 0 ? JSONObject(counts) : nil, "evidence": report.evidence?.rawValue,
            "file": result.file.display, "findings": report.findings.lazy.map(json), "item_count": report.itemCount,
            "layers": JSONObject(Layer.allCases.map { ($0.rawValue, report.status($0).rawValue) }),
            "not_verified": report.notVerified.map(\.rawValue), "record": report.record?.rawValue,
            "result": report.isGood ? "ok" : "findings", "verdict": report.verdict,
        ]
    }

    private static func json(_ finding: Finding) -> JSONObject {
        [
            "byte": finding.byte, "code": finding.code.rawValue, "expected": finding.expected, "found": finding.found,
            "frame": finding.frame, "line": finding.line, "pointer": finding.pointer,
        ]
    }
}
