internal import Bytes

/// All rows of a scope in bundle order: from one reader, or from two that sort a half each, side by side.
struct SortedRows: ~Copyable {
    private var first: RowReader
    /// Reads the other half of the rows, until they are at an end.
    private var second: RowReader?
    private var isSorted = false

    init(_ first: consuming RowReader, _ second: consuming RowReader? = nil) {
        self.first = first
        self.second = second
    }

    /// Whether a second reader is at work.
    var isHalved: Bool {
        switch second {
        case .some: true
        case nil: false
        }
    }

    /// Puts the next row in place of `row`, and of a change with two versions the other one in place of `other`; false at the end.
    mutating func next(into row: inout ByteBuffer, other: inout ByteBuffer) throws(ArchiveError) -> Bool {
        if !isSorted { try sort() }
        switch turn {
        case .first: try first.take(into: &row, other: &other)
        case .second: try second?.take(into: &row, other: &other)
        case .nobody:
            second = nil
            return false
        }
        return true
    }

    private enum Turn { case first, second, nobody }

    /// Whose row is the next one.
    private var turn: Turn {
        switch second {
        case .some(let second) where !second.isAtEnd: first.isAtEnd || second.precedes(first) ? .second : .first
        default: first.isAtEnd ? .nobody : .first
        }
    }

    /// Sorts all rows. Where a row has no compact form, all are packed again in the plain one.
    private mutating func sort() throws(ArchiveError) {
        for form in [RowFront.Form.compact, .plain] where !isSorted {
            guard let other = second.take() else {
                first.sort(as: form)
                isSorted = try first.isSorted.get()
                continue
            }
            let handed = HandedReader(other)
            sideBySide({ first.sort(as: form) }, { handed.sort(as: form) })
            let sorted = handed.take()!
            isSorted = try first.isSorted.get()
            isSorted = try sorted.isSorted.get() && isSorted
            if isSorted { try sorted.releaseMemory() }
            second = .some(sorted)
        }
    }
}

/// A reader on its way to another thread and back. It may cross because one side at a time has it: `sideBySide` has waited for the other thread when the reader is taken out again.
private final class HandedReader: @unchecked Sendable {
    private var reader: RowReader?

    init(_ reader: consuming RowReader) { self.reader = .some(reader) }

    func sort(as form: RowFront.Form) { reader?.sort(as: form) }

    func take() -> RowReader? { reader.take() }
}
