internal import Bytes
internal import CSQLite

/// What stands in front of every packed row: the keys that order rows of equal type and start, so that comparing rows as bytes ends the order.
///
///     form (1) │ end date: 0, or 1 and ordered bits (8) │ identity hash │ payload hash │ strict fingerprint │ kind (1)
///     │ sample id │ storage class (1) and version id │ range: first observation, row id
///     hashes, compact form: 0 for none, or 1 and 32 bytes;  plain form: text as stored, empty where it has no canonical form, and 0
///     numbers: 0x80 + count and that many bytes, big-endian; below zero 0x7F − count and the complement's bytes
///
/// Packed hashes sort like their digits, but not among other texts: the compact form is for archives in which every text in these places is 64 lower-case hex digits.
struct RowFront {
    /// Which form hashes have. It is the same in all rows of a statement.
    enum Form: UInt8 { case plain = 0, compact = 1 }

    /// Whether the fields are packed hashes.
    let isCompact: Bool
    /// The end date, where it has a timestamp.
    let endDate: Double
    /// Where identity hash, payload hash and strict fingerprint stand; empty where there is none.
    let fields: InlineArray<3, Range<Int>>
    let kind: UInt8
    let sampleID: Int64
    let versionID: Int64?
    /// Where the packed columns begin.
    let end: Int

    init(_ bytes: Span<UInt8>, at start: Int) {
        var position = start + 2
        isCompact = bytes[start] == Form.compact.rawValue
        endDate = bytes[start + 1] == 0 ? 0 : OrderKeyFunction.double(orderedBits: Self.bigEndian(bytes, at: &position, count: 8))
        let identity = Self.field(bytes, at: &position, isCompact: isCompact)
        let payload = Self.field(bytes, at: &position, isCompact: isCompact)
        fields = [identity, payload, Self.field(bytes, at: &position, isCompact: isCompact)]
        kind = bytes[position]
        position += 1
        sampleID = Self.number(bytes, at: &position)
        let hasVersion = bytes[position] != 0
        position += 1
        let version = Self.number(bytes, at: &position)
        versionID = hasVersion ? version : nil
        for _ in 0..<2 { position += 1 + Self.count(bytes[position]) }
        end = position
    }

    @inline(__always)
    private static func field(_ bytes: Span<UInt8>, at position: inout Int, isCompact: Bool) -> Range<Int> {
        let first = position
        guard isCompact else {
            while bytes[position] != 0 { position += 1 }
            position += 1
            return first..<position - 1
        }
        position += bytes[first] == 0 ? 1 : 33
        return first + 1..<position
    }

    private static func count(_ head: UInt8) -> Int { head >= 0x80 ? Int(head) - 0x80 : 0x7F - Int(head) }

    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, at position: inout Int) -> Int64 {
        let head = bytes[position]
        position += 1
        let value = Int64(bitPattern: bigEndian(bytes, at: &position, count: count(head)))
        if head >= 0x80 { return value }
        let count = count(head)
        return count == 8 ? value : value | -1 << Int64(8 * count)
    }

    @inline(__always)
    private static func bigEndian(_ bytes: Span<UInt8>, at position: inout Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<count { value = value << 8 | UInt64(bytes[position + index]) }
        position += count
        return value
    }
}

/// The SQL function `hp_row(kind, sample_uuid_hash, payload_hash, strict_fingerprint, sample id, version id, range's first observation, range's row id, end_date, first_seen_at, column, …)`: a row as one BLOB.
///
/// The first four columns are the range's and stand for themselves, since they are a detail of their own. After them the three texts come again, as pointers into the front. Other columns whose values stand in the front, or are
/// the range's `first_seen_at` again, are pointers too: every byte of a row is sorted, written and read again.
final class RowFunction: SQLFunction {
    /// Which form rows have. In the compact form a text that does not fit fails the statement and sets `isRefused`.
    private(set) var form = RowFront.Form.compact
    /// Whether a row could not be packed in the compact form.
    private(set) var isRefused = false
    private var packed = ByteBuffer(capacity: 4096)
    private static let fixed = 10
    private static let rangeColumns = 4

    /// Packs the rows that follow in this form.
    func begin(_ form: RowFront.Form) {
        self.form = form
        isRefused = false
    }

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard unsafe append(values, to: &packed) else {
            isRefused = true
            return unsafe sqlite3_result_error(context, "hp_row: not in compact form", -1)
        }
        guard packed.count < 1 << 30 else { return unsafe sqlite3_result_error_toobig(context) }
        unsafe sqlite3_result_blob(context, packed.contents.baseAddress, Int32(packed.count), hp_sqlite_transient())
    }

    /// Puts a row in place of the one before; false where it has no compact form. Class members are checked for exclusive access at each use: here once a row.
    private func append(_ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) -> Bool {
        row.removeAll()
        guard unsafe appendFront(values, to: &row) else { return false }
        for index in Self.fixed + Self.rangeColumns..<values.count { unsafe appendColumn(index, values, to: &row) }
        return true
    }

    private func appendFront(_ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) -> Bool {
        row.append(form.rawValue)
        let end = unsafe OrderKeyFunction.date(values[8])
        row.append(end == nil ? 0 : 1)
        if let end { row.append(bigEndian: OrderKeyFunction.orderedBits(end)) }
        let uuid = unsafe hash(values[1])
        let payload = unsafe hash(values[2])
        let strict = unsafe hash(values[3])
        guard unsafe append(uuid ?? strict, to: &row), unsafe append(payload, to: &row), unsafe append(strict, to: &row) else { return false }
        unsafe row.append(UInt8(truncatingIfNeeded: sqlite3_value_int(values[0])))
        unsafe Self.append(sqlite3_value_int64(values[4]), to: &row)
        unsafe row.append(Self.storageRank(values[5]))
        for index in 5...7 { unsafe Self.append(sqlite3_value_int64(values[index]), to: &row) }
        for index in Self.fixed..<Self.fixed + Self.rangeColumns { unsafe appendColumn(index, values, to: &row) }
        unsafe Self.appendField(values[1], isInFront: uuid != nil, 0, to: &row)
        unsafe Self.appendField(values[2], isInFront: payload != nil, 1, to: &row)
        unsafe Self.appendField(values[3], isInFront: strict != nil, 2, to: &row)
        return true
    }

    /// The text of a hash that has a canonical form; nil for any other value. Of 64 bytes the compact form finds out by itself whether they are digits, and so have one.
    private func hash(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        if form == .compact, unsafe sqlite3_value_type(value) == SQLITE_TEXT, let start = unsafe sqlite3_value_text(value), unsafe sqlite3_value_bytes(value) == 64 {
            return unsafe UnsafeBufferPointer(start: start, count: 64)
        }
        return unsafe Self.carryableText(value)
    }

    /// Appends a hash to the front; false where it has no compact form.
    private func append(_ text: UnsafeBufferPointer<UInt8>?, to row: inout ByteBuffer) -> Bool {
        guard form == .compact else {
            if let text = unsafe text { unsafe row.append(UnsafeRawBufferPointer(text)) }
            row.append(0)
            return true
        }
        unsafe row.append(text == nil ? 0 : 1)
        guard let text = unsafe text else { return true }
        return unsafe row.append(digest: text.span)
    }

    /// Appends a column that is not a hash of the front, as a pointer where its value is there already.
    @inline(__always)
    private func appendColumn(_ index: Int, _ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) {
        let value = unsafe values[index]
        if let tag = unsafe Self.pointer(for: roles[index], value, values) { row.append(tag) } else { unsafe PackedValue.append(value, to: &row) }
    }

    /// The tag that says where the value stands already; nil where it does not.
    @inline(__always)
    private static func pointer(for role: Role, _ value: OpaquePointer?, _ values: UnsafeBufferPointer<OpaquePointer?>) -> UInt8? {
        switch role {
        case .other: nil
        case .sampleID: unsafe isInteger(value) ? PackedValue.Tag.sampleID : nil
        case .versionID: unsafe isInteger(value) && isInteger(values[5]) ? PackedValue.Tag.versionID : nil
        case .firstSeenAt: unsafe isReal(value) && isReal(values[9]) && sqlite3_value_double(value) == sqlite3_value_double(values[9]) ? PackedValue.Tag.rangeFirstSeenAt : nil
        case .endDate: unsafe isReal(value) && OrderKeyFunction.date(value) != nil ? PackedValue.Tag.endDate : nil
        }
    }

    /// Columns whose values may stand elsewhere in the row.
    private enum Role { case other, sampleID, versionID, firstSeenAt, endDate }

    /// The roles of all arguments. The three hashes are not among them.
    private let roles: [Role] =
        [Role](repeating: .other, count: fixed)
        + RecordColumn.allCases.compactMap { column in
            switch column {
            case .sampleUUIDHash, .payloadHash, .strictFingerprint: nil
            case .sampleID: .sampleID
            case .versionID: .versionID
            case .firstSeenAt: .firstSeenAt
            case .endDate: .endDate
            default: .other
            }
        }

    private static func isInteger(_ value: OpaquePointer?) -> Bool { unsafe sqlite3_value_type(value) == SQLITE_INTEGER }
    private static func isReal(_ value: OpaquePointer?) -> Bool { unsafe sqlite3_value_type(value) == SQLITE_FLOAT }

    /// The place of a value's storage class in SQLite's order: NULL, numbers, text, blobs.
    private static func storageRank(_ value: OpaquePointer?) -> UInt8 {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_NULL: 0
        case SQLITE_TEXT: 2
        case SQLITE_BLOB: 3
        default: 1
        }
    }

    private static func appendField(_ value: OpaquePointer?, isInFront: Bool, _ field: UInt8, to row: inout ByteBuffer) {
        if isInFront { row.append(PackedValue.Tag.field.lowerBound + field) } else { unsafe PackedValue.append(value, to: &row) }
    }

    /// Appends a number of the front.
    private static func append(_ number: Int64, to row: inout ByteBuffer) {
        let magnitude = UInt64(bitPattern: number < 0 ? ~number : number)
        let count = (71 - magnitude.leadingZeroBitCount) >> 3
        row.append(number < 0 ? 0x7F - UInt8(count) : 0x80 + UInt8(count))
        if count > 0 { row.append(bigEndian: UInt64(bitPattern: number), count: count) }
    }

    /// The bytes of a TEXT value that canonical JSON can carry; nil for any other value.
    static func carryableText(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard unsafe sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        let start = unsafe sqlite3_value_text(value)
        let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        return unsafe isCarryable(Span(_unsafeElements: text)) ? text : nil
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
