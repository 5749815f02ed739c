/// One step of a JSON text, as `Reader` hands it out.
///
/// Tokens hold places, never bytes: all ranges are byte offsets into the text that was read, and stay valid as long
/// as it.
public enum Token: Hashable, Sendable {
    /// `{`
    case beginObject
    /// `}`
    case endObject
    /// `[`
    case beginArray
    /// `]`
    case endArray
    /// The key of a member; its colon has been read too.
    case key(StringContents)
    /// A string that is a value.
    case string(StringContents)
    /// A number, from its sign or first digit to its last digit.
    case number(Range<Int>)
    /// `true`
    case `true`
    /// `false`
    case `false`
    /// `null`
    case null
    /// The text is complete. Every further token is this one.
    case end
}

/// The place of a string's contents: what stands between its quotes, as it is spelled in the text.
public struct StringContents: Hashable, Sendable {
    /// Byte offsets of the contents, without the quotes.
    public let range: Range<Int>

    /// `true` if the contents have an escape. If they have none, the bytes of `range` are the string itself in UTF-8.
    public let hasEscapes: Bool

    /// Contents at `range`.
    public init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
