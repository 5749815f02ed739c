internal import Bytes

/// Texts that are likely to come again, each under a number below `count` that some of its bytes decide; a text takes
/// the place of another one with its number. The memory is bounded.
struct RecentTexts {
    /// The numbers that texts have.
    static let count = 1024

    /// The ranges of the texts; empty if none is kept.
    private var ranges = [Range<Int>](repeating: 0..<0, count: count)
    /// The texts, one behind the other.
    private var texts: [UInt8] = []
    private static let longest = 1024, most = 1 << 20
    /// The bytes that tell texts apart: the first ones are mostly the first key.
    private static let telling = 16..<80

    /// Returns the number of a text that begins at `start`, from some of its bytes and those behind it.
    static func number(_ start: Int, in line: Span<UInt8>) -> Int {
        var hash: UInt64 = 0
        var offset = start + telling.lowerBound
        let end = min(start + telling.upperBound, line.count - 15)
        while offset < end {
            // Each pair by itself, so that the multiplications need not wait for each other.
            let first = line.word(at: offset) ^ 0x9E37_79B9_7F4A_7C15, second = line.word(at: offset + 8)
            let product = first.multipliedFullWidth(by: second ^ 0xC2B2_AE3D_27D4_EB4F &+ UInt64(offset - start))
            hash ^= product.high ^ product.low
            offset += 16
        }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(count - 1))
    }

    /// Returns the length of the text with a number, if the line continues with it at `start`; `nil` if it does not, or
    /// there is none. O(length).
    func length(of number: Int, at start: Int, in line: Span<UInt8>) -> Int? {
        let range = ranges[number], length = range.count
        guard length > 0, line.count - start >= length,
            texts.span.extracting(range).isSame(as: line.extracting(start..<start + length))
        else { return nil }
        return length
    }

    /// Keeps a text under its number; false where it is too long.
    mutating func keep(_ text: Range<Int>, as number: Int, in line: Span<UInt8>) -> Bool {
        guard text.count <= Self.longest else { return false }
        if texts.count > Self.most {
            for number in ranges.indices { ranges[number] = 0..<0 }
            texts.removeAll(keepingCapacity: true)
        }
        ranges[number] = texts.count..<texts.count + text.count
        texts.append(copying: line.extracting(text))
        return true
    }
}
