internal import Format
internal import Measures

extension ItemFacts {
    /// Returns the contribution of an item of a day report to the totals.
    func dayCounts(_ form: Forms, in line: Span<UInt8>) -> DayCounts {
        var counts = DayCounts()
        if !Forms.nights.isSuperset(of: form) {
            counts.recordCount = Int128(self[.recordCount].flatMap { Self.integer($0, line) } ?? 0)
        }
        guard let sum = self[.valueSum], let dropped = self[.droppedSum], let unit = Self.bytes(self[.unit], line)
        else { return counts }
        let digits = DayCounts.digits(unit)
        counts.sums = .init(
            unit: unit, kept: DecimalAmount.nearest(double(sum.range, in: line), digits: digits),
            dropped: DecimalAmount.nearest(double(dropped.range, in: line), digits: digits))
        return counts
    }
}
