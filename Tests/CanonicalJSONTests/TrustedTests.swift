import Testing

@testable import CanonicalJSON

@Suite struct `Stepping over values of a trusted text` {
    @Test(arguments: [
        "0", "-12.5", "1e+21", "true", "null", #""""#, #""a""#, #""a\"b\\""#, #""\\""#,
        #""é€😀 and more than eight bytes""#,
        "[]", "{}", #"[[],{"a":[1,"]}"]},"\"]"]"#, #"{"a":{"b":"}"},"c":[]}"#,
    ])
    func `gives the place that reading gives`(value: String) throws {
        for text in [#"{"k":\#(value)}"#, #"{"k":\#(value),"l":1}"#] {
            let bytes = Array(text.utf8)
            var reading = Reader(.canonical)
            var passing = Reader(.canonical)
            for _ in 0..<2 {
                _ = try reading.next(in: bytes.span)
                _ = try passing.next(in: bytes.span)
            }
            let expected = try reading.skipValue(in: bytes.span)
            let passed = passing.passValue(inTrusted: bytes.span)
            #expect(passed.range == expected)
            #expect((passed.string == nil) == !value.hasPrefix("\""))
            if let string = passed.string {
                #expect(string.range == passed.range.dropFirst().dropLast())
                #expect(string.hasEscapes == value.contains("\\"))
            }
            // What follows is read as if the value had been.
            while true {
                let token = try reading.next(in: bytes.span)
                #expect(try passing.next(in: bytes.span) == token)
                if token == .end { break }
            }
        }
    }
}

@Suite struct `Stepping over keys of a trusted text` {
    @Test(arguments: ["{}", #"{"a":1}"#, #"{"a":{"b":{},"c":"x"},"bb":[{"d":1}],"key of more than eight bytes":{}}"#])
    func `gives the keys that reading gives, and leaves each object`(text: String) throws {
        let bytes = Array(text.utf8)
        var reading = Reader(.canonical)
        var passing = Reader(.canonical)
        #expect(try passing.next(in: bytes.span) == .beginObject)
        var open = 1
        while true {
            switch try reading.next(in: bytes.span) {
            case .key(let key):
                #expect(passing.passKey(inTrusted: bytes.span) == key.range)
                #expect(passing.tokenStart == reading.tokenStart)
                #expect(passing.position == reading.position)
                if bytes[reading.position] == UInt8(ascii: "[") {
                    #expect(try reading.skipValue(in: bytes.span) == passing.passValue(inTrusted: bytes.span).range)
                }
            case .beginObject where reading.depth > 1:
                open += 1
                #expect(try passing.next(in: bytes.span) == .beginObject)
            case .endObject:
                open -= 1
                #expect(passing.passKey(inTrusted: bytes.span) == nil)
                #expect(passing.depth == open)
            case .end:
                #expect(try passing.next(in: bytes.span) == .end)
                return
            case .beginObject: continue
            default: _ = passing.passValue(inTrusted: bytes.span)
            }
        }
    }
}
