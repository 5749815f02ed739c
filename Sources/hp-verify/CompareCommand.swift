import CanonicalJSON
import Files
import Tool
import Verification

/// `hp-verify compare`.
enum CompareCommand {
    static let command = Tool.Command(
        "compare", "compare two bundles or reports item by item", usage: ["FILE FILE [OPTIONS]"],
        about: [
            .text(
                "Verifies two bundles or reports and compares them item by item: which items only the second has "
                    + "(added), which only the first has (removed), and which are of the same identity and say "
                    + "something else (changed).")
        ], operands: [Tool.Operand(.file), Tool.Operand(.file)],
        options: [
            VerifyOptions.findings("items that differ"), VerifyOptions.maxLine, VerifyOptions.maxFrame,
            VerifyOptions.json, VerifyOptions.quiet, Progress.option,
        ], example: "march.jsonl.zst april.jsonl.zst",
        exitStatus: [
            Tool.Term("0", "both are valid and have the same items"), Tool.Term("1", "they are not"),
            Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
        ], run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        guard arguments.operands.count == 2 else { throw UsageError("name two bundles or reports") }
        guard !arguments.operands.allSatisfy({ $0.bytes == Array("-".utf8) }) else {
            throw UsageError("standard input (-) can be named once")
        }
        var options = VerificationOptions()
        let limit = try arguments.integer("--max-findings") ?? 1000
        if let limit = try arguments.integer("--max-line") { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame") { options.frameLimit = limit }
        let progress = Progress("items", total: nil, form: try Progress.Form(arguments))
        defer { progress.end() }
        let (first, second) = (arguments.operands[0], arguments.operands[1])
        let found = try await ExportsDifference.find(
            FileVerification.open(first), FileVerification.open(second), options: options, limit: limit,
            progress: { progress.update($0) }, shouldStop: { Signals.first != nil })
        progress.end()
        let compared = ComparedFiles(
            first: (first, found.first), second: (second, found.second), differences: found.differences)
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? compared.json : compared.text)
        try output.flush()
        return compared.isGood ? .good : .findings
    }
}

/// Two files, what was found of each, and how they differ.
private struct ComparedFiles {
    let first, second: (file: Path, report: Report)
    let differences: ItemDifferences

    var isGood: Bool { first.report.isGood && second.report.isGood && differences.total == 0 }

    private func count(_ kind: ItemDifferences.Kind) -> Int { differences.counts[kind] ?? 0 }

    /// Both verdicts, the counts, and a line for each item that differs.
    var text: [UInt8] {
        var text = ""
        for (file, report) in [first, second] { text += "\(file.display): \(report.verdict)\n" }
        text += "  \(count(.added)) added, \(count(.removed)) removed, \(count(.changed)) changed, "
        text += "\(differences.sameCount) the same\n"
        if differences.hasSameHeader == false { text += "  the headers differ: observations, coverage or scope\n" }
        if !first.report.isGood || !second.report.isGood {
            text += "  only what could be read and is undamaged was compared\n"
        }
        for difference in differences.listed {
            var places: [String] = []
            if let line = difference.line { places.append("line \(line) of the first") }
            if let line = difference.otherLine { places.append("line \(line) of the second") }
            let type = difference.sampleType.map { printable($0.utf8) } ?? "no sample type"
            text += "  \(difference.kind.rawValue): \(([type] + places).joined(separator: ", "))\n"
        }
        let rest = differences.total - differences.listed.count
        if rest > 0 { text += "  \(rest) more items differ\n" }
        return Array(text.utf8)
    }

    /// One object (`Spec/schemas/compare-result.json`).
    var json: [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("added_count", count(.added))
        json.member("changed_count", count(.changed))
        json.key("differences")
        json.beginArray()
        for difference in differences.listed {
            json.beginObject()
            json.member("kind", difference.kind.rawValue)
            json.member("line", difference.line)
            json.member("other_line", difference.otherLine)
            json.member("sample_type", difference.sampleType.map { printable($0.utf8) })
            json.endObject()
        }
        json.endArray()
        json.key("files")
        json.beginArray()
        for (file, report) in [first, second] {
            json.beginObject()
            json.member("file", file.display)
            json.member("item_count", report.itemCount)
            json.member("result", report.isGood ? "ok" : "findings")
            json.member("verdict", report.verdict)
            json.endObject()
        }
        json.endArray()
        json.member("removed_count", count(.removed))
        json.member("result", isGood ? "ok" : "findings")
        json.member("same_count", differences.sameCount)
        if let isSame = differences.hasSameHeader {
            json.key("same_header")
            json.bool(isSame)
        }
        if let isSame = differences.hasSameManifest {
            json.key("same_manifest_hash")
            json.bool(isSame)
        }
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }
}
