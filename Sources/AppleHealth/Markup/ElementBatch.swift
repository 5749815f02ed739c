internal import Bytes

/// The parser's findings in a stretch of an export: starts and ends of elements, in flat tables that are used again and
/// again.
///
///     elements ──► attributes ──► bytes
struct ElementBatch {
    /// A place in `bytes`.
    struct Place {
        var start: UInt32 = 0
        var count: UInt32 = 0

        /// The place as a range of `bytes`.
        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    /// The start or the end of an element.
    struct Element {
        /// Its name; of a start alone.
        var name: ElementName
        var isEnd: Bool
        /// The name, of an element that the specification does not know.
        var text: Place
        /// Into `attributes`.
        var attributes: Range<Int>
        /// Bytes that the parser had seen before it, or `placed`; of a start alone.
        var byte: Int64
        /// Line in which it begins, counted from 1; of a start alone. Lines that were left out before it are not
        /// counted, unless it is placed.
        var line: Int
    }

    /// An attribute of an element.
    struct Attribute {
        var name: AttributeName
        /// The name, of an attribute that the specification does not know.
        var text: Place
        var value: Place
    }

    /// The byte of an element whose line is that of the file.
    static let placed: Int64 = -1

    /// Names and values.
    var bytes: [UInt8] = []
    var elements: [Element] = []
    var attributes: [Attribute] = []

    /// Forgets everything and keeps the memory, unless one large element made it large.
    mutating func removeAll() {
        let keeps = bytes.capacity <= 16 << 20
        bytes.removeAll(keepingCapacity: keeps)
        elements.removeAll(keepingCapacity: keeps)
        attributes.removeAll(keepingCapacity: keeps)
    }

    /// Returns the name of an attribute.
    func name(of attribute: Attribute) -> [UInt8] {
        attribute.name == .other ? text(attribute.text).array : Array(attribute.name.text.utf8)
    }

    /// Returns the bytes of a place.
    @_lifetime(borrow self)
    func text(_ place: Place) -> Span<UInt8> { bytes.span.extracting(place.range) }
}
