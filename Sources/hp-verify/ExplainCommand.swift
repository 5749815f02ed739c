import CanonicalJSON
import Codes
import Files
import Tool

/// `hp-verify explain`.
enum ExplainCommand {
    static let command = Tool.Command(
        "explain", "say what a finding means and what to do", usage: ["[CODE]... [OPTIONS]"],
        about: [
            .text(
                "Says what a finding means and what to do, where it points, and what it damages: the same as "
                    + "Spec/verification-codes.md. Without CODE, a line for every code.")
        ],
        operands: [
            Tool.Operand(
                .word(CodeEntry.all.map(\.code.rawValue)), isRepeatable: true, isOptional: true,
                unknown: { "\($0): no finding has this code" })
        ], options: [VerifyOptions.json], example: "container.checksum",
        exitStatus: [Tool.Term("0", "done"), Tool.Term("2", "there is no such code")]
    ) { arguments, call in
        let codes = arguments.operands.compactMap { Code(rawValue: $0.display) }
        let entries = codes.isEmpty ? CodeEntry.all : codes.map(\.entry)
        return try call.show(codes.isEmpty ? list(entries) : text(entries), json: ["codes": entries.map(json)])
    }

    private static func list(_ entries: [CodeEntry]) -> String {
        let width = entries.map(\.code.rawValue.count).max() ?? 0
        return entries.map { entry in
            let gap = String(repeating: " ", count: width + 2 - entry.code.rawValue.count)
            return "\(entry.code.rawValue)\(gap)\(entry.invalid)\n"
        }.joined()
    }

    private static func text(_ entries: [CodeEntry]) -> String {
        let texts = entries.map { entry in
            var lines = ["\(entry.code.rawValue): \(entry.invalid)", "  \(entry.sentence)"]
            lines.append("  severity  \(entry.severity.rawValue): \(entry.severity.meaning)")
            for place in entry.places {
                let condition = place.condition.map { ", where \($0)" } ?? ""
                lines.append("  \(padded(place.name.rawValue))\(place.meaning)\(condition)")
            }
            let condition = entry.damageCondition.map { ", where \($0)" } ?? ""
            lines.append("  damages   \(entry.damages.meaning)\(condition)")
            return lines.joined(separator: "\n") + "\n"
        }
        return texts.joined(separator: "\n")
    }

    private static func padded(_ name: String) -> String { name + String(repeating: " ", count: 10 - name.count) }

    /// Returns a member of `Spec/schemas/explain-result.json`.
    private static func json(_ entry: CodeEntry) -> JSONObject {
        [
            "code": entry.code.rawValue, "damages": entry.damages.rawValue, "damages_where": entry.damageCondition,
            "invalid": entry.invalid,
            "places": entry.places.map { place -> JSONObject in
                ["meaning": place.meaning, "place": place.name.rawValue, "where": place.condition]
            },
            "sentence": entry.sentence, "severity": entry.severity.rawValue,
        ]
    }
}
