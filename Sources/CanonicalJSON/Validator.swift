/// Says whether a text is canonical, by reading it with `Reader` in `.canonical` mode. O(n).
public enum Validator {
    /// Returns the first fault or deviation in the order of the bytes, or `nil` if the text is canonical.
    public static func firstDeviation(
        in text: Span<UInt8>,
        nestingLimit: Int = Reader.defaultNestingLimit
    ) -> JSONError? {
        var reader = Reader(.canonical, nestingLimit: nestingLimit)
        do {
            while true {
                // Quicker than to compare tokens with all that they hold.
                if case .end = try reader.next(in: text) { return nil }
            }
        } catch {
            return error
        }
    }

    /// Returns `true` if the text is canonical.
    public static func isCanonical(_ text: Span<UInt8>, nestingLimit: Int = Reader.defaultNestingLimit) -> Bool {
        firstDeviation(in: text, nestingLimit: nestingLimit) == nil
    }
}
