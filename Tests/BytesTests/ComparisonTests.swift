import Testing

@testable import Bytes

@Suite struct `Comparing and searching bytes` {
    @Test func `orders bytes by the first that differs and then by length`() {
        for length in 0..<40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
            #expect(bytes.span.compared(with: bytes.span) == 0)
            #expect(bytes.span.isSame(as: bytes.span) == true)
            let longer = bytes + [0]
            #expect(bytes.span.compared(with: longer.span) < 0)
            #expect(longer.span.compared(with: bytes.span) > 0)
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 0x80
                #expect(bytes.span.isSame(as: other.span) == false)
                // What follows the first difference must not matter.
                for later in bytes.indices.dropFirst(index + 1) { other[later] = ~other[later] }
                let isLess = bytes.lexicographicallyPrecedes(other)
                #expect((bytes.span.compared(with: other.span) < 0) == isLess)
                #expect((other.span.compared(with: bytes.span) > 0) == isLess)
                #expect(bytes.span.isSame(as: other.span) == false)
            }
        }
    }

    @Test(arguments: [0x0A, 0x00, 0x80, 0xFF] as [UInt8])
    func `finds the first byte of a value`(byte: UInt8) {
        // Neighbours of the value, whose bits differ least from it.
        let filler = [byte ^ 1, byte &+ 1, byte &- 1, byte ^ 0x80]
        for length in [Int](0..<80) + [127, 128, 129, 150, 193] {
            let bytes = (0..<length).map { filler[$0 % 4] }
            #expect(bytes.span.firstIndex(of: byte, from: 0) == nil)
            #expect(bytes.span.firstIndex(of: byte, from: length) == nil)
            for index in 0..<length {
                var other = bytes
                other[index] = byte
                if index + 1 < length { other[index + 1] = byte }
                for start in [0, index / 2, index] { #expect(other.span.firstIndex(of: byte, from: start) == index) }
            }
        }
    }

    @Test func `finds the first place of some bytes`() {
        let text = Array("aabaabaaabaab".utf8)
        for start in text.indices {
            for end in start...text.count {
                let part = Array(text[start..<end])
                let place = text.indices.first { text[$0...].starts(with: part) }
                #expect(text.span.firstIndex(of: part) == place)
                #expect(text.span.firstIndex(of: part + [UInt8(ascii: "c")]) == nil)
            }
        }
    }
}
