import Testing

@testable import CanonicalJSON

@Suite struct `Reading JSON` {
    @Test func `tokens come with their places`() throws {
        let text = Array(#" { "a\n" : [ 1.5 , true , false , null , "x" ] , "b" : { } } "#.utf8)
        let expected: [Token] = [
            .beginObject, .key(contents(4..<7, escapes: true)), .beginArray, .number(13..<16), .true, .false, .null,
            .string(contents(42..<43)), .endArray, .key(contents(50..<51)), .beginObject, .endObject, .endObject, .end,
            .end,
        ]
        var reader = Reader(.json)
        var tokens: [Token] = []
        for _ in expected { tokens.append(try reader.next(in: text.span)) }
        #expect(tokens == expected)
        #expect(reader.position == text.count)
    }

    @Test func `the place and depth are known after each token`() throws {
        let text = Array(#"{"a":[10]}"#.utf8)
        var reader = Reader(.canonical)
        var places: [[Int]] = []
        repeat {
            places.append([reader.tokenStart, reader.position, reader.depth])
        } while try reader.next(in: text.span) != .end
        #expect(places == [[0, 0, 0], [0, 1, 1], [1, 5, 1], [5, 6, 2], [6, 8, 2], [8, 9, 1], [9, 10, 0]])
    }

    @Test func `a value is skipped with everything in it`() throws {
        let text = Array(#"[ {"a":[1,{}]} , "x" ,7]"#.utf8)
        var reader = Reader(.json)
        _ = try reader.next(in: text.span)
        var skipped: [Range<Int>] = []
        while let range = try reader.skipValue(in: text.span) { skipped.append(range) }
        #expect(skipped == [2..<14, 17..<20, 22..<23])
        #expect(try reader.skipValue(in: text.span) == nil)
        #expect(reader.position == text.count)
    }

    @Test func `what was thrown is thrown again`() {
        let text = Array("[1 2]".utf8)
        var reader = Reader(.json)
        var faults: [JSONError] = []
        for _ in 0..<5 {
            do {
                _ = try reader.next(in: text.span)
            } catch {
                faults.append(error)
            }
        }
        #expect(faults == [JSONError](repeating: JSONError(.syntax, at: 3), count: 3))
    }

    @Test(arguments: [
        (#"plain"#, "plain"),
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (#"\u0000\u00e9\u20AC\ud83d\uDE00"#, "\u{0}é€😀"),
        (#"é\u0041€"#, "éA€"),
    ])
    func `a string is unescaped and compared`(spelling: String, string: String) throws {
        let text = Array("\"\(spelling)\"".utf8)
        var reader = Reader(.json)
        guard case .string(let contents) = try reader.next(in: text.span) else {
            Issue.record("not a string")
            return
        }
        var unescaped: [UInt8] = [0x3E]
        reader.unescape(contents, in: text.span, into: &unescaped)
        #expect(unescaped == [0x3E] + Array(string.utf8))
        #expect(matches(reader, contents, text, string))
        #expect(!matches(reader, contents, text, string + "x"))
        #expect(!matches(reader, contents, text, String(string.dropLast())))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("1.0", nil), ("1e2", nil), ("100000000000000000000", nil),
        ] as [(String, Int64?)])
    func `an integer is found where the text is one`(text: String, value: Int64?) {
        #expect(integer(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        ("0", 0), ("-0", -0.0), ("1.5", 1.5), ("1e-400", 0), ("123456789012345678", 123456789012345680),
        ("-2E3", -2000),
    ])
    func `a double is the nearest one`(text: String, value: Double) {
        #expect(double(Array(text.utf8)).bitPattern == value.bitPattern)
    }

    @Test(arguments: [0, 1, 2, 7, 512, 513])
    func `the nesting limit is exact`(limit: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let inner = open == "[" ? "" : "1"
            let within =
                String(repeating: open, count: limit) + (inner.isEmpty && limit > 0 ? "" : "1")
                + String(repeating: close, count: limit)
            let beyond = String(repeating: open, count: limit + 1) + inner + String(repeating: close, count: limit + 1)
            for mode in [Reader.Mode.json, .canonical] {
                #expect(fault(of: Array(within.utf8), mode, nestingLimit: limit) == nil)
                #expect(fault(of: Array(beyond.utf8), mode, nestingLimit: limit) == "depth \(limit * open.utf8.count)")
            }
        }
    }

    @Test func `a million open brackets are an error and no crash`() {
        let text = [UInt8](repeating: 0x5B, count: 1_000_000)
        #expect(fault(of: text, .json) == "depth 512")
        #expect(fault(of: text, .canonical) == "depth 512")
        #expect(fault(of: text, .canonical, nestingLimit: .max) == "syntax 1000000")
        #expect(throws: JSONError(.syntax, at: 1_000_000)) { try deepCanonicalForm(text) }
    }

    @Test func `a hundred thousand open brackets and their ends are canonicalized`() throws {
        let text = [UInt8](repeating: 0x5B, count: 100_000) + [UInt8](repeating: 0x5D, count: 100_000)
        #expect(try deepCanonicalForm(text) == text)
    }

    @Test(
        arguments: [
            (#"{"a":1,"a":2}"#, "duplicate_key 7", "duplicate_key 7"),
            (#"{"\n":1,"\n":2}"#, "duplicate_key 8", "duplicate_key 8"),
            (#"{"a":1,"\u0061":2}"#, "duplicate_key 7", "duplicate_key 7"),
            (#"{"a":1,"b":2,"a":3}"#, "duplicate_key 13", "key_order 13"),
            (#"{"b":1,"a":2,"b":3}"#, "duplicate_key 13", "key_order 7"),
            (#"{"a":{"b":1},"b":{"a":1}}"#, nil, nil),
        ] as [(String, String?, String?)])
    func `a key that repeats is named in both modes`(spelling: String, json: String?, canonical: String?) {
        let text = Array(spelling.utf8)
        #expect(fault(of: text, .json) == json)
        #expect(fault(of: text, .canonical) == canonical)
    }

    @Test func `the last of many keys that repeats is found`() {
        var text = Array("{".utf8)
        for number in 0..<30_000 { text += Array("\"key \((number * 7_919) % 30_000)\":0,".utf8) }
        let place = text.count
        text += Array("\"key 123\":0}".utf8)
        #expect(fault(of: text, .json) == "duplicate_key \(place)")
    }

    private func deepCanonicalForm(_ text: [UInt8]) throws -> [UInt8] {
        try canonicalize(text.span, nestingLimit: .max)
    }

    private func matches(_ reader: Reader, _ contents: StringContents, _ text: [UInt8], _ string: String) -> Bool {
        reader.matches(contents, in: text.span, Array(string.utf8).span)
    }

    private func contents(_ range: Range<Int>, escapes: Bool = false) -> StringContents {
        StringContents(range: range, hasEscapes: escapes)
    }
}
