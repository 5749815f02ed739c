import Testing

@testable import CanonicalJSON

@Suite struct `Respellings of a canonical text` {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a respelling that keeps the meaning is refused, and canonicalizing takes it back`(seed: UInt64) throws {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<12 {
            let text = maker.document()
            for respelling in try respellings(of: text) {
                #expect(!isCanonical(respelling), "\(respelling.hex)")
                #expect(try canonicalForm(respelling) == text, "\(respelling.hex)")
            }
        }
    }

    @Test func `every kind of respelling occurs`() throws {
        let text = Array(#"{"a":[1,-2.5,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#.utf8)
        let all = Set(try respellings(of: text))
        let expected = [
            #"{ "a":[1,-2.5,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1.0,-2.5,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1e0,-2.5,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.50,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1E+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-07,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-7,-0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-7,0],"b":"x\u000a/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-7,0],"b":"x\n\/é😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-7,0],"b":"x\n/\u00e9😀\u0001","c":null}"#,
            #"{"a":[1,-2.5,1e+30,1e-7,0],"b":"x\n/é\ud83d\ude00\u0001","c":null}"#,
            #"{"\u0061":[1,-2.5,1e+30,1e-7,0],"b":"x\n/é😀\u0001","c":null}"#,
            #"{"b":"x\n/é😀\u0001","a":[1,-2.5,1e+30,1e-7,0],"c":null}"#,
        ]
        for respelling in expected { #expect(all.contains(Array(respelling.utf8)), "\(respelling)") }
    }

    /// All texts that differ from `text` in one spelling.
    private func respellings(of text: [UInt8]) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        var reader = Reader(.canonical)
        var members: [[Range<Int>]] = []
        while true {
            let token = try reader.next(in: text.span)
            let start = reader.tokenStart
            for space in [0x20, 0x09, 0x0A, 0x0D] as [UInt8] {
                all.append(replace(start..<start, of: text, by: [space]))
                all.append(replace(reader.position..<reader.position, of: text, by: [space]))
            }
            switch token {
            case .end: return all
            case .beginObject: members.append([])
            case .key(let contents):
                all += respelledStrings(text, contents)
                var rest = reader
                let value = try rest.skipValue(in: text.span)
                members[members.count - 1].append(start..<(value?.upperBound ?? start))
            case .endObject: all += swapped(text, members.removeLast())
            case .string(let contents): all += respelledStrings(text, contents)
            case .number(let range):
                all += respelledNumbers(Array(text[range])).map { replace(range, of: text, by: $0) }
            default: break
            }
        }
    }

    private func swapped(_ text: [UInt8], _ members: [Range<Int>]) -> [[UInt8]] {
        zip(members, members.dropFirst()).map { first, second in
            replace(first.lowerBound..<second.upperBound, of: text, by: text[second] + [0x2C] + text[first])
        }
    }

    private func respelledNumbers(_ number: [UInt8]) -> [[UInt8]] {
        var all: [[UInt8]] = number == [0x30] ? [[0x2D, 0x30]] : []
        guard let e = number.firstIndex(of: 0x65) else {
            let hasPoint = number.contains(0x2E)
            all += (hasPoint ? ["0", "0000000000000000000000"] : [".0", ".00"]).map { number + Array($0.utf8) }
            all += ["e0", "E0", "e+0", "e-0", "e00"].map { number + Array($0.utf8) }
            all +=
                hasPoint
                ? [] : [number + Array("0e-1".utf8)].filter { $0.first != 0x30 && $0.prefix(2) != [0x2D, 0x30] }
            return all
        }
        all.append(replace(e..<e + 1, of: number, by: [0x45]))
        all.append(replace(e + 2..<e + 2, of: number, by: [0x30]))
        if number[e + 1] == 0x2B { all.append(replace(e + 1..<e + 2, of: number, by: [])) }
        all.append(replace(e..<e, of: number, by: Array((number.contains(0x2E) ? "0" : ".0").utf8)))
        return all
    }

    /// Each character in turn by an escape that it does not need, or by another one than its own.
    private func respelledStrings(_ text: [UInt8], _ contents: StringContents) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var at = contents.range.lowerBound
        while at < contents.range.upperBound {
            var cursor = ContentsCursor(at..<contents.range.upperBound)
            var bytes: [UInt8] = []
            while let byte = cursor.next(in: text.span), bytes.isEmpty || byte & 0xC0 == 0x80 { bytes.append(byte) }
            let isEscape = text[at] == 0x5C
            let length = isEscape ? (text[at + 1] == 0x75 ? 6 : 2) : bytes.count
            let character = String(decoding: bytes, as: UTF8.self)
            for spelling in spellings(of: character) where spelling != Array(text[at..<at + length]) {
                all.append(replace(at..<at + length, of: text, by: spelling))
            }
            at += length
        }
        return all
    }

    private func spellings(of character: String) -> [[UInt8]] {
        let digits = character.utf16.map { String(UInt32($0) + 0x10000, radix: 16).dropFirst() }
        var all = [digits.map { "\\u" + $0 }.joined(), digits.map { "\\u" + $0.uppercased() }.joined()]
        if character == "/" { all.append("\\/") }
        return all.map { Array($0.utf8) }
    }

    private func replace(_ range: Range<Int>, of text: [UInt8], by spelling: [UInt8]) -> [UInt8] {
        var text = text
        text.replaceSubrange(range, with: spelling)
        return text
    }
}
