package import Bytes

/// Reads what travels with a sorted row: numbers little-endian, what may be absent after a byte that says whether it
/// is there.
package struct CompactReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    package mutating func byte() -> UInt8 {
        position += 1
        return bytes[position - 1]
    }

    package mutating func word(_ count: Int = 8) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<count { word |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += count
        return word
    }

    /// Returns a number of so many bytes, below 2^63.
    package mutating func number(_ count: Int) -> Int { Int(word(count)) }

    package mutating func integer() -> Int64 { Int64(bitPattern: word()) }

    package mutating func double() -> Double { Double(bitPattern: word()) }

    package mutating func optional<Value>(_ read: (inout CompactReader) -> Value) -> Value? {
        byte() == 0 ? nil : read(&self)
    }

    /// Bytes behind their count.
    package mutating func text() -> [UInt8] {
        let count = number(4)
        return array(count)
    }

    package mutating func optionalText() -> [UInt8]? { optional { $0.text() } }

    package mutating func array(_ count: Int) -> [UInt8] {
        position += count
        return bytes.extracting(position - count..<position).array
    }
}

extension ByteBuffer {
    package mutating func append(optional number: Int64?) {
        append(number == nil ? 0 : 1)
        if let number { append(lowBytesOf: UInt64(bitPattern: number)) }
    }

    package mutating func append(optional number: Double?) {
        append(optional: number.map { Int64(bitPattern: $0.bitPattern) })
    }

    package mutating func append(optional text: [UInt8]?) {
        append(text == nil ? 0 : 1)
        guard let text else { return }
        append(lowBytesOf: UInt64(text.count), count: 4)
        append(copying: text.span)
    }
}
