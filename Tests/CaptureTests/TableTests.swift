import Scratch
import Testing

@testable import Capture

@Suite struct `Tables of a page` {
    @Test func `equal sequences have one index, different ones their own, in the order in which they come`() {
        var interner = Interner()
        var known: [[UInt8]: Int] = [:]
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            // Few different bytes and lengths around a word's, so that many are equal or begin alike.
            let key = (0..<Int.random(in: 0...18, using: &random)).map { _ in UInt8.random(in: 0...1, using: &random) }
            #expect(interner.find(key.span) == known[key], "\(random)")
            let (index, isNew) = interner.intern(key.span)
            #expect(isNew == (known[key] == nil))
            #expect(index == known[key] ?? known.count, "\(random)")
            known[key] = index
        }
        #expect(interner.count == known.count)
        for (key, index) in known { #expect(interner.array(index) == key) }
        interner.removeAll()
        #expect(interner.count == 0)
        for key in known.keys.prefix(100) { #expect(interner.find(key.span) == nil) }
        let empty: [UInt8] = []
        let first = interner.intern(empty.span)
        #expect(first == (0, true))
    }

    @Test func `zero bytes at the end make another sequence`() {
        var interner = Interner()
        for count in 0...40 {
            let key = [UInt8](repeating: 0, count: count)
            let index = interner.intern(key.span)
            #expect(index == (count, true))
        }
    }

    @Test(arguments: [
        "00000000-0000-0000-0000-000000000000", "01234567-89ab-cdef-0123-456789abcdef",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ])
    func `a UUID is read in either case and written in lower case`(text: String) throws {
        let read = SampleUUID(text.utf8Span.span)
        let uuid = try #require(read)
        let upper = text.uppercased()
        #expect(SampleUUID(upper.utf8Span.span) == uuid)
        let written = uuid.text
        #expect(String(decoding: written.indices.map { written[$0] }, as: UTF8.self) == text)
    }

    @Test func `the bytes of a UUID are in its order`() {
        let uuid = SampleUUID("01234567-89ab-cdef-fedc-ba9876543210".utf8Span.span)
        #expect(uuid?.high == 0x0123_4567_89AB_CDEF && uuid?.low == 0xFEDC_BA98_7654_3210)
    }

    @Test func `a text with any other byte is no UUID`() {
        let text = Array("01234567-89ab-cdef-fedc-ba9876543210".utf8)
        for at in text.indices {
            for byte in 0...255 as ClosedRange<UInt8> {
                var changed = text
                changed[at] = byte
                let isDigit =
                    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
                let expected = text[at] == 0x2D ? byte == 0x2D : isDigit
                if (SampleUUID(changed.span) != nil) != expected { Issue.record("byte \(byte) at \(at)") }
            }
        }
        let (shorter, longer) = (Array(text.dropLast()), text + [0x30])
        #expect(SampleUUID(shorter.span) == nil)
        #expect(SampleUUID(longer.span) == nil)
    }
}
