import Bytes
import Testing

@testable import AppleHealth

struct TextUnitsTests {
    /// What comes out of a text that is read in steps of some size, and how many halves had no other.
    private static func read(_ bytes: [UInt8], step: Int) -> (text: String, invalid: Int) {
        var units = TextUnits()
        var found: [UInt8] = []
        func pass(_ part: Span<UInt8>) { found += part.array }
        for start in stride(from: 0, to: bytes.count, by: step) {
            let part = Array(bytes[start..<min(start + step, bytes.count)])
            units.read(part.span, isLast: false, pass)
        }
        let nothing: [UInt8] = []
        units.read(nothing.span, isLast: true, pass)
        return (text(found), units.invalidCount)
    }

    private static func bytes(_ units: [UInt16], isBigEndian: Bool) -> [UInt8] {
        units.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
    }

    private static let sample = "<HealthData a=\"ü 健 😀 \u{7FF}\u{800}\u{FFFF}\u{10FFFF}\"/>"

    @Test(arguments: [true, false], [1, 2, 3, 4, 5, 7, 1000])
    func `UTF-16 comes out as UTF-8, however it is cut`(_ isBigEndian: Bool, _ step: Int) {
        let units = Array(Self.sample.utf16)
        #expect(Self.read(Self.bytes(units, isBigEndian: isBigEndian), step: step) == (Self.sample, 0))
        let marked = Self.read(Self.bytes([0xFEFF] + units, isBigEndian: isBigEndian), step: step)
        #expect(marked == ("\u{FEFF}" + Self.sample, 0))
    }

    @Test(arguments: [1, 2, 3, 5, 1000])
    func `a half without another is U+FFFD`(_ step: Int) {
        let units: [UInt16] = [0x3C, 0xD800, 0x62, 0xDC00, 0xD83D, 0xD83D, 0xDE00, 0xD800]
        let found = Self.read(Self.bytes(units, isBigEndian: true), step: step)
        #expect(found == ("<\u{FFFD}b\u{FFFD}\u{FFFD}😀\u{FFFD}", 4))
        #expect(Self.read(Self.bytes([0x3C, 0x61], isBigEndian: false) + [0x62], step: step) == ("<a\u{FFFD}", 1))
    }

    @Test(arguments: ["", "<", "<a", "<a>", "<a/>", "\u{FEFF}<a/>", "ab", "a\u{0}b"], [1, 3, 100])
    func `what is no UTF-16 comes out as it is`(_ text: String, _ step: Int) {
        #expect(Self.read(Array(text.utf8), step: step) == (text, 0))
    }
}
