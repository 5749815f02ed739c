import Codes

/// What codes mean and what to do, from the one table (`Spec/codes.json`).
enum Explanations {
    /// A heading, and a line for each code, in the order in which they come first; empty where there is none.
    static func text(of codes: some Sequence<String>) -> String {
        var seen: Set<String> = []
        var text = ""
        for code in codes where seen.insert(code).inserted {
            if let sentence = Code(rawValue: code)?.entry.sentence { text += "    \(code): \(sentence)\n" }
        }
        return text.isEmpty ? "" : "  What this means:\n" + text
    }
}
