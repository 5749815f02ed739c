internal import CSQLite

/// What stands in front of every packed row: the keys that order rows with equal dates, so that comparing rows as bytes ends the order.
///
///     identity hash 00 │ payload hash 00 │ strict fingerprint 00 │ kind (1) │ sample id (8) │ storage class (1) and version id (8) │ range: first observation (8) row id (8)
///     text as stored, empty where it has no canonical form; numbers big-endian with the sign bit turned
struct RowFront {
    /// Where identity hash, payload hash and strict fingerprint stand.
    let fields: InlineArray<3, Range<Int>>
    let kind: UInt8
    let sampleID: Int64
    let versionID: Int64?
    /// Where the packed columns begin.
    let end: Int

    init(_ bytes: Span<UInt8>, at start: Int) {
        var position = start
        func field() -> Range<Int> {
            let first = position
            while bytes[position] != 0 { position += 1 }
            position += 1
            return first..<position - 1
        }
        let identity = field()
        let payload = field()
        fields = [identity, payload, field()]
        func number() -> Int64 {
            var value: UInt64 = 0
            for index in 0..<8 { value = value << 8 | UInt64(bytes[position + index]) }
            position += 8
            return Int64(bitPattern: value ^ 1 << 63)
        }
        kind = bytes[position]
        position += 1
        sampleID = number()
        let hasVersion = bytes[position] != 0
        position += 1
        let version = number()
        versionID = hasVersion ? version : nil
        end = position + 16
    }
}

/// The SQL function `hp_row(kind, sample_uuid_hash, payload_hash, strict_fingerprint, sample id, version id, range's first observation, range's row id, column, …)`: a row as one BLOB.
///
/// The first four columns are the range's. After them the three texts come again, as pointers into the front.
final class RowFunction: SQLFunction {
    private var buffer: [UInt8] = []
    private static let fixed = 8
    private static let rangeColumns = 4

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        buffer.removeAll(keepingCapacity: true)
        unsafe appendFront(values)
        for index in Self.fixed + Self.rangeColumns..<values.count { unsafe PackedValue.append(values[index], to: &buffer) }
        unsafe buffer.withUnsafeBytes { unsafe sqlite3_result_blob(context, $0.baseAddress, Int32($0.count), hp_sqlite_transient()) }
    }

    private func appendFront(_ values: UnsafeBufferPointer<OpaquePointer?>) {
        let uuid = unsafe Self.carryableText(values[1])
        let payload = unsafe Self.carryableText(values[2])
        let strict = unsafe Self.carryableText(values[3])
        for unsafe text in unsafe [uuid ?? strict, payload, strict] {
            if let text = unsafe text { unsafe buffer.append(contentsOf: text) }
            buffer.append(0)
        }
        unsafe buffer.append(UInt8(truncatingIfNeeded: sqlite3_value_int(values[0])))
        unsafe append(sqlite3_value_int64(values[4]))
        unsafe buffer.append(Self.storageRank(values[5]))
        for index in 5...7 { unsafe append(sqlite3_value_int64(values[index])) }
        for index in Self.fixed..<Self.fixed + Self.rangeColumns { unsafe PackedValue.append(values[index], to: &buffer) }
        unsafe appendColumn(values[1], isInFront: uuid != nil, field: 0)
        unsafe appendColumn(values[2], isInFront: payload != nil, field: 1)
        unsafe appendColumn(values[3], isInFront: strict != nil, field: 2)
    }

    /// The place of a value's storage class in SQLite's order: NULL, numbers, text, blobs.
    private static func storageRank(_ value: OpaquePointer?) -> UInt8 {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_NULL: 0
        case SQLITE_TEXT: 2
        case SQLITE_BLOB: 3
        default: 1
        }
    }

    private func appendColumn(_ value: OpaquePointer?, isInFront: Bool, field: UInt8) {
        if isInFront { buffer.append(PackedValue.Tag.front.lowerBound + field) } else { unsafe PackedValue.append(value, to: &buffer) }
    }

    private func append(_ number: Int64) {
        let bits = UInt64(bitPattern: number) ^ 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) { buffer.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }

    /// The bytes of a TEXT value that canonical JSON can carry; nil for any other value.
    static func carryableText(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard unsafe sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        let start = unsafe sqlite3_value_text(value)
        let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        var seen: UInt8 = 0
        var hasNul = false
        for unsafe byte in unsafe text {
            seen |= byte
            hasNul = hasNul || byte == 0
        }
        guard !hasNul, unsafe seen < 0x80 || String(validating: text, as: UTF8.self) != nil else { return nil }
        return unsafe text
    }
}

/// The SQL function `hp_text(value)`: a text that canonical JSON can carry as a BLOB of its UTF-8 bytes, so that it sorts by them in any database; else an empty BLOB.
/// With two arguments: the first that can be carried.
final class TextKeyFunction: SQLFunction {
    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        for index in values.indices {
            guard let text = unsafe RowFunction.carryableText(values[index]) else { continue }
            unsafe sqlite3_result_blob(context, text.baseAddress ?? UnsafePointer(bitPattern: 1), Int32(text.count), hp_sqlite_transient())
            return
        }
        unsafe sqlite3_result_zeroblob(context, 0)
    }
}
