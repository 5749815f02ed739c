import Bytes
import Files
import Scratch
import Testing

@testable import Archive

@Suite struct `Sorting rows` {
    /// Sorts rows with their companions and gives them back in pairs.
    private func sorted(_ rows: [([UInt8], [UInt8])], memory: Int, fanIn: Int) throws -> [[[UInt8]]] {
        var sorter = RowSorter(of: Path("a.sqlite"), memory: memory, fanIn: fanIn)
        for (row, companion) in rows { try sorter.add(row.span, companion: companion.span) }
        var merge = try RowMerge(sorter.finish())
        var row = ByteBuffer()
        var companion = ByteBuffer()
        var found: [[[UInt8]]] = []
        while try merge.next(into: &row, companion: &companion) { found.append([row.array, companion.array]) }
        let isOver = try !merge.next(into: &row, companion: &companion)
        #expect(isOver)
        return found
    }

    /// The order of bytes, of the row and then of its companion, without any code of the sorter.
    private func precedes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
        left.lexicographicallyPrecedes(right) { $0.lexicographicallyPrecedes($1) }
    }

    @Test(arguments: [(1 << 20, 128), (2000, 128), (2000, 2), (700, 3), (1, 2)])
    func `rows come back in the order of their bytes, each with its companion`(memory: Int, fanIn: Int) throws {
        var random = SeededGenerator()
        var rows: [([UInt8], [UInt8])] = []
        for number in 0..<1500 {
            // Few different bytes make many equal beginnings; one row is larger than any buffer.
            let count = number == 700 ? 100_000 : Int.random(in: 0...24, using: &random)
            let row =
                (0..<count).map { _ in UInt8.random(in: 0...2, using: &random) }
                + (count > 12 ? [UInt8(number & 255), UInt8(number >> 8)] : [])
            rows.append((row, number.isMultiple(of: 3) ? row.reversed() : []))
        }
        #expect(
            try sorted(rows, memory: memory, fanIn: fanIn) == rows.map { [$0.0, $0.1] }.sorted(by: precedes),
            "\(random)")
    }

    @Test(arguments: [1 << 20, 500]) func `rows that are in order stay so`(memory: Int) throws {
        let rows = (0..<1000).map { number -> ([UInt8], [UInt8]) in
            ([UInt8(number >> 8), UInt8(number & 255), 7, 7, 7, 7, 7, 7, 7], [])
        }
        #expect(try sorted(rows, memory: memory, fanIn: 2).map { $0[0] } == rows.map(\.0))
    }

    @Test func `no rows are no error`() throws {
        #expect(try sorted([], memory: 100, fanIn: 2).isEmpty)
    }

    @Test(arguments: [0...0, -5...1000, Int64.max - 70...Int64.max, Int64.min...Int64.min + 3, 0...Int64.max - 1])
    func `slices hold every row id once`(ids: ClosedRange<Int64>) {
        let slices = RowSlices(ids)
        for _ in 0..<2 {
            var next = ids.lowerBound
            while let slice = slices.next() {
                #expect(slice.ids.lowerBound == next)
                #expect(slice.isFirst == (slice.ids.lowerBound == ids.lowerBound))
                #expect(slice.isLast == (slice.ids.upperBound == ids.upperBound))
                next = slice.ids.upperBound &+ 1
            }
            #expect(next == ids.upperBound &+ 1)
            slices.restart()
        }
    }
}
