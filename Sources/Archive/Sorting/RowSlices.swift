import Synchronization

/// Row ids in slices. Readers side by side take one after the other, so that both have work to the end.
final class RowSlices: Sendable {
    private let ids: ClosedRange<Int64>
    private let size: Int64
    private let taken = Atomic<Int64>(0)
    private static let count: Int64 = 64

    init(_ ids: ClosedRange<Int64>) {
        self.ids = ids
        size = (ids.upperBound - ids.lowerBound) / Self.count + 1
    }

    /// A slice that nobody has taken; nil when there is none left.
    func next() -> ClosedRange<Int64>? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < Self.count else { return nil }
        let (start, overflow) = ids.lowerBound.addingReportingOverflow(number * size)
        guard !overflow, start <= ids.upperBound else { return nil }
        return start...(ids.upperBound - start < size ? ids.upperBound : start + size - 1)
    }

    /// Makes all slices ready to be taken again.
    func restart() { taken.store(0, ordering: .relaxed) }
}
