internal import Bytes
internal import Verification

/// A stretch of a file's text, which moves on. Places are those in the file.
struct TextWindow: ~Copyable {
    private let source: FileSource
    /// The bytes from `base` on.
    private(set) var bytes: [UInt8] = []
    private(set) var base: Int64 = 0

    private static let pieceSize = 1 << 20
    /// The number of bytes that are kept before a place that is searched for: white space between a bracket and a name.
    private static let margin = 4096

    init(_ source: FileSource) { self.source = source }

    /// Bytes of the file.
    var size: Int64 { source.size }
    /// The offset at which the stretch ends.
    var end: Int64 { base + Int64(bytes.count) }
    /// `true` if the file ends with it.
    var isAtEnd: Bool { end >= source.size }

    /// Returns the index of a place.
    func index(_ place: Int64) -> Int { Int(place - base) }

    /// Reads on; false at the end of the file.
    mutating func extend() throws -> Bool {
        let piece = try source.read(at: end, count: Self.pieceSize)
        bytes += piece
        return !piece.isEmpty
    }

    /// Drops what stands well before a place, once it is worth it.
    mutating func forget(before place: Int64) {
        let place = min(place, end) - Int64(Self.margin)
        guard place - base >= Self.pieceSize else { return }
        let count = index(place)
        bytes.removeFirst(count)
        base += Int64(count)
    }

    /// Returns the byte at a place; `nil` at the end of the file.
    mutating func byte(at place: Int64) throws -> UInt8? {
        while place >= end { if try !extend() { return nil } }
        return bytes[index(place)]
    }

    /// Returns the first place from here on that is not white space.
    mutating func passSpace(from place: Int64) throws -> Int64 {
        var place = place
        while let byte = try byte(at: place), Self.isSpace(byte) { place += 1 }
        return place
    }

    /// Returns `true` if this text is at a place.
    mutating func holds(_ text: [UInt8], at place: Int64) throws -> Bool {
        while place + Int64(text.count) > end { if try !extend() { return false } }
        let start = index(place)
        return bytes[start..<start + text.count].elementsEqual(text)
    }

    /// Returns the place of the next byte like this. Text well before it is dropped.
    mutating func find(_ byte: UInt8, from place: Int64) throws -> Int64? {
        var place = place
        while true {
            forget(before: place)
            if place < end, let found = bytes.span.firstIndex(of: byte, from: index(place)) {
                return base + Int64(found)
            }
            place = max(place, end)
            if try !extend() { return nil }
        }
    }

    /// Returns the end of the value that begins with a bracket or a quote at a place. If the value does not end, it is
    /// the offset up to which was looked: the value has more than `limit` bytes, or a control character in its quotes.
    /// No JSON text has one.
    mutating func value(from place: Int64, limit: Int) throws -> (end: Int64, isWhole: Bool) {
        var scan = ValueScan()
        var next = place
        while true {
            let most = min(end, place + Int64(limit))
            if let found = scan.resume(bytes.span.extracting(first: index(most)), from: index(next)) {
                return (base + Int64(found.end), found.isWhole)
            }
            next = most
            if next == place + Int64(limit) { return (next, false) }
            if try !extend() { return (end, false) }
        }
    }

    /// Returns `true` if a value begins with a byte whose end is found by quotes and brackets.
    static func beginsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte | 0x20 == UInt8(ascii: "{")
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

/// Finds the end of a value by quotes and brackets.
private struct ValueScan {
    private var depth = 0
    private var isInString = false, isEscaped = false

    /// Goes on; nil where the text ends before the value does.
    mutating func resume(_ text: Span<UInt8>, from start: Int) -> (end: Int, isWhole: Bool)? {
        var index = start
        while index < text.count {
            let byte = text[index]
            index &+= 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return (index, true) }
                } else if byte < 0x20 {
                    return (index, false)
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte | 0x20 == UInt8(ascii: "{") {
                depth &+= 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                depth &-= 1
                if depth == 0 { return (index, true) }
            }
        }
        return nil
    }
}
