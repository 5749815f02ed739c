internal import Archive
internal import Bytes

/// The contents of a record that days look at.
struct DayRecord {
    /// Microseconds; `nil` if the record has no day.
    var start: Int64?
    /// At or after the start.
    var end: Int64 = 0
    /// The number of its source.
    var source = 0
    var maker = Maker()
    /// `true` if it names another zone than the observation.
    var isOfOtherZone = false
    /// Of a cumulative type what it adds, of a workout how many microseconds it lasts.
    var amount: Int64?
    /// Of a discrete type, in the canonical unit.
    var value: Double?
    /// A category value, or an activity.
    var part: Int64?
    /// Of a workout energy and distance, of rings their values.
    var others: [Int64?] = []

    /// The maker of a record.
    struct Maker {
        enum Device: UInt8 { case unknown, phone, watch }

        var device = Device.unknown
        var isUserEntered = false
    }

    /// From its start to its end.
    var length: Int64 { end - (start ?? end) }

    /// `true` if it is counted and not spread over days.
    var isLong: Bool { length > Microseconds.longest }
}

// How a record travels with a sorted row.
extension DayRecord {
    func append(to bytes: inout ByteBuffer) {
        bytes.append(lowBytesOf: UInt64(source), count: 4)
        bytes.append(maker.device.rawValue | (maker.isUserEntered ? 4 : 0) | (isOfOtherZone ? 8 : 0))
        bytes.append(lowBytesOf: UInt64(bitPattern: end))
        bytes.append(optional: amount)
        bytes.append(optional: value)
        bytes.append(optional: part)
        bytes.append(UInt8(others.count))
        for other in others { bytes.append(optional: other) }
    }

    /// Reads what `append` wrote.
    init(_ reader: inout CompactReader, start: Int64?) {
        self.start = start
        source = reader.number(4)
        let flags = reader.byte()
        maker = Maker(device: Maker.Device(rawValue: flags & 3) ?? .unknown, isUserEntered: flags & 4 != 0)
        isOfOtherZone = flags & 8 != 0
        end = reader.integer()
        amount = reader.optional { $0.integer() }
        value = reader.optional { $0.double() }
        part = reader.optional { $0.integer() }
        for _ in 0..<reader.byte() { others.append(reader.optional { $0.integer() }) }
    }
}

/// Reads records in the order of their types and starts, each once.
struct DayRowReader: ~Copyable {
    private var row = ByteBuffer()
    private var companion = ByteBuffer()
    private var last: [UInt8] = []

    /// Returns the next record with the rank of its type; `nil` at the end.
    mutating func next(_ merge: inout RowMerge, _ types: DayTypes) throws(ArchiveError) -> (Int, DayRecord)? {
        while try merge.next(into: &row, companion: &companion) {
            // Two ranges of one version are one record.
            if row.span.isSame(as: last.span) { continue }
            last = row.array
            func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(row.span[$1]) } }
            let start = row.span[4] == 0 ? nil : Int64(bitPattern: number(5..<13) ^ 1 << 63)
            var reader = CompactReader(companion.span)
            return (Int(number(0..<4)), DayRecord(&reader, start: start))
        }
        return nil
    }
}
