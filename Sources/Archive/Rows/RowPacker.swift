internal import Bytes
internal import SQLite

/// Packs the rows of a statement: the front of a row (`SortKey`), then its columns in the order of `RecordColumn`.
///
/// The statement selects the columns of a `RecordSource`. Columns whose values stand in the front, or are the
/// range's `first_seen_at` again, are pointers: every byte of a row is sorted, written and read again. The range's
/// own stand for themselves, since they are a detail of their own.
struct RowPacker {
    private typealias Tag = PackedValue.Tag

    /// From this kind on, rows are changes: only they have something in the place of a range's end.
    private static let change = RowBatch.Kind.appeared.rawValue

    private var ranks: TypeRanks
    private let related: RelatedSamples?

    /// - Parameters:
    ///   - ranks: the place of each sample type in the order of their identifiers.
    ///   - related: tells whose relationships to look up; nil where there are none.
    init(ranks: TypeRanks, related: RelatedSamples?) {
        self.ranks = ranks
        self.related = related
    }

    /// Puts a row of the statement in place of what `row` holds; false where it has no compact form.
    ///
    /// - Parameter first: the statement's column where the row begins.
    mutating func pack(
        _ statement: borrowing Statement, from first: Int32 = 0, as form: SortKey.Form, into row: inout ByteBuffer
    ) -> Bool {
        let type = statement.value(.sampleTypeID, from: first)
        let uuid = statement.value(.sampleUUIDHash, from: first)
        let payload = statement.value(.payloadHash, from: first)
        let strict = statement.value(.strictFingerprint, from: first)
        let (start, end) = (statement.value(.startDate, from: first), statement.value(.endDate, from: first))
        let (sample, version) = (statement.value(.sampleID, from: first), statement.value(.versionID, from: first))
        let kind = UInt8(truncatingIfNeeded: statement.value(.kind, from: first).integer)
        let (startDate, endDate) = (start.date, end.date)
        let hasStart = startDate != nil && start.storageClass == .real
        let hasEnd = endDate != nil && end.storageClass == .real
        let uuidText = Self.hash(uuid, form)
        let payloadText = Self.hash(payload, form)
        let strictText = Self.hash(strict, form)

        // The front.
        row.removeAll()
        Self.append(Int64(ranks.rank(of: type)), to: &row)
        row.append(bigEndian: startDate.map(OrderKeyFunction.orderedBits) ?? 0)
        row.append(bigEndian: endDate.map(OrderKeyFunction.orderedBits) ?? 0)
        row.append(form.rawValue)
        guard Self.append(uuidText == nil ? strictText : uuidText, form, to: &row),
            Self.append(payloadText, form, to: &row),
            Self.append(strictText, form, to: &row)
        else { return false }
        row.append(kind)
        Self.append(sample.integer, to: &row)
        row.append(Self.storageRank(version))
        Self.append(version.integer, to: &row)
        Self.append(statement.value(.place, from: first).integer, to: &row)
        Self.append(statement.value(.placeRow, from: first).integer, to: &row)

        // The columns.
        for column in RecordColumn.inOrder {
            switch column {
            case .sampleTypeID: PackedValue.append(type, to: &row)
            case .sampleUUIDHash: Self.append(uuid, or: Tag.identity, where: uuidText != nil, to: &row)
            case .payloadHash: Self.append(payload, or: Tag.payload, where: payloadText != nil, to: &row)
            case .strictFingerprint: Self.append(strict, or: Tag.strict, where: strictText != nil, to: &row)
            case .sampleID: Self.append(sample, or: Tag.sampleID, where: sample.storageClass == .integer, to: &row)
            case .versionID: Self.append(version, or: Tag.versionID, where: version.storageClass == .integer, to: &row)
            case .startDate: Self.append(start, or: Tag.startDate, where: hasStart, to: &row)
            case .endDate: Self.append(end, or: Tag.endDate, where: hasEnd, to: &row)
            case .firstSeenAt:
                let (seen, range) = (
                    statement.value(column, from: first), statement.value(.rangeFirstSeenAt, from: first)
                )
                Self.append(seen, or: Tag.rangeFirstSeenAt, where: Self.isSameReal(seen, range), to: &row)
            case .isRelated: row.append(Tag.flag(Self.mayBeRelated(kind, sample, related)))
            case .hasVersion, .hasSample:
                row.append(Tag.flag(statement.value(column, from: first).storageClass != .null))
            case .rangeLastObservationID, .rangeLastSeenAt:
                Self.append(statement.value(column, from: first), or: Tag.null, where: kind < Self.change, to: &row)
            default: PackedValue.append(statement.value(column, from: first), to: &row)
            }
        }
        return true
    }

    /// Appends a value, or a pointer where it stands elsewhere in the row.
    @inline(__always)
    private static func append(_ value: SQLiteValue, or pointer: UInt8, where isThere: Bool, to row: inout ByteBuffer) {
        if isThere { row.append(pointer) } else { PackedValue.append(value, to: &row) }
    }

    /// Returns the text of a hash that has a canonical form; `nil` for any other value. For 64 bytes the compact form
    /// itself finds out if they are digits, and so have one.
    @inline(__always) @_lifetime(copy value)
    private static func hash(_ value: SQLiteValue, _ form: SortKey.Form) -> Span<UInt8>? {
        guard let text = value.text else { return nil }
        return form == .compact && text.count == 64 || isCarryable(text) ? text : nil
    }

    /// Appends a hash to the front, or that there is none; false where it has no compact form.
    @inline(__always)
    private static func append(_ text: Span<UInt8>?, _ form: SortKey.Form, to row: inout ByteBuffer) -> Bool {
        guard form == .compact else {
            if let text { row.append(copying: text) }
            row.append(0)
            return true
        }
        guard let text else {
            row.append(0)
            return true
        }
        row.append(1)
        return row.append(digest: text)
    }

    /// Returns `true` if relationships are to be looked up: records and samples have them.
    @inline(__always)
    private static func mayBeRelated(_ kind: UInt8, _ sampleID: SQLiteValue, _ related: RelatedSamples?) -> Bool {
        // Only an integer names a sample.
        guard let related, kind <= RowBatch.Kind.sample.rawValue, sampleID.storageClass == .integer else {
            return false
        }
        return related.mayName(sampleID.integer)
    }

    private static func isSameReal(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
        left.storageClass == .real && right.storageClass == .real && left.real.bitPattern == right.real.bitPattern
    }

    /// Returns the place of a value's storage class in SQLite's order: NULL, numbers, text, blobs.
    private static func storageRank(_ value: SQLiteValue) -> UInt8 {
        switch value.storageClass {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
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

extension SQLiteStatement {
    /// Returns a column of the row that begins at the column `first`.
    @inline(__always) @_lifetime(borrow self)
    fileprivate func value(_ column: RecordColumn, from first: Int32) -> SQLiteValue {
        value(first &+ Int32(column.rawValue))
    }

    /// Returns another value that the front is made of.
    @inline(__always) @_lifetime(borrow self)
    fileprivate func value(_ column: FrontColumn, from first: Int32) -> SQLiteValue {
        value(first &+ Int32(RecordColumn.count &+ column.rawValue))
    }
}
