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
                    + "Spec/verification-codes.md. Without CODE, every code.")
        ], operands: [Tool.Operand(.word(CodeEntry.all.map(\.code.rawValue)), isRepeatable: true, isOptional: true)],
        options: [VerifyOptions.json], example: "container.checksum",
        exitStatus: [Tool.Term("0", "done"), Tool.Term("2", "there is no such code")], run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        let codes = try arguments.operands.map(code)
        let entries = codes.isEmpty ? CodeEntry.all : codes.map(\.entry)
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? json(entries) : text(entries))
        try output.flush()
        return .good
    }

    private static func code(_ operand: Path) throws -> Code {
        guard let code = Code(rawValue: String(decoding: operand.bytes, as: UTF8.self)) else {
            throw UsageError(
                "\(operand.display): no finding has this code",
                hint: NearestName.hint(for: operand.bytes, among: CodeEntry.all.map(\.code.rawValue)))
        }
        return code
    }

    private static func text(_ entries: [CodeEntry]) -> [UInt8] {
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
        return Array(texts.joined(separator: "\n").utf8)
    }

    private static func padded(_ name: String) -> String { name + String(repeating: " ", count: 10 - name.count) }

    /// One object with a member per code (`Spec/schemas/explain-result.json`).
    private static func json(_ entries: [CodeEntry]) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("codes")
        json.beginArray()
        for entry in entries { write(entry, to: &json) }
        json.endArray()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    private static func write(_ entry: CodeEntry, to json: inout Writer) {
        json.beginObject()
        json.member("code", entry.code.rawValue)
        json.member("damages", entry.damages.rawValue)
        json.member("damages_where", entry.damageCondition)
        json.member("invalid", entry.invalid)
        json.key("places")
        json.beginArray()
        for place in entry.places {
            json.beginObject()
            json.member("meaning", place.meaning)
            json.member("place", place.name.rawValue)
            json.member("where", place.condition)
            json.endObject()
        }
        json.endArray()
        json.member("sentence", entry.sentence)
        json.member("severity", entry.severity.rawValue)
        json.endObject()
    }
}
