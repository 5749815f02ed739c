import CanonicalJSON
import Files
import Matching
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
        ], operands: [Tool.Operand(.file), Tool.Operand(.file)], wanted: "name two bundles or reports",
        options: [VerifyOptions.findings("items that differ")] + VerifyOptions.reading,
        example: "march.jsonl.zst april.jsonl.zst",
        exitStatus: Tool.Term.statuses("both are valid and have the same items", findings: "they are not"), run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (files, options) = (try VerifyOptions.files(arguments), try VerificationOptions(arguments))
        let limit = try arguments.integer("--max-findings") ?? 1000
        let progress = try call.begin("items")
        let found = try await ExportsDifference.find(
            FileVerification.open(files[0]), FileVerification.open(files[1]), options: options, limit: limit,
            progress: { progress.update($0) }, shouldStop: Signals.shouldStop)
        progress.end()
        let compared = ComparedFiles(
            first: (files[0], found.first), second: (files[1], found.second), differences: found.differences)
        return try call.show(compared.text, json: compared.json, isGood: compared.isGood)
    }
}

/// Two files, what was found of each, and how they differ.
private struct ComparedFiles {
    let first, second: (file: Path, report: Report)
    let differences: ItemDifferences

    var isGood: Bool { first.report.isGood && second.report.isGood && differences.total == 0 }

    private func count(_ kind: ItemDifferences.Kind) -> Int { differences.counts[kind] ?? 0 }

    /// Both verdicts, the counts, and a line for each item that differs.
    var text: String {
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
        return text
    }

    /// One object (`Spec/schemas/compare-result.json`).
    var json: JSONObject {
        [
            "added_count": count(.added), "changed_count": count(.changed),
            "differences": differences.listed.map { difference -> JSONObject in
                [
                    "kind": difference.kind.rawValue, "line": difference.line, "other_line": difference.otherLine,
                    "sample_type": difference.sampleType.map { printable($0.utf8) },
                ]
            },
            "files": [first, second].map { file, report -> JSONObject in
                [
                    "file": file.display, "item_count": report.itemCount, "result": report.isGood ? "ok" : "findings",
                    "verdict": report.verdict,
                ]
            },
            "removed_count": count(.removed), "result": isGood ? "ok" : "findings",
            "same_count": differences.sameCount, "same_header": differences.hasSameHeader,
            "same_manifest_hash": differences.hasSameManifest,
        ]
    }
}
