internal import Bytes
internal import CSQLite

/// The SQL function `hp_row(kind, sample_uuid_hash, payload_hash, strict_fingerprint, sample id, version id, range's first observation, range's row id, sample_type_id, start_date, end_date, first_seen_at, column, …)`: a row as one BLOB.
///
/// Columns whose values stand in the front, or are the range's `first_seen_at` again, are pointers: every byte of a row is sorted, written and read again. The range's own stand for themselves, since they are a detail of their own.
final class RowFunction: SQLFunction {
    // Members of a class are checked for overlapping uses at each use: all that a row needs is one member.
    private var packer = RowPacker()
    /// Whether a row could not be packed in the compact form.
    private(set) var isRefused = false

    /// Sets the place of each sample type in the order of their identifiers, and what tells whose relationships to look up; nil where there are none.
    func prepare(ranks: TypeRanks, related: RelatedSamples?) {
        packer.ranks = ranks
        packer.related = related
    }

    /// Packs the rows that follow in this form. In the compact form a text that does not fit fails the statement and sets `isRefused`.
    func begin(_ form: RowFront.Form) {
        packer.form = form
        isRefused = false
    }

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard unsafe packer.pack(values) else {
            isRefused = true
            return unsafe sqlite3_result_error(context, "hp_row: not in compact form", -1)
        }
        unsafe packer.give(to: context)
    }

    /// The bytes of a TEXT value that canonical JSON can carry; nil for any other value.
    static func carryableText(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard unsafe sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        let start = unsafe sqlite3_value_text(value)
        let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        return unsafe isCarryable(Span(_unsafeElements: text)) ? text : nil
    }
}

/// Packs a row.
private struct RowPacker: ~Copyable {
    var form = RowFront.Form.compact
    var ranks = TypeRanks([:])
    var related: RelatedSamples?
    private var row = ByteBuffer(capacity: 4096)

    /// The arguments in order; from `sourceRevisionID` on as `RecordColumn.sql` has them.
    private enum Argument: Int {
        case kind, sampleUUIDHash, payloadHash, strictFingerprint, sampleID, versionID, firstObservationID, rangeRowID, sampleTypeID, startDate, endDate, rangeFirstSeenAt
        case sourceRevisionID, hkDeviceID, metadataID, versionRowID, sampleRowID, firstSeenObservationID, firstSeenAt, valueKind, unit, workoutActivityType, createdObservationID
        case semanticFingerprint, fuzzyKey, numericValue, categoryValue, durationSeconds
    }

    /// The values of a call.
    @unsafe private struct Arguments {
        let values: UnsafeBufferPointer<OpaquePointer?>

        subscript(_ argument: Argument) -> OpaquePointer? { unsafe values[argument.rawValue] }
    }

    /// Makes the row the result of a call.
    func give(to context: OpaquePointer) {
        guard row.count < 1 << 30 else { return unsafe sqlite3_result_error_toobig(context) }
        unsafe sqlite3_result_blob(context, row.contents.baseAddress, Int32(row.count), hp_sqlite_transient())
    }

    /// Puts a row in place of the one before; false where it has no compact form.
    mutating func pack(_ arguments: UnsafeBufferPointer<OpaquePointer?>) -> Bool {
        let values = unsafe Arguments(values: arguments)
        row.removeAll()
        let kind = unsafe UInt8(truncatingIfNeeded: sqlite3_value_int(values[.kind]))
        let (start, end) = unsafe (OrderKeyFunction.date(values[.startDate]), OrderKeyFunction.date(values[.endDate]))
        let uuid = unsafe Self.hash(values[.sampleUUIDHash], form)
        let payload = unsafe Self.hash(values[.payloadHash], form)
        let strict = unsafe Self.hash(values[.strictFingerprint], form)

        // The front.
        Self.append(Int64(unsafe ranks.rank(of: values[.sampleTypeID])), to: &row)
        row.append(bigEndian: start.map(OrderKeyFunction.orderedBits) ?? 0)
        row.append(bigEndian: end.map(OrderKeyFunction.orderedBits) ?? 0)
        row.append(form.rawValue)
        guard unsafe Self.append(uuid ?? strict, form, to: &row), unsafe Self.append(payload, form, to: &row), unsafe Self.append(strict, form, to: &row) else { return false }
        row.append(kind)
        unsafe Self.append(sqlite3_value_int64(values[.sampleID]), to: &row)
        unsafe row.append(Self.storageRank(values[.versionID]))
        unsafe Self.append(sqlite3_value_int64(values[.versionID]), to: &row)
        unsafe Self.append(sqlite3_value_int64(values[.firstObservationID]), to: &row)
        unsafe Self.append(sqlite3_value_int64(values[.rangeRowID]), to: &row)

        // The columns, in the order of `RecordColumn`.
        unsafe PackedValue.append(values[.sampleTypeID], to: &row)
        unsafe PackedValue.append(values[.sourceRevisionID], to: &row)
        unsafe PackedValue.append(values[.hkDeviceID], to: &row)
        unsafe PackedValue.append(values[.metadataID], to: &row)
        unsafe Self.append(values[.versionID], orPointer: PackedValue.Tag.versionID, where: Self.isInteger(values[.versionID]), to: &row)
        row.append(flag: unsafe Self.mayBeRelated(kind, values[.sampleID], related))
        // Only a record has a range, and that has no end: it is visible.
        if kind == RowBatch.Kind.record.rawValue {
            unsafe PackedValue.append(values[.firstObservationID], to: &row)
            unsafe PackedValue.append(values[.rangeFirstSeenAt], to: &row)
        } else {
            for _ in 0..<2 { row.append(PackedValue.Tag.null) }
        }
        for _ in 0..<2 { row.append(PackedValue.Tag.null) }
        row.append(flag: unsafe sqlite3_value_type(values[.versionRowID]) != SQLITE_NULL)
        row.append(flag: unsafe sqlite3_value_type(values[.sampleRowID]) != SQLITE_NULL)
        unsafe PackedValue.append(values[.firstSeenObservationID], to: &row)
        unsafe Self.append(values[.firstSeenAt], orPointer: PackedValue.Tag.rangeFirstSeenAt, where: Self.isSameReal(values[.firstSeenAt], values[.rangeFirstSeenAt]), to: &row)
        unsafe PackedValue.append(values[.valueKind], to: &row)
        unsafe PackedValue.append(values[.unit], to: &row)
        unsafe PackedValue.append(values[.workoutActivityType], to: &row)
        unsafe PackedValue.append(values[.createdObservationID], to: &row)
        unsafe Self.append(values[.sampleUUIDHash], orPointer: PackedValue.Tag.field.lowerBound, where: uuid != nil, to: &row)
        unsafe Self.append(values[.payloadHash], orPointer: PackedValue.Tag.field.lowerBound + 1, where: payload != nil, to: &row)
        unsafe Self.append(values[.strictFingerprint], orPointer: PackedValue.Tag.field.lowerBound + 2, where: strict != nil, to: &row)
        unsafe Self.append(values[.sampleID], orPointer: PackedValue.Tag.sampleID, where: Self.isInteger(values[.sampleID]), to: &row)
        unsafe PackedValue.append(values[.semanticFingerprint], to: &row)
        unsafe PackedValue.append(values[.fuzzyKey], to: &row)
        unsafe Self.append(values[.startDate], orPointer: PackedValue.Tag.startDate, where: start != nil && Self.isReal(values[.startDate]), to: &row)
        unsafe Self.append(values[.endDate], orPointer: PackedValue.Tag.endDate, where: end != nil && Self.isReal(values[.endDate]), to: &row)
        unsafe PackedValue.append(values[.numericValue], to: &row)
        unsafe PackedValue.append(values[.categoryValue], to: &row)
        unsafe PackedValue.append(values[.durationSeconds], to: &row)
        return true
    }

    /// Appends a column, or a pointer where its value stands elsewhere in the row.
    @inline(__always)
    private static func append(_ value: OpaquePointer?, orPointer pointer: UInt8, where isThere: Bool, to row: inout ByteBuffer) {
        if isThere { row.append(pointer) } else { unsafe PackedValue.append(value, to: &row) }
    }

    /// The text of a hash that has a canonical form; nil for any other value. Of 64 bytes the compact form finds out by itself whether they are digits, and so have one.
    private static func hash(_ value: OpaquePointer?, _ form: RowFront.Form) -> UnsafeBufferPointer<UInt8>? {
        if form == .compact, unsafe sqlite3_value_type(value) == SQLITE_TEXT, let start = unsafe sqlite3_value_text(value), unsafe sqlite3_value_bytes(value) == 64 {
            return unsafe UnsafeBufferPointer(start: start, count: 64)
        }
        return unsafe RowFunction.carryableText(value)
    }

    /// Appends a hash to the front; false where it has no compact form.
    private static func append(_ text: UnsafeBufferPointer<UInt8>?, _ form: RowFront.Form, to row: inout ByteBuffer) -> Bool {
        guard form == .compact else {
            if let text = unsafe text { unsafe row.append(UnsafeRawBufferPointer(text)) }
            row.append(0)
            return true
        }
        unsafe row.append(text == nil ? 0 : 1)
        guard let text = unsafe text else { return true }
        return unsafe row.append(digest: text.span)
    }

    /// Whether relationships are to be looked up: records and samples have them.
    private static func mayBeRelated(_ kind: UInt8, _ sampleID: OpaquePointer?, _ related: RelatedSamples?) -> Bool {
        guard let related, kind <= RowBatch.Kind.sample.rawValue else { return false }
        return unsafe !isInteger(sampleID) || related.mayName(sqlite3_value_int64(sampleID))
    }

    private static func isInteger(_ value: OpaquePointer?) -> Bool { unsafe sqlite3_value_type(value) == SQLITE_INTEGER }
    private static func isSameReal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Bool {
        unsafe isReal(left) && isReal(right) && sqlite3_value_double(left).bitPattern == sqlite3_value_double(right).bitPattern
    }
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

    /// Appends a number of the front.
    private static func append(_ number: Int64, to row: inout ByteBuffer) {
        let magnitude = UInt64(bitPattern: number < 0 ? ~number : number)
        let count = (71 - magnitude.leadingZeroBitCount) >> 3
        row.append(number < 0 ? 0x7F - UInt8(count) : 0x80 + UInt8(count))
        if count > 0 { row.append(bigEndian: UInt64(bitPattern: number), count: count) }
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
