import CanonicalJSON
import Files
import Verification

/// How reports are printed, for people and for machines (`Spec/schemas/verify-result.json`).
enum VerificationOutput {
    /// A report per file: verdict, layers, findings one a line.
    static func text(_ results: [VerifiedFile]) -> [UInt8] {
        var text = ""
        for result in results {
            let report = result.report
            text += "\(result.file.display): \(report.verdict)\n"
            text +=
                "  " + Layer.allCases.map { "\($0.rawValue) \(word(report.status($0)))" }.joined(separator: "  ") + "\n"
            if let note = report.archiveNote { text += "  archive \(note)\n" }
            for finding in report.findings { text += "  \(line(finding))\n" }
            let listed = report.findings.count
            if report.total > listed {
                text +=
                    "  \(report.total - listed) more: "
                    + report.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
                    + " in all\n"
            }
        }
        return Array(text.utf8)
    }

    private static func word(_ status: Report.Status) -> String {
        switch status {
        case .ok: "OK"
        case .failed: "FAILED"
        case .unknown: "unknown"
        }
    }

    private static func line(_ finding: Finding) -> String {
        var places: [String] = []
        if let line = finding.line { places.append("line \(line)") }
        if let frame = finding.frame { places.append("frame \(frame)") }
        if let byte = finding.byte { places.append("byte \(byte)") }
        if let pointer = finding.pointer { places.append(printable(pointer.utf8, limit: 200)) }
        if let expected = finding.expected { places.append("expected \(printable(expected.utf8))") }
        if let found = finding.found { places.append("found \(printable(found.utf8))") }
        return places.isEmpty ? finding.code : "\(finding.code): \(places.joined(separator: ", "))"
    }

    /// One object with a member per file.
    static func json(_ results: [VerifiedFile]) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("files")
        json.beginArray()
        for result in results { write(result, to: &json) }
        json.endArray()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    private static func write(_ result: VerifiedFile, to json: inout Writer) {
        let report = result.report
        json.beginObject()
        json.member("archive", result.archive?.display)
        json.member("archive_note", report.archiveNote)
        if report.total > 0 {
            json.key("counts")
            json.beginObject()
            for (code, count) in report.counts.sorted(by: { $0.key < $1.key }) { json.member(Key(code), count) }
            json.endObject()
        }
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
        json.member("result", report.isGood ? "ok" : "findings")
        json.member("verdict", report.verdict)
        json.endObject()
    }

    private static func write(_ finding: Finding, to json: inout Writer) {
        json.beginObject()
        json.member("byte", finding.byte.map { Int($0) })
        json.member("code", finding.code)
        json.member("expected", finding.expected)
        json.member("found", finding.found)
        json.member("frame", finding.frame)
        json.member("line", finding.line)
        json.member("pointer", finding.pointer)
        json.endObject()
    }
}
