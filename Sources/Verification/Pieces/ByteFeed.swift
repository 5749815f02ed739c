internal import Bytes

/// The bytes of a file one after the other, and the values of a JSON text among them, found by quotes and brackets
/// alone.
struct ByteFeed {
    private let source: FileSource
    private var piece: [UInt8] = []
    private var index = 0
    /// The offset in the file at which `piece` ends.
    private var end: Int64

    init(_ source: FileSource, from offset: Int64 = 0) {
        self.source = source
        end = offset
    }

    /// The offset in the file of the next byte.
    var offset: Int64 { end - Int64(piece.count - index) }

    private mutating func fill() throws -> Bool {
        if index < piece.count { return true }
        piece = try source.read(at: end, count: source.pieceSize)
        end += Int64(piece.count)
        index = 0
        return !piece.isEmpty
    }

    /// Returns the next byte, which stays the next; `nil` at the end.
    mutating func peek() throws -> UInt8? { try fill() ? piece[index] : nil }

    /// Passes over the byte that was seen.
    mutating func step() { index += 1 }

    /// Passes over these bytes; false at the first that is another, which stays the next.
    mutating func pass(_ text: String) throws -> Bool {
        for byte in text.utf8 {
            guard try peek() == byte else { return false }
            index += 1
        }
        return true
    }

    /// Passes over a value; false where the file ends in it, or right behind it.
    mutating func passValue() throws -> Bool {
        var line = ValueLine(limit: 0)
        return try readValue(into: &line)
    }

    /// Reads a value; false where the file ends in it, or right behind it. One that ends where it begins is empty.
    mutating func readValue(into line: inout ValueLine) throws -> Bool {
        var scan = ValueScan()
        while try fill() {
            var end = index
            let isComplete = scan.resume(piece.span, &end)
            line.append(piece.span.extracting(index..<end))
            index = end
            if isComplete { return try fill() }
        }
        return false
    }
}

/// A line that is put together, as long as it is within the limit.
struct ValueLine {
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLong = false
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func append(_ text: String) {
        let bytes = Array(text.utf8)
        append(bytes.span)
    }

    /// Appends bytes. A line feed would end the line; a carriage return is white space, and wrong in strings, as well.
    mutating func append(_ text: Span<UInt8>) {
        guard !isTooLong, bytes.count + text.count <= limit else {
            isTooLong = true
            bytes = []
            return
        }
        let start = bytes.count
        bytes.append(copying: text)
        guard text.firstLineEnd(from: 0) != nil else { return }
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: "\r") }
    }
}

/// Finds the end of a value by quotes and brackets (`Spec/report-containers.md`, Where a value ends).
private struct ValueScan {
    private var depth = 0
    private var isInString = false, isEscaped = false

    /// Goes on from `index`, which is behind the last byte of the value then; true where that is its end.
    mutating func resume(_ text: Span<UInt8>, _ index: inout Int) -> Bool {
        while index < text.count {
            let byte = text[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte | 0x20 == UInt8(ascii: "{") {
                depth &+= 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                // A bracket that closes nothing of the value is behind it.
                if depth == 0 { return true }
                depth &-= 1
                if depth == 0 {
                    index &+= 1
                    return true
                }
            } else if byte == UInt8(ascii: ","), depth == 0 {
                return true
            }
            index &+= 1
        }
        return false
    }
}
