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
    private(set) var fields: InlineArray<3, Range<Int>>
    let kind: UInt8
    let sampleID: Int64
    let versionID: Int64?
    /// Where the packed columns begin.
    private(set) var end: Int

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

    /// The front of the same row, `shift` bytes further on.
    func moved(by shift: Int) -> RowFront {
        var moved = self
        for index in fields.indices { moved.fields[index] = fields[index].lowerBound &+ shift..<fields[index].upperBound &+ shift }
        moved.end = end &+ shift
        return moved
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
/// The first four packed columns are the range's and stand for themselves, since they are a detail of their own. After them come the three texts, as pointers into the front. Other columns whose values stand in the front, or
/// are the range's `first_seen_at` again, are pointers too: every byte of a row is sorted, written and read again.
final class RowFunction: SQLFunction {
    /// Which form rows have. In the compact form a text that does not fit fails the statement and sets `isRefused`.
    private(set) var form = RowFront.Form.compact
    /// Whether a row could not be packed in the compact form.
    private(set) var isRefused = false
    /// Tells whose relationships to look up; nil where there are none.
    var related: RelatedSamples?
    private var packed = ByteBuffer(capacity: 4096)

    /// Where the arguments of the front stand; the columns that are not in it follow.
    private enum Argument {
        static let kind = 0, sampleUUIDHash = 1, payloadHash = 2, strictFingerprint = 3, sampleID = 4, versionID = 5, firstObservationID = 6, rangeRowID = 7, endDate = 8, rangeFirstSeenAt = 9
        static let count = 10
    }

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
        for column in columns { unsafe append(column, values, to: &row) }
        return true
    }

    private func appendFront(_ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) -> Bool {
        row.append(form.rawValue)
        let end = unsafe OrderKeyFunction.date(values[Argument.endDate])
        row.append(end == nil ? 0 : 1)
        if let end { row.append(bigEndian: OrderKeyFunction.orderedBits(end)) }
        let uuid = unsafe hash(values[Argument.sampleUUIDHash])
        let payload = unsafe hash(values[Argument.payloadHash])
        let strict = unsafe hash(values[Argument.strictFingerprint])
        guard unsafe append(uuid ?? strict, to: &row), unsafe append(payload, to: &row), unsafe append(strict, to: &row) else { return false }
        unsafe row.append(UInt8(truncatingIfNeeded: sqlite3_value_int(values[Argument.kind])))
        unsafe Self.append(sqlite3_value_int64(values[Argument.sampleID]), to: &row)
        unsafe row.append(Self.storageRank(values[Argument.versionID]))
        for index in Argument.versionID...Argument.rangeRowID { unsafe Self.append(sqlite3_value_int64(values[index]), to: &row) }
        unsafe Self.appendRange(values, to: &row)
        unsafe Self.appendField(values[Argument.sampleUUIDHash], isInFront: uuid != nil, 0, to: &row)
        unsafe Self.appendField(values[Argument.payloadHash], isInFront: payload != nil, 1, to: &row)
        unsafe Self.appendField(values[Argument.strictFingerprint], isInFront: strict != nil, 2, to: &row)
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

    /// Appends the range's columns. Only a record has a range, and that is visible: it has no last observation.
    private static func appendRange(_ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) {
        if unsafe sqlite3_value_int(values[Argument.kind]) == Int32(RowBatch.Kind.record.rawValue) {
            unsafe PackedValue.append(values[Argument.firstObservationID], to: &row)
            unsafe PackedValue.append(values[Argument.rangeFirstSeenAt], to: &row)
        } else {
            for _ in 0..<2 { row.append(PackedValue.Tag.null) }
        }
        for _ in 0..<2 { row.append(PackedValue.Tag.null) }
    }

    /// Appends a column behind the hashes, as a pointer where its value is there already.
    @inline(__always)
    private func append(_ column: Column, _ values: UnsafeBufferPointer<OpaquePointer?>, to row: inout ByteBuffer) {
        let value = unsafe values[column.argument]
        switch column.role {
        case .value: break
        case .existence: return unsafe row.append(PackedValue.Tag.small.lowerBound + (sqlite3_value_type(value) == SQLITE_NULL ? 0 : 1))
        case .relation: return unsafe row.append(PackedValue.Tag.small.lowerBound + (mayBeRelated(values) ? 1 : 0))
        case .sampleID: if unsafe Self.isInteger(value) { return row.append(PackedValue.Tag.sampleID) }
        case .versionID: if unsafe Self.isInteger(value) { return row.append(PackedValue.Tag.versionID) }
        case .firstSeenAt:
            if unsafe Self.isReal(value) && Self.isReal(values[Argument.rangeFirstSeenAt]) && sqlite3_value_double(value) == sqlite3_value_double(values[Argument.rangeFirstSeenAt]) {
                return row.append(PackedValue.Tag.rangeFirstSeenAt)
            }
        case .endDate: if unsafe Self.isReal(value) && OrderKeyFunction.date(value) != nil { return row.append(PackedValue.Tag.endDate) }
        }
        unsafe PackedValue.append(value, to: &row)
    }

    /// Whether relationships are to be looked up: records and samples have them.
    private func mayBeRelated(_ values: UnsafeBufferPointer<OpaquePointer?>) -> Bool {
        guard let related, unsafe sqlite3_value_int(values[Argument.kind]) <= Int32(RowBatch.Kind.sample.rawValue) else { return false }
        return unsafe !Self.isInteger(values[Argument.sampleID]) || related.mayName(sqlite3_value_int64(values[Argument.sampleID]))
    }

    /// Where a packed column comes from.
    private struct Column {
        let argument: Int
        let role: Role
    }

    /// Columns whose values may stand elsewhere in the row, or only tell whether there is one.
    private enum Role { case value, existence, relation, sampleID, versionID, firstSeenAt, endDate }

    /// All columns behind the hashes. What is no argument of the front is one after it, in the order of the columns (`RecordColumn.sql`).
    private let columns: [Column] = {
        var next = Argument.count
        func following(_ role: Role) -> Column {
            defer { next += 1 }
            return Column(argument: next, role: role)
        }
        return RecordColumn.allCases.compactMap { column in
            switch column {
            case .rangeFirstObservationID, .rangeFirstSeenAt, .rangeLastObservationID, .rangeLastSeenAt, .sampleUUIDHash, .payloadHash, .strictFingerprint: nil
            case .isRelated: Column(argument: Argument.sampleID, role: .relation)
            case .sampleID: Column(argument: Argument.sampleID, role: .sampleID)
            case .versionID: Column(argument: Argument.versionID, role: .versionID)
            case .endDate: Column(argument: Argument.endDate, role: .endDate)
            case .hasVersion, .hasSample: following(.existence)
            case .firstSeenAt: following(.firstSeenAt)
            default: following(.value)
            }
        }
    }()

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
