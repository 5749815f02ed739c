import Bytes
import Testing

@testable import CanonicalJSON

@Suite struct `Members that are written again` {
    private let list = KeyList(["a", "b", "c", "d"])

    @Test func `copied members are the same in another object, first or not`() {
        var writer = Writer()
        var text = ByteBuffer()
        writer.beginObject()
        var start = writer.count
        writer.key(list, 0)
        writer.integer(1)
        let first = writer.copyMembers(since: start, to: &text)
        start = writer.count
        writer.key(list, 1)
        writer.string("x")
        writer.key(list, 2)
        writer.beginArray()
        writer.endArray()
        let next = writer.copyMembers(since: start, to: &text)
        let none = writer.copyMembers(since: writer.count, to: &text)
        writer.endObject()
        writer.append(0x0A)

        writer.beginObject()
        writer.embed(first, of: text)
        writer.embed(none, of: text)
        writer.embed(next, of: text)
        writer.key(list, 3)
        writer.bool(true)
        writer.endObject()
        writer.append(0x0A)

        writer.beginArray()
        writer.beginObject()
        writer.embed(none, of: text)
        writer.embed(next, of: text)
        // A key of no list is held against the last of the copied ones.
        writer.key("d")
        writer.null()
        writer.endObject()
        writer.endArray()
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            lines == [#"{"a":1,"b":"x","c":[]}"#, #"{"a":1,"b":"x","c":[],"d":true}"#, #"[{"b":"x","c":[],"d":null}]"#])
    }

    @Test func `what was written since a mark is taken back, in whatever it stands`() {
        var writer = Writer()
        writer.beginObject()
        writer.key(list, 1)
        let mark = writer.mark
        for _ in 0..<2 {
            writer.rewind(to: mark)
            writer.beginArray()
            writer.beginObject()
            writer.key(list, 3)
        }
        writer.rewind(to: mark)
        writer.integer(7)
        writer.key(list, 2)
        writer.null()
        writer.endObject()
        #expect(writer.bytes == Array(#"{"b":7,"c":null}"#.utf8))
    }
}
