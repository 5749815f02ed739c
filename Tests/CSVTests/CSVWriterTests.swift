import Testing

@testable import CSV

@Suite struct `CSV writer` {
    @Test(arguments: [
        ("", ""),
        ("plain", "plain"),
        ("a,b", "\"a,b\""),
        ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("\"", "\"\"\"\""),
        ("line\nfeed", "\"line\nfeed\""),
        ("carriage\rreturn", "\"carriage\rreturn\""),
        ("both\r\nof them", "\"both\r\nof them\""),
        (" leading", "\" leading\""),
        ("trailing ", "\"trailing \""),
        ("\ttab", "\"\ttab\""),
        (" ", "\" \""),
        ("in the middle", "in the middle"),
        ("semi;colon", "semi;colon"),
        ("it's", "it's"),
        ("Zoë 😀", "Zoë 😀"),
        ("0123456789abcdef0123456789abcdef,", "\"0123456789abcdef0123456789abcdef,\""),
    ])
    func `a field is quoted only where it must be`(text: String, expected: String) {
        var writer = CSVWriter()
        writer.field(text)
        writer.field("x")
        writer.endRecord()
        #expect(writer.bytes == Array((expected + ",x\r\n").utf8))
    }

    @Test func `records end with CR LF and fields are separated by commas`() {
        var writer = CSVWriter(capacity: 64)
        writer.header(["name", "count", "note"])
        writer.field([0x73, 0x74, 0x65, 0x70, 0x73].span)
        writer.integer(-42)
        writer.emptyField()
        writer.endRecord()
        writer.emptyField()
        writer.integer(Int64.max)
        writer.field("a\"b")
        writer.endRecord()
        let lines = "name,count,note\r\nsteps,-42,\r\n,9223372036854775807,\"a\"\"b\"\r\n"
        #expect(writer.bytes == Array(lines.utf8))
    }

    @Test func `bytes that are no text pass through`() {
        var writer = CSVWriter()
        writer.field([0xFF, 0x00, 0x2C, 0x80].span)
        writer.endRecord()
        #expect(writer.bytes == [0x22, 0xFF, 0x00, 0x2C, 0x80, 0x22, 0x0D, 0x0A])
    }

    @Test func `a record whose only field is empty is not a blank line`() {
        var writer = CSVWriter()
        writer.header(["only"])
        writer.emptyField()
        writer.endRecord()
        writer.field("")
        writer.endRecord()
        #expect(writer.bytes == Array("only\r\n\"\"\r\n\"\"\r\n".utf8))
    }

    @Test func `a header may have a single empty name`() {
        var writer = CSVWriter()
        writer.header([""])
        #expect(writer.bytes == Array("\"\"\r\n".utf8))
    }

    @Test func `the buffer is used again and the number of fields stays`() async {
        var writer = CSVWriter()
        writer.header(["a", "b"])
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        writer.emptyField()
        writer.emptyField()
        writer.endRecord()
        #expect(writer.bytes == Array(",\r\n".utf8))
    }

    @Test func `a record with too few fields stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = CSVWriter()
            writer.header(["a", "b"])
            writer.field("1")
            writer.endRecord()
        }
    }

    @Test func `a record with too many fields stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = CSVWriter()
            writer.header(["a"])
            writer.removeAll()
            writer.field("1")
            writer.field("2")
        }
    }

    @Test func `a record without fields stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = CSVWriter()
            writer.endRecord()
        }
    }

    @Test func `emptying the buffer within a record stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = CSVWriter()
            writer.field("1")
            writer.removeAll()
        }
    }
}
