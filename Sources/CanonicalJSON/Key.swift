internal import Bytes

/// The key of a member, prepared once and written many times.
///
/// Holds the bytes as they go into the text: a comma, the escaped key in quotes, and the colon.
public struct Key: Hashable, Sendable, ExpressibleByStringLiteral {
    /// `,"key":`; the first member of an object is written without the comma.
    let text: [UInt8]
    /// The key between its quotes, as a place in `text`.
    let place: KeyOrder.Place

    /// Prepares the key `name`. O(length).
    public init(_ name: String) {
        var text = ByteBuffer()
        text.append(UInt8(ascii: ","))
        text.append(UInt8(ascii: "\""))
        let hasEscapes = name.utf8Span.span.appendEscaped(to: &text)
        place = KeyOrder.Place(range: 2..<text.count, hasEscapes: hasEscapes)
        text.append(UInt8(ascii: "\""))
        text.append(UInt8(ascii: ":"))
        self.text = text.array
    }

    /// Prepares the key that is written in the source.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
