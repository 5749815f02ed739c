import Scratch

@testable import CanonicalJSON

/// Makes random canonical texts.
struct DocumentMaker {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func document() -> [UInt8] {
        var writer = Writer()
        write(depth: 0, to: &writer)
        return writer.bytes
    }

    private mutating func write(depth: Int, to writer: inout Writer) {
        switch Int.random(in: depth < 4 ? 0...9 : 2...9, using: &random) {
        case 0:
            writer.beginArray()
            for _ in 0..<Int.random(in: 0...4, using: &random) { write(depth: depth + 1, to: &writer) }
            writer.endArray()
        case 1:
            writer.beginObject()
            let names = Set((0..<Int.random(in: 0...6, using: &random)).map { _ in text() })
            for name in names.sorted(by: { $0.utf16.lexicographicallyPrecedes($1.utf16) }) {
                writer.key(Key(name))
                write(depth: depth + 1, to: &writer)
            }
            writer.endObject()
        case 2: writer.null()
        case 3: writer.bool(Bool.random(using: &random))
        case 4:
            writer.integer(
                Int64.random(in: -1 << 53 + 1..<1 << 53, using: &random) >> Int64.random(in: 0...52, using: &random))
        case 5, 6: writer.number(number())
        default: writer.string(text())
        }
    }

    private mutating func number() -> Double {
        if Bool.random(using: &random) { return Double(Int.random(in: -9999...9999, using: &random)) / 100 }
        while true {
            let value = Double(bitPattern: random.next())
            if value.isFinite { return value }
        }
    }

    /// Text with every kind of character that is treated in its own way.
    mutating func text() -> String {
        let kinds: [ClosedRange<UInt32>] = [
            0x61...0x66, 0x61...0x66, 0x20...0x7F, 0x00...0x1F, 0x22...0x22, 0x5C...0x5C, 0x80...0x7FF,
            0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let kind = kinds.randomElement(using: &random) ?? kinds[0]
            if let scalar = Unicode.Scalar(UInt32.random(in: kind, using: &random)) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
