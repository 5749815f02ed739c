import Testing

@testable import CanonicalJSON

@Suite struct `Mistakes of a writer's caller stop the program` {
    @Test func `a key that sorts before the one before it`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            writer.key("b")
            writer.null()
            writer.key("a")
        }
    }

    @Test func `a key that repeats, from bytes`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            try writer.key([0x61].span)
            writer.null()
            try writer.key([0x61].span)
        }
    }

    @Test func `a key that is in the order of UTF-8 but not of UTF-16`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            writer.key("\u{ffff}")
            writer.null()
            writer.key("\u{10000}")
        }
    }

    @Test func `a value without a key`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            writer.null()
        }
    }

    @Test func `a key in an array`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginArray()
            writer.key("a")
        }
    }

    @Test func `a key after a key`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            writer.key("a")
            writer.key("b")
        }
    }

    @Test func `an object that ends with a key`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginObject()
            writer.key("a")
            writer.endObject()
        }
    }

    @Test func `an array that ends as an object`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginArray()
            writer.endObject()
        }
    }

    @Test func `an end without a begin`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.endArray()
        }
    }

    @Test func `two values in a row`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.null()
            writer.null()
        }
    }

    @Test func `an integer that is not exact as a double`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.integer(1 << 53)
        }
    }

    @Test func `a number that is not finite`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.number(-Double.infinity)
        }
    }

    @Test func `a raw byte within a value`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginArray()
            writer.append(0x0A)
        }
    }

    @Test func `emptying the buffer within a value`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.beginArray()
            writer.removeAll()
        }
    }

    @Test func `nothing to embed`() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.embed(canonical: Span())
        }
    }

    @Test func `skipping where a key comes`() async {
        await #expect(processExitsWith: .failure) {
            let text = Array(#"{"a":1}"#.utf8)
            var reader = Reader(.json)
            _ = try reader.next(in: text.span)
            _ = try reader.skipValue(in: text.span)
        }
    }
}
