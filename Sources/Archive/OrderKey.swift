internal import CSQLite
internal import Timestamps

/// The SQL function `hp_order(sample_type_id, start_date)`: the first two keys of the bundle order (`Spec/bundle.md`, Order of items) as one short text.
///
/// SQLite's sorter compares a record's first column directly when that is text, and unpacks whole records only where it ties. The text is ASCII, so that it sorts alike in UTF-8 and UTF-16 databases:
///
///     rank of the type (1 to 6) │ start: 0, or 1 and 11 digits (12)         digits of base 64, in ASCII order
final class OrderKeyFunction: SQLFunction {
    private var ranks: TypeRanks
    /// Digits that the greatest rank needs.
    private let rankCount: Int
    // A copy of its own: functions on two threads would otherwise count references to one array.
    private let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8)

    init(ranks: [Int64: Int]) {
        self.ranks = TypeRanks(ranks)
        rankCount = max(1, (69 - (ranks.values.max() ?? 0).leadingZeroBitCount) / 6)
        precondition(rankCount <= 6)
    }

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        var key: InlineArray<18, UInt8> = .init(repeating: 0x30)
        put(UInt64(unsafe ranks.rank(of: values[0])), in: &key, at: 0, count: rankCount)
        if let start = unsafe Self.date(values[1]) {
            key[rankCount] = 0x31
            put(Self.orderedBits(start), in: &key, at: rankCount + 1, count: 11)
        }
        let span = key.span
        unsafe span.withUnsafeBytes { unsafe sqlite3_result_text(context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(rankCount + 12), hp_sqlite_transient()) }
    }

    private func put(_ number: UInt64, in key: inout InlineArray<18, UInt8>, at start: Int, count: Int) {
        let digits = digits
        var rest = number
        for index in (start..<start + count).reversed() {
            key[index] = digits[Int(rest & 63)]
            rest >>= 6
        }
    }

    /// The date of a value that has a timestamp. Any other sorts like an absent one: first.
    static func date(_ value: OpaquePointer?) -> Double? {
        let type = unsafe sqlite3_value_type(value)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return nil }
        let seconds = unsafe sqlite3_value_double(value)
        return isTimestamp(seconds) ? seconds : nil
    }

    /// The bits of a double, made to compare like integers: negative ones are turned around.
    static func orderedBits(_ seconds: Double) -> UInt64 {
        let bits = seconds.bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The double that has these ordered bits.
    static func double(orderedBits bits: UInt64) -> Double { Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits) }

    /// Whether a stored date has a canonical text.
    static func isTimestamp(_ seconds: Double) -> Bool {
        guard !(seconds == 0 && seconds.sign == .minus) else { return false }
        // From 2^23 seconds on a double's unit is coarser than a nanosecond, so nine digits always do.
        if seconds.magnitude >= 8_388_608, seconds >= Double(Calendar.range.lowerBound), seconds < 253_402_300_799 { return true }
        return (try? TimestampText(seconds)) != nil
    }
}

/// The place of each sample type in the order of their identifiers, from 1; 0 for a type without one.
struct TypeRanks {
    private let ranks: [Int64: Int]
    /// The rank of the row before: rows of a type come in runs.
    private var last: (id: Int64, rank: Int)?

    init(_ ranks: [Int64: Int]) { self.ranks = ranks }

    /// The rank of a value of `sample_type_id`. A reference that is no integer leads to no type, and sorts like an absent one.
    mutating func rank(of value: OpaquePointer?) -> Int {
        guard unsafe sqlite3_value_type(value) == SQLITE_INTEGER else { return 0 }
        let id = unsafe sqlite3_value_int64(value)
        if let last, last.id == id { return last.rank }
        let rank = ranks[id] ?? 0
        last = (id, rank)
        return rank
    }
}
