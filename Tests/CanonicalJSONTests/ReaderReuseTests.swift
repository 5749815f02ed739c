import Testing

@testable import CanonicalJSON

@Suite struct `A reader that is used again` {
    private func tokens(_ text: String, _ reader: inout Reader) throws(JSONError) -> [Token] {
        var tokens: [Token] = []
        while true {
            tokens.append(try reader.next(in: text.utf8Span.span))
            if tokens.last == .end { return tokens }
        }
    }

    @Test func `it reads the next text as a new reader does, wherever it stopped`() throws {
        let texts = [
            #"{"a":1,"b":{"a":[1,{"a":2}]}}"#, #"{"a":{"b":{"c":["#, #"{"a":1,"a":2}"#, #"{"x":tru"#, "[]",
            #"{"\u0061":1,"b":2}"#, "\u{FEFF}1", "[[[[[",
        ]
        for first in texts {
            for second in texts {
                var used = Reader(.json, nestingLimit: 4)
                _ = try? tokens(first, &used)
                used.restart()
                var new = Reader(.json, nestingLimit: 4)
                let (found, expected) = (Result { try tokens(second, &used) }, Result { try tokens(second, &new) })
                switch (found, expected) {
                case (.success(let found), .success(let expected)): #expect(found == expected)
                case (.failure(let found), .failure(let expected)):
                    #expect(found as? JSONError == expected as? JSONError)
                default: Issue.record("\(second) after \(first)")
                }
                #expect(used.position == new.position)
            }
        }
    }

    @Test func `an object that was read before is stepped over`() throws {
        let object = #"{"b":"}\"","c":[{}]}"#
        let text = #"{"a":\#(object),"d":\#(object) ,"a":1}"#
        let span = text.utf8Span.span
        var reader = Reader(.json)
        _ = try reader.next(in: span)
        _ = try reader.next(in: span)
        reader.skipObject(readBefore: object.utf8.count)
        #expect(try reader.next(in: span) == .key(StringContents(range: 27..<28, hasEscapes: false)))
        let start = reader.position
        #expect(try reader.skipValue(in: span) == start..<start + object.utf8.count)
        let error = #expect(throws: JSONError.self) { try reader.next(in: text.utf8Span.span) }
        #expect(error?.code == .duplicateKey)
    }

    @Test(arguments: ["1e999", "-1e309", "1e99999999999999999999", "179769313486231580793728971405304e276"])
    func `a number beyond the doubles is refused unless it is asked for`(text: String) throws {
        var strict = Reader(.json)
        let error = #expect(throws: JSONError.self) { try strict.next(in: text.utf8Span.span) }
        #expect(error?.code == .numberRange)
        var reader = Reader(.json, acceptsOverflow: true)
        #expect(try reader.next(in: text.utf8Span.span) == .number(0..<text.utf8.count))
        #expect(reader.double(0..<text.utf8.count, in: text.utf8Span.span).isInfinite)
    }

    @Test func `equal keys are found however they are spelled, whatever their length`() throws {
        for length in 0...40 {
            let plain = String(repeating: "k", count: length)
            for at in 0..<max(length, 1) {
                let escaped =
                    length == 0
                    ? ""
                    : String(repeating: "k", count: at) + "\\u006b" + String(repeating: "k", count: length - at - 1)
                var reader = Reader(.json)
                let error = #expect(throws: JSONError.self) { try tokens("{\"\(plain)\":1,\"\(escaped)\":2}", &reader) }
                #expect(error?.code == .duplicateKey)
                reader.restart()
                #expect(throws: Never.self) {
                    try tokens("{\"\(plain)\":1,\"\(escaped)k\":2,\"\(escaped)\\u0000\":3}", &reader)
                }
            }
        }
    }
}
