package import Bytes

/// Reads the rows of several runs as one sequence, in order.
package struct RowMerge: ~Copyable {
    private var readers: [RunReader] = []
    /// The next row of each run that has one: a binary heap, the least first.
    private var heap: [Head] = []

    private struct Head {
        package var prefix: UInt64
        package let reader: Int
    }

    /// Bytes of all buffers together, as long as none becomes smaller than `leastBuffer` and no row is larger: what
    /// merging needs hardly depends on how many runs there are.
    private static let memory = 4 << 20
    private static let leastBuffer = 1 << 12
    private static let greatestBuffer = 1 << 19

    /// The rows of some runs.
    package init(_ runs: [RowRun]) throws(ArchiveError) {
        let size = min(Self.greatestBuffer, max(Self.leastBuffer, Self.memory / max(runs.count, 1)))
        for run in runs {
            var reader = RunReader(run, bufferSize: size)
            guard try reader.advance() else { continue }
            heap.append(Head(prefix: reader.prefix, reader: readers.count))
            readers.append(reader)
        }
        for place in (0..<heap.count / 2).reversed() { siftDown(from: place) }
    }

    /// Puts the next row in place of `row` and what it brings along in place of `companion`; false at the end.
    package mutating func next(into row: inout ByteBuffer, companion: inout ByteBuffer) throws(ArchiveError) -> Bool {
        guard let least = heap.first?.reader else { return false }
        readers[least].copy(into: &row, companion: &companion)
        if try readers[least].advance() {
            heap[0].prefix = readers[least].prefix
        } else {
            let last = heap.removeLast()
            if heap.isEmpty { return true }
            heap[0] = last
        }
        siftDown(from: 0)
        return true
    }

    private mutating func siftDown(from start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, precedes(child + 1, child) { child += 1 }
            guard precedes(child, place) else { return }
            heap.swapAt(child, place)
            place = child
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (heap[left], heap[right])
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return readers[left.reader].row(precedes: readers[right.reader])
    }
}

/// Reads one run, row by row.
private struct RunReader {
    private let file: SortFile?
    /// The part of the file beyond the buffer.
    private var rest: Range<Int64>
    private var buffer: [UInt8]
    private var filled: Int
    private var place = RowPlace(start: 0, rowCount: -RowPlace.headSize, companionCount: 0)
    private let bufferSize: Int

    /// The beginning of the row's bytes.
    private(set) var prefix: UInt64 = 0

    package init(_ run: RowRun, bufferSize: Int) {
        self.bufferSize = bufferSize
        file = run.file
        rest = run.range
        buffer = run.memory
        filled = buffer.count
    }

    /// Goes to the next row; false at the end.
    package mutating func advance() throws(ArchiveError) -> Bool {
        let start = place.end
        if start == filled, rest.isEmpty {
            buffer = []
            return false
        }
        place = try head(at: start)
        prefix = RowPlace.prefix(buffer.span.extracting(place.row))
        return true
    }

    /// Makes sure that the row at `start` is in the buffer, and where it stands then.
    private mutating func head(at start: Int) throws(ArchiveError) -> RowPlace {
        var start = start
        if filled - start < RowPlace.headSize {
            try load(from: start, atLeast: RowPlace.headSize)
            start = 0
        }
        let place = RowPlace(buffer.span, at: start)
        guard place.end > filled else { return place }
        try load(from: start, atLeast: place.range.count)
        return RowPlace(buffer.span, at: 0)
    }

    /// Reads again from the row that begins at `start`, so that it is whole.
    private mutating func load(from start: Int, atLeast least: Int) throws(ArchiveError) {
        let begin = rest.lowerBound - Int64(filled - start)
        let count = Int(min(Int64(max(bufferSize, least)), rest.upperBound - begin))
        // A buffer that one large row needed is given back behind it.
        if buffer.count < count || buffer.count > max(bufferSize, least) {
            buffer = [UInt8](repeating: 0, count: count)
        }
        guard let file, count >= least else { preconditionFailure("a run ends within a row") }
        try file.read(into: &buffer, at: begin, count: count)
        filled = count
        rest = begin + Int64(count)..<rest.upperBound
    }

    package func copy(into row: inout ByteBuffer, companion: inout ByteBuffer) {
        row.removeAll()
        companion.removeAll()
        let bytes = buffer.span
        row.append(copying: bytes.extracting(place.row))
        if place.companionCount > 0 { companion.append(copying: bytes.extracting(place.companion)) }
    }

    package func row(precedes other: borrowing RunReader) -> Bool {
        place.precedes(other.place, buffer.span, other.buffer.span)
    }
}
