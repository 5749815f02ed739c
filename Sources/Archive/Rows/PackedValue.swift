internal import Bytes
internal import SQLite

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

    /// The first byte of a packed value. What follows: nothing; 8 bytes little-endian; 4 bytes count and the bytes;
    /// 32 bytes.
    enum Tag {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let real: UInt8 = 2
        static let text: UInt8 = 3
        static let blob: UInt8 = 4
        static let hash: UInt8 = 5
        /// The value stands in the front of the row (`SortKey`) as field 0, 1 or 2.
        static let field: ClosedRange<UInt8> = identity...strict
        static let identity: UInt8 = 6
        static let payload: UInt8 = 7
        static let strict: UInt8 = 8
        /// The value is a number that stands in the front of the row: the end date, the sample's id, the version's id.
        static let endDate: UInt8 = 9
        static let sampleID: UInt8 = 10
        static let versionID: UInt8 = 11
        /// The value is that of the range's `first_seen_at`.
        static let rangeFirstSeenAt: UInt8 = 12
        /// The start date, in the front too.
        static let startDate: UInt8 = 13
        /// `true` if the value is elsewhere in the row, and nothing follows.
        @inline(__always) static func isPointer(_ tag: UInt8) -> Bool { tag >= field.lowerBound && tag <= startDate }
        /// An integer from 0 in 1 to 4 bytes, little-endian.
        static let short: ClosedRange<UInt8> = 16...19
        /// An integer from 0 to 63 that follows from the tag.
        static let small: ClosedRange<UInt8> = UInt8(ascii: "@")...0x7F
        /// Returns 1 or 0.
        @inline(__always) static func flag(_ isSet: Bool) -> UInt8 { small.lowerBound + (isSet ? 1 : 0) }
        /// TEXT of up to 127 bytes; the tag is their count.
        static let brief: ClosedRange<UInt8> = 0x80...0xFF
    }

    /// Reads the value at `position` and moves behind it.
    @inline(__always)
    static func read(_ bytes: Span<UInt8>, at position: inout Int) -> PackedValue {
        let tag = bytes[position]
        position += 1
        switch tag {
        case Tag.null: return .null
        case Tag.small: return .integer(Int64(tag - Tag.small.lowerBound))
        case Tag.brief:
            let start = position
            position += Int(tag - Tag.brief.lowerBound)
            return .text(start..<position)
        case Tag.real: return .real(Double(bitPattern: number(bytes, at: &position)))
        case Tag.hash:
            position += 32
            return .hash(position - 32..<position)
        case Tag.short:
            let count = Int(tag - Tag.short.lowerBound) + 1
            var value: Int64 = 0
            for index in 0..<count { value |= Int64(bytes[position + index]) << Int64(8 * index) }
            position += count
            return .integer(value)
        case Tag.integer: return .integer(Int64(bitPattern: number(bytes, at: &position)))
        case Tag.text: return .text(range(bytes, at: &position))
        case Tag.blob: return .blob(range(bytes, at: &position))
        default: preconditionFailure("a packed value points to a front that is not there")
        }
    }

    /// Reads a value of a row, which may point into the row's front.
    @inline(__always)
    static func read(_ bytes: Span<UInt8>, at position: inout Int, front: borrowing SortKey) -> PackedValue {
        let tag = bytes[position]
        guard Tag.isPointer(tag) else { return read(bytes, at: &position) }
        position += 1
        switch tag {
        case Tag.field:
            let range = front.fields[Int(tag - Tag.field.lowerBound)]
            return front.isCompact ? .hash(range) : .text(range)
        case Tag.startDate: return .real(front.startDate)
        case Tag.endDate: return .real(front.endDate)
        case Tag.sampleID: return .integer(front.sampleID)
        case Tag.versionID: return .integer(front.versionID ?? 0)
        default:
            var place = front.end
            for _ in 0..<RecordColumn.rangeFirstSeenAt.rawValue {
                if Tag.isPointer(bytes[place]) { place += 1 } else { _ = read(bytes, at: &place) }
            }
            return read(bytes, at: &place)
        }
    }

    /// Reads eight bytes, little-endian.
    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, at position: inout Int) -> UInt64 {
        precondition(position >= 0 && bytes.count - position >= 8)
        let value = unsafe bytes.withUnsafeBytes {
            unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
        position += 8
        return value
    }

    private static func range(_ bytes: Span<UInt8>, at position: inout Int) -> Range<Int> {
        var count = 0
        for index in 0..<4 { count |= Int(bytes[position + index]) << (8 * index) }
        position += 4 + count
        return position - count..<position
    }

    /// Appends a value of SQLite's.
    @inline(__always)
    static func append(_ value: SQLiteValue, to bytes: inout ByteBuffer) {
        switch value.storageClass {
        case .integer: append(value.integer, to: &bytes)
        case .real: append(Tag.real, value.real.bitPattern, to: &bytes)
        case .text: append(text: value.bytes(of: .text), to: &bytes)
        case .blob: append(Tag.blob, value.bytes(of: .blob), to: &bytes)
        case .null: bytes.append(Tag.null)
        }
    }

    @inline(__always)
    private static func append(_ integer: Int64, to bytes: inout ByteBuffer) {
        let bits = UInt64(bitPattern: integer)
        if bits < 64 { return bytes.append(Tag.small.lowerBound + UInt8(bits)) }
        guard bits >> 32 == 0 else { return append(Tag.integer, bits, to: &bytes) }
        let count = (71 - bits.leadingZeroBitCount) >> 3
        bytes.append(Tag.short.lowerBound + UInt8(count - 1))
        bytes.append(lowBytesOf: bits, count: count)
    }

    private static func append(text: Span<UInt8>, to bytes: inout ByteBuffer) {
        if text.count == 64 {
            bytes.append(Tag.hash)
            if bytes.append(digest: text) { return }
            bytes.removeLast()
        }
        guard text.count <= Tag.brief.upperBound - Tag.brief.lowerBound else {
            return append(Tag.text, text, to: &bytes)
        }
        bytes.append(Tag.brief.lowerBound + UInt8(text.count))
        bytes.append(copying: text)
    }

    @inline(__always)
    private static func append(_ tag: UInt8, _ number: UInt64, to bytes: inout ByteBuffer) {
        bytes.append(tag)
        bytes.append(lowBytesOf: number)
    }

    private static func append(_ tag: UInt8, _ content: Span<UInt8>, to bytes: inout ByteBuffer) {
        bytes.append(tag)
        bytes.append(lowBytesOf: UInt64(content.count), count: 4)
        bytes.append(copying: content)
    }
}

extension SQLiteStatement {
    /// Appends the first columns of the row, packed.
    func appendPacked(_ count: Int32, to bytes: inout ByteBuffer) {
        for column in 0..<count { PackedValue.append(value(column), to: &bytes) }
    }

    /// Appends all columns of the row, packed.
    func appendPacked(to bytes: inout [UInt8]) {
        var packed = ByteBuffer()
        appendPacked(Int32(columnCount), to: &packed)
        unsafe bytes.append(contentsOf: packed.contents)
    }
}
