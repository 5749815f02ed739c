import Scratch
import Testing

@testable import CanonicalJSON

@Suite struct `Properties of random texts` {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `what the writer writes is canonical and is read and written byte for byte`(seed: UInt64) throws {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<50 {
            let text = maker.document()
            #expect(isCanonical(text))
            #expect(try copy(text) == text)
            #expect(try canonicalForm(text) == text)
        }
    }

    @Test(arguments: 100..<120 as Range<UInt64>)
    func `a mutated text that is accepted comes back byte for byte`(seed: UInt64) throws {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<50 {
            var text = maker.document()
            for _ in 0..<20 {
                mutate(&text, &maker.random)
                if isCanonical(text) {
                    #expect(try copy(text) == text)
                    #expect(try canonicalForm(text) == text)
                } else if let canonical = try? canonicalForm(text) {
                    #expect(canonical != text)
                    #expect(isCanonical(canonical))
                }
            }
        }
    }

    @Test(arguments: 200..<210 as Range<UInt64>)
    func `random bytes are refused or read, and never stop the program`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:\\u0dD8cC123e.-+ \n\u{0}truefalsenull\u{80}é".utf8) + [0xFF, 0xED, 0xF4]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let strict = fault(of: text, .canonical)
            if fault(of: text, .json) != nil { #expect(strict != nil) }
            if strict == nil { #expect((try? canonicalForm(text)) == text) }
        }
    }

    @Test(arguments: 300..<310 as Range<UInt64>)
    func `the order of keys is that of their UTF-16 code units`(seed: UInt64) {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<200 {
            let (first, second) = (maker.text(), maker.text())
            let isBefore = first.utf16.lexicographicallyPrecedes(second.utf16)
            #expect((order(first, second) < 0) == isBefore)
            #expect((order(first, second) == 0) == (Array(first.utf16) == Array(second.utf16)))
        }
    }

    /// Compares two keys both as they are and as they are escaped.
    private func order(_ first: String, _ second: String) -> Int {
        let (a, b) = (Key(first), Key(second))
        let escaped = KeyOrder.compare(a.text.span, a.place, b.text.span, b.place)
        let plain = KeyOrder.compare(Array(first.utf8).span, Array(second.utf8).span)
        #expect(escaped.signum() == plain.signum())
        return plain
    }

    private func mutate(_ text: inout [UInt8], _ random: inout SeededGenerator) {
        guard !text.isEmpty else { return text.append(0x30) }
        let place = Int.random(in: text.indices, using: &random)
        let other = Int.random(in: text.indices, using: &random)
        switch Int.random(in: 0...5, using: &random) {
        case 0: text[place] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: place)
        case 2: text.insert(text[other], at: place)
        case 3: text.swapAt(place, other)
        case 4: text[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        default: text[place] = text[other]
        }
    }
}
