internal import Platform

/// The colour of the few words that say how something ended. Only a terminal gets any, and none where `NO_COLOR` is set
/// and not empty (no-color.org) or the terminal is `dumb`.
public enum StatusWord {
    /// Returns `OK` in green, or `FAILED` in red.
    public static func verdict(isGood: Bool) -> String { isGood ? good("OK") : bad("FAILED") }

    /// Returns a word in green.
    static func good(_ word: String) -> String { coloured(word, 32, STDOUT_FILENO) }
    /// Returns a word in red.
    static func bad(_ word: String) -> String { coloured(word, 31, STDOUT_FILENO) }

    /// Returns the kind of a line on standard error.
    static func kind(_ kind: String) -> String {
        switch kind {
        case "error": coloured(kind, 31, STDERR_FILENO)
        case "warning": coloured(kind, 33, STDERR_FILENO)
        default: kind
        }
    }

    private static func coloured(_ word: String, _ colour: Int, _ descriptor: Int32) -> String {
        guard isatty(descriptor) == 1, Environment.value(of: "NO_COLOR") == nil,
            Environment.value(of: "TERM") != Array("dumb".utf8)
        else { return word }
        return "\u{1B}[\(colour)m\(word)\u{1B}[0m"
    }
}
