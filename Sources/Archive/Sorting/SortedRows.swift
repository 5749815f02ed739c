internal import Bytes
internal import Pipeline

/// All rows of a scope in bundle order: from one reader, or from two that read and sort side by side.
struct SortedRows: ~Copyable {
    /// The readers; `nil` once everything is sorted.
    private var first: RowReader?
    private var second: Handed<RowReader>?
    private let slices: RowSlices?
    private var merge: RowMerge?

    init(_ first: consuming RowReader) {
        self.first = .some(first)
        slices = nil
    }

    init(_ first: consuming RowReader, _ second: consuming RowReader, _ slices: RowSlices) {
        self.first = .some(first)
        self.second = Handed(second)
        self.slices = slices
    }

    /// `true` if two readers are going to read.
    var isShared: Bool { second != nil }

    /// Puts the next row in place of `row`, and of a change with two versions the other one in place of `other`;
    /// false at the end.
    mutating func next(into row: inout ByteBuffer, other: inout ByteBuffer) throws(ArchiveError) -> Bool {
        if let first = first.take() {
            let runs = try Self.sorted(first, second, slices)
            second = nil
            let sorted = try RowMerge(runs)
            merge = .some(sorted)
        }
        // Nothing after an error.
        guard merge != nil else { return false }
        return try merge!.next(into: &row, companion: &other)
    }

    /// Reads and sorts all rows. Where a row has no compact form, all are packed again in the plain one.
    private static func sorted(_ first: consuming RowReader, _ second: Handed<RowReader>?, _ slices: RowSlices?)
        throws(ArchiveError) -> [RowRun]
    {
        for form in [SortKey.Form.compact, .plain] {
            slices?.restart()
            guard let second else {
                first.sort(as: form, slices)
                guard let runs = try first.runs.get() else { continue }
                return runs
            }
            sideBySide({ first.sort(as: form, slices) }, { second.value.sort(as: form, slices) })
            guard let own = try first.runs.get(), let others = try second.value.runs.get() else { continue }
            return own + others
        }
        preconditionFailure("every row has a plain form")
    }
}
