internal import SQLite

/// The samples that a relationship may name at either end: a bit for every so many ids, so that memory is bounded.
///
/// Two index lookups for each of many rows cost more than everything else that is asked of a row; most archives
/// have few relationships. A bit that is set for another sample costs such a look for nothing.
struct RelatedSamples: Sendable {
    private let bits: [UInt64]
    /// Bits; a power of two.
    private static let count = 1 << 21
    /// So many ids set nearly all bits.
    private static let limit = 4 * count

    /// Reads the samples that relationships name; nil where there is no relationship.
    init?(_ connection: borrowing Connection) throws(ArchiveError) {
        var ids = try connection.prepare(
            "SELECT source_sample_id FROM sample_relationships UNION ALL "
                + "SELECT target_sample_id FROM sample_relationships LIMIT \(Self.limit)")
        var bits = [UInt64](repeating: 0, count: Self.count / 64)
        var found = 0
        while try ids.step() {
            found += 1
            // As an integer, whatever it is stored as: a column's affinity can make a text or a real equal to an id.
            guard let id = ids.integer(0) else { continue }
            bits[Self.word(id)] |= Self.bit(id)
        }
        guard found > 0 else { return nil }
        self.bits = found < Self.limit ? bits : [UInt64](repeating: .max, count: bits.count)
    }

    /// Returns `true` if a relationship may name a sample. If it is `false`, none does.
    @inline(__always)
    func mayName(_ id: Int64) -> Bool { bits[Self.word(id)] & Self.bit(id) != 0 }

    private static func word(_ id: Int64) -> Int { Int(truncatingIfNeeded: id >> 6) & (count / 64 - 1) }
    private static func bit(_ id: Int64) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: id & 63) }
}
