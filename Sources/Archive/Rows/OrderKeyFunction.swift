package import SQLite

/// The SQL function `hp_order(sample_type_id, start_date)`: the first two keys of the bundle order
/// (`Spec/bundle.md`, Order of items) as one short text.
///
/// SQLite's sorter compares a record's first column directly when that is text, and unpacks whole records only
/// where it ties. The text is ASCII, so that it sorts alike in UTF-8 and UTF-16 databases:
///
///     rank of the type (1 to 6) │ start: 0, or 1 and 11 digits (12)         digits of base 64, in ASCII order
package final class OrderKeyFunction: SQLFunction {
    private var ranks: TypeRanks
    /// Digits that the greatest rank needs.
    private let rankCount: Int
    // A copy of its own: functions on two threads would otherwise count references to one array.
    private let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8)

    package init(ranks: [Int64: Int]) {
        self.ranks = TypeRanks(ranks)
        rankCount = max(1, (69 - (ranks.values.max() ?? 0).leadingZeroBitCount) / 6)
        precondition(rankCount <= 6)
    }

    package func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        var key: InlineArray<18, UInt8> = .init(repeating: UInt8(ascii: "0"))
        put(UInt64(ranks.rank(of: arguments[0])), in: &key, at: 0, count: rankCount)
        if let start = arguments[1].date {
            key[rankCount] = UInt8(ascii: "1")
            put(Self.orderedBits(start), in: &key, at: rankCount + 1, count: 11)
        }
        let span = key.span
        result.set(text: span.extracting(first: rankCount + 12))
    }

    private func put(_ number: UInt64, in key: inout InlineArray<18, UInt8>, at start: Int, count: Int) {
        let digits = digits
        var rest = number
        for index in (start..<start + count).reversed() {
            key[index] = digits[Int(rest & 63)]
            rest >>= 6
        }
    }

    /// Returns the bits of a double, made to compare like integers: negative ones are turned around.
    package static func orderedBits(_ seconds: Double) -> UInt64 {
        let bits = seconds.bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// Returns the double that has these ordered bits.
    package static func double(orderedBits bits: UInt64) -> Double {
        Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
    }
}
