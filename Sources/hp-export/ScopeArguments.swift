import Archive
import Files
import Timestamps
import Tool

/// The options that select a part of a scope, alike for every command.
enum ScopeArguments {
    /// The filter that the options make.
    static func filter(_ arguments: Arguments) throws(UsageError) -> Filter {
        Filter(
            sampleTypes: try arguments.texts("--type"), since: try moment("--since", arguments),
            sources: try arguments.texts("--source"), until: try moment("--until", arguments))
    }

    private static func moment(_ option: String, _ arguments: Arguments) throws(UsageError) -> Double? {
        guard let text = try arguments.text(option) else { return nil }
        guard let seconds = TimestampInput.unixSeconds(text), (try? TimestampText(seconds)) != nil else {
            let forms = "a date like 2024-01-31 or 2024-01-31T10:00:00Z"
            throw UsageError("\(option) accepts \(forms), not \(printable(text.utf8))")
        }
        return seconds
    }
}
