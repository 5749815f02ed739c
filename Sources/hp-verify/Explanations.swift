import Codes

/// The meanings of codes, with what to do, from the one table (`Spec/codes.json`).
enum Explanations {
    /// Returns a line that counts the findings that are not listed; empty if all are.
    static func rest(_ total: Int, listed: Int, _ counts: [Code: Int]) -> String {
        guard total > listed else { return "" }
        let all = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }
        return "  \(total - listed) more: \(all.joined(separator: ", ")) in all\n"
    }

    /// Returns a heading, and a line for each code, in the order in which they come first; empty if there is none.
    static func text(of codes: some Sequence<Code>) -> String {
        var seen: Set<Code> = []
        var text = ""
        for code in codes where seen.insert(code).inserted {
            text += "    \(code.rawValue): \(code.entry.sentence)\n"
        }
        return text.isEmpty ? "" : "  What this means:\n" + text
    }
}
