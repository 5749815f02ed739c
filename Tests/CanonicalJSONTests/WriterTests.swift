import Testing

@testable import CanonicalJSON

@Suite struct `Writing canonical JSON` {
    @Test func `an object of all kinds of values`() throws {
        var writer = Writer(capacity: 256)
        writer.beginObject()
        writer.key("array")
        writer.beginArray()
        writer.bool(true)
        writer.bool(false)
        writer.null()
        writer.endArray()
        writer.key("embedded")
        writer.embed(canonical: Array(#"{"a":[1,2]}"#.utf8).span)
        writer.key("empty")
        writer.beginObject()
        writer.endObject()
        writer.key("hash")
        writer.hex([0x00, 0x9F, 0xA0, 0xFF].span)
        writer.key("integer")
        writer.integer(-7)
        writer.key("number")
        writer.number(72.5)
        writer.key("text")
        try writer.string(Array("é".utf8).span)
        writer.endObject()
        let expected =
            #"{"array":[true,false,null],"embedded":{"a":[1,2]},"empty":{},"hash":"009fa0ff","integer":-7,"number":72.5,"text":"é"}"#
        #expect(writer.bytes == Array(expected.utf8))
    }

    @Test(arguments: [
        ("", #""""#),
        ("plain", #""plain""#),
        ("\u{0}", #""\u0000""#),
        ("\u{1}\u{1f}", #""\u0001\u001f""#),
        ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
        ("\"\\/", #""\"\\/""#),
        ("\u{7f}\u{80}é€😀", "\"\u{7f}\u{80}é€😀\""),
        ("0123456789abcdef\n0123456789abcdef", #""0123456789abcdef\n0123456789abcdef""#),
    ])
    func `a string escapes only what it must, from bytes and from text and in keys`(text: String, expected: String)
        throws
    {
        let utf8 = Array(text.utf8)
        var writer = Writer()
        writer.beginArray()
        writer.string(text)
        try writer.string(utf8.span)
        writer.beginObject()
        writer.key(Key(text))
        writer.null()
        writer.endObject()
        writer.beginObject()
        try writer.key(utf8.span)
        writer.null()
        writer.endObject()
        writer.endArray()
        #expect(writer.bytes == Array("[\(expected),\(expected),{\(expected):null},{\(expected):null}]".utf8))
    }

    @Test func `text that is not UTF-8 is refused with its place and nothing is written`() throws {
        var writer = Writer()
        writer.beginObject()
        #expect(keyFault(&writer, [0x61, 0xFF]) == "utf8 1")
        writer.key("a")
        #expect(stringFault(&writer, [0x61, 0x62, 0xED, 0xA0, 0x80]) == "utf8 2")
        #expect(stringFault(&writer, Array("0123456789é".utf8.dropLast())) == "utf8 10")
        writer.string("b")
        writer.endObject()
        #expect(writer.bytes == Array(#"{"a":"b"}"#.utf8))
    }

    @Test func `keys in the order of UTF-16 code units are taken, prepared or not`() throws {
        let names = ["", "\n", "\r", " ", "\"", "A", "\\", "a", "ab", "\u{d7ff}", "😀", "\u{e000}", "\u{ffff}"]
        var prepared = Writer()
        var plain = Writer()
        prepared.beginObject()
        plain.beginObject()
        for name in names {
            prepared.key(Key(name))
            prepared.null()
            try plain.key(Array(name.utf8).span)
            plain.null()
        }
        prepared.endObject()
        plain.endObject()
        #expect(prepared.bytes == plain.bytes)
        #expect(isCanonical(plain.bytes))
    }

    @Test func `an inner object does not disturb the order of the outer one`() {
        var writer = Writer()
        writer.beginObject()
        writer.key("b")
        writer.beginObject()
        writer.key("a")
        writer.null()
        writer.endObject()
        writer.key("c")
        writer.null()
        writer.endObject()
        #expect(writer.bytes == Array(#"{"b":{"a":null},"c":null}"#.utf8))
    }

    @Test func `documents follow each other with a line feed between them`() {
        var writer = Writer()
        writer.integer(1)
        writer.append(0x0A)
        writer.beginArray()
        writer.endArray()
        writer.append(0x0A)
        #expect(writer.bytes == Array("1\n[]\n".utf8))
        writer.removeAll()
        writer.null()
        #expect(writer.bytes == Array("null".utf8))
    }

    private func keyFault(_ writer: inout Writer, _ name: [UInt8]) -> String? {
        do {
            try writer.key(name.span)
            return nil
        } catch {
            return "\(error.code) \(error.offset)"
        }
    }

    private func stringFault(_ writer: inout Writer, _ text: [UInt8]) -> String? {
        do {
            try writer.string(text.span)
            return nil
        } catch {
            return "\(error.code) \(error.offset)"
        }
    }
}
