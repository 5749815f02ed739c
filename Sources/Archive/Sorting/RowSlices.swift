package import SQLite
import Synchronization

/// Row ids in slices. Readers side by side take one after the other, so that both have work to the end.
package final class RowSlices: Sendable {
    package struct Slice {
        package let ids: ClosedRange<Int64>
        /// `true` if no slice is before it, or none after it.
        package let isFirst, isLast: Bool
    }

    private let ids: ClosedRange<Int64>
    private let size: Int64
    private let taken = Atomic<Int64>(0)
    private static let count: Int64 = 64

    package init(_ ids: ClosedRange<Int64>) {
        self.ids = ids
        size = (ids.upperBound - ids.lowerBound) / Self.count + 1
    }

    /// Returns a slice that nobody has taken; `nil` if there is none left.
    package func next() -> Slice? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < Self.count else { return nil }
        let (start, overflow) = ids.lowerBound.addingReportingOverflow(number * size)
        guard !overflow, start <= ids.upperBound else { return nil }
        let isLast = ids.upperBound - start < size
        return Slice(
            ids: start...(isLast ? ids.upperBound : start + size - 1), isFirst: number == 0, isLast: isLast)
    }

    /// Makes all slices ready to be taken again.
    package func restart() { taken.store(0, ordering: .relaxed) }
}

/// A statement that selects rows by sample, and two more parameters that bound the ids of the samples.
extension SQLiteStatement {
    /// Binds the next slice, if one is left.
    package mutating func take(_ slices: RowSlices) -> Bool {
        guard let slice = slices.next() else { return false }
        reset()
        bind(slice)
        return true
    }

    /// Binds the bounds of a slice, the last two parameters.
    package mutating func bind(_ slice: RowSlices.Slice) {
        let last = Int32(parameterCount)
        bind(last - 1, slice.ids.lowerBound)
        bind(last, slice.ids.upperBound)
    }
}
