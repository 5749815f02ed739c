internal import CSQLite

/// One stored value, with its storage class. Text and blobs are ranges of the bytes that hold the packed row.
public enum PackedValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    /// TEXT, in UTF-8; it need not be valid.
    case text(Range<Int>)
    case blob(Range<Int>)
    /// TEXT of 64 lower-case hex digits, packed to its 32 bytes.
    case hash(Range<Int>)

    /// The first byte of a packed value. What follows: nothing; 8 bytes little-endian; 4 bytes count and the bytes; 32 bytes.
    enum Tag {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let real: UInt8 = 2
        static let text: UInt8 = 3
        static let blob: UInt8 = 4
        static let hash: UInt8 = 5
        /// The value stands in the front of the row (`RowFront`) as field 0, 1 or 2.
        static let front: ClosedRange<UInt8> = 6...8
    }

    /// Reads the value at `position` and moves behind it.
    static func read(_ bytes: Span<UInt8>, at position: inout Int, front: RowFront? = nil) -> PackedValue {
        let tag = bytes[position]
        position += 1
        switch tag {
        case Tag.integer: return .integer(Int64(bitPattern: number(bytes, at: &position, count: 8)))
        case Tag.real: return .real(Double(bitPattern: number(bytes, at: &position, count: 8)))
        case Tag.text: return .text(range(bytes, at: &position))
        case Tag.blob: return .blob(range(bytes, at: &position))
        case Tag.hash:
            position += 32
            return .hash(position - 32..<position)
        case Tag.front:
            guard let front else { preconditionFailure("a packed value points to a front that is not there") }
            return .text(front.fields[Int(tag - Tag.front.lowerBound)])
        default: return .null
        }
    }

    private static func number(_ bytes: Span<UInt8>, at position: inout Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += count
        return value
    }

    private static func range(_ bytes: Span<UInt8>, at position: inout Int) -> Range<Int> {
        let count = Int(number(bytes, at: &position, count: 4))
        position += count
        return position - count..<position
    }

    /// Appends a value of SQLite's.
    static func append(_ value: OpaquePointer?, to bytes: inout [UInt8]) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: append(Tag.integer, unsafe UInt64(bitPattern: sqlite3_value_int64(value)), to: &bytes)
        case SQLITE_FLOAT: append(Tag.real, unsafe sqlite3_value_double(value).bitPattern, to: &bytes)
        case SQLITE_TEXT:
            let start = unsafe sqlite3_value_text(value)
            unsafe append(text: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))), to: &bytes)
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            unsafe append(Tag.blob, UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))), to: &bytes)
        default: bytes.append(Tag.null)
        }
    }

    private static func append(text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        let start = bytes.count
        if text.count == 64 {
            bytes.append(Tag.hash)
            var isHash = true
            for index in 0..<32 {
                guard let high = unsafe digit(text[2 * index]), let low = unsafe digit(text[2 * index + 1]) else {
                    isHash = false
                    break
                }
                bytes.append(high << 4 | low)
            }
            if isHash { return }
            bytes.removeSubrange(start...)
        }
        unsafe append(Tag.text, UnsafeRawBufferPointer(text), to: &bytes)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func append(_ tag: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(tag)
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func append(_ tag: UInt8, _ content: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        bytes.append(tag)
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: UInt32(content.count) >> shift)) }
        unsafe bytes.append(contentsOf: content)
    }
}
