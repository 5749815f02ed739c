/// A window on bytes that come in pieces: enough of them in a row to look at, in one buffer.
struct ByteSource {
    private let read: (inout [UInt8]) throws -> Int
    private var piece = [UInt8](repeating: 0, count: 1 << 18)
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// Where the window starts in the file.
    private(set) var offset: Int64 = 0
    /// Whether a skip went past the end.
    private(set) var isShort = false

    init(read: @escaping (inout [UInt8]) throws -> Int) { self.read = read }

    /// Bytes in the window.
    var available: Int { buffer.count - start }

    /// Makes the window hold at least `count` bytes; false when the input ends before.
    mutating func require(_ count: Int) throws -> Bool {
        while available < count, !isAtEnd {
            if start > 0 {
                buffer.removeSubrange(..<start)
                start = 0
            }
            let got = try read(&piece)
            if got == 0 { isAtEnd = true } else { buffer += piece[..<got] }
        }
        return available >= count
    }

    subscript(index: Int) -> UInt8 { buffer[start + index] }

    /// A little-endian number of up to four bytes.
    func number(at index: Int, bytes: Int) -> UInt32 {
        var value: UInt32 = 0
        for position in 0..<bytes { value |= UInt32(buffer[start + index + position]) << UInt32(8 * position) }
        return value
    }

    /// The first bytes of the window.
    @_lifetime(borrow self)
    func span(_ count: Int) -> Span<UInt8> { buffer.span.extracting(start..<start + count) }

    /// Moves bytes out of the window.
    mutating func take(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        take(count, into: &bytes)
        return bytes
    }

    /// Moves bytes out of the window, to the end of `bytes`.
    mutating func take(_ count: Int, into bytes: inout [UInt8]) {
        bytes += buffer[start..<start + count]
        start += count
        offset += Int64(count)
    }

    /// Passes over bytes, however many.
    mutating func skip(_ count: Int) throws {
        var rest = count
        while rest > 0 {
            if available == 0, try !require(1) {
                isShort = true
                return
            }
            let step = min(rest, available)
            start += step
            offset += Int64(step)
            rest -= step
        }
    }
}
