import Archive
import Scratch
import Testing

@testable import Derivation

@Suite struct `Aggregates` {
    // MARK: Values

    /// The units of Apple's types and their conversion are those of `Spec/measures.json`: a mile has 1609.344 m.
    @Test func `a value is taken in the canonical unit of its type`() {
        var amounts = Amounts(.two)
        amounts.begin(type: Array("HKQuantityTypeIdentifierDistanceWalkingRunning".utf8))
        #expect(amounts.areSummed)
        #expect(amounts.amount(2, unit: Array("mi".utf8)) == .value(3218.688))
        #expect(amounts.amount(2, unit: Array("m".utf8)) == .value(2))
        #expect(amounts.amount(-0.0, unit: Array("m".utf8)) == .value(0))
        #expect(amounts.amount(2, unit: Array("kg".utf8)) == .incomparable)
        #expect(amounts.amount(2, unit: nil) == .incomparable)
        #expect(amounts.amount(1e308, unit: Array("km".utf8)) == .incomparable)
        #expect(amounts.amount(nil, unit: Array("m".utf8)) == Amount.none)
        #expect(amounts.amount(.infinity, unit: Array("m".utf8)) == Amount.none)
        amounts.begin(type: Array("HKQuantityTypeIdentifierHeartRate".utf8))
        #expect(!amounts.areSummed)
    }

    @Test func `an archive without rules has its values as they are stored`() {
        var amounts = Amounts(nil)
        amounts.begin(type: Array("HKQuantityTypeIdentifierHeartRate".utf8))
        #expect(amounts.areSummed)
        #expect(amounts.amount(61, unit: nil) == .value(61))
    }

    @Test func `a group says what its records are, in any order`() {
        let records: [(Double, Double, Amount)] = [
            (30, 40, .value(1e16)), (10, 20, .none), (20, 99, .value(1)), (25, 26, .value(-1e16)),
        ]
        for order in [records, records.reversed()] {
            var group = AggregateGroup()
            for (start, end, amount) in order { group.add(start: start, end: end, amount: amount) }
            let values = group.values(areSummed: true)
            #expect(values.count == 4)
            #expect(values.earliestStart == 10)
            #expect(values.latestEnd == 99)
            #expect(values.sum == 1)
            #expect(values.maximum == 1e16)
            #expect(group.values(areSummed: false).sum == nil)
            #expect(group.magnitude == 2e16)
        }
    }

    @Test func `a group with a value that cannot be compared has no sum and no maximum`() {
        var group = AggregateGroup()
        group.add(start: 1, end: 2, amount: .value(5))
        group.add(start: 1, end: 2, amount: .incomparable)
        let values = group.values(areSummed: true)
        #expect(values.count == 2)
        #expect(values.sum == nil)
        #expect(values.maximum == nil)
        group.reset()
        #expect(group.values(areSummed: true).count == 0)
    }

    // MARK: Buckets

    private static func row(
        _ id: Int64, _ bounds: Range<Double>, revision: Int64? = nil
    ) -> BucketSweep.Row {
        BucketSweep.Row(
            id: id, type: 1, observation: 1, start: bounds.lowerBound, end: bounds.upperBound, revision: revision,
            stored: AggregateValues())
    }

    /// Closes rows; returns their ids and counts.
    private static func close(_ sweep: inout BucketSweep, through moment: Double) throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        try sweep.close(through: moment, areSummed: true) { row, values, _ in found[row.id ?? 0] = values.count }
        return found
    }

    @Test func `a bucket has the records that begin in it, of its observation and its source`() throws {
        var sweep = BucketSweep()
        sweep.open(Self.row(1, 0..<100), at: 0)
        sweep.open(Self.row(2, 0..<100), at: 1)
        sweep.open(Self.row(3, 0..<100, revision: 5), at: 1)
        #expect(sweep.has(place: 1, start: 0, revision: 5))
        #expect(!sweep.has(place: 0, start: 0, revision: 5))
        sweep.add(start: 0, at: 0..<2, revision: 5, .none)
        sweep.add(start: 50, at: 1..<3, revision: 6, .none)
        sweep.open(Self.row(4, 99..<200), at: 1)
        sweep.add(start: 99, at: 2..<3, revision: 5, .none)
        #expect(try Self.close(&sweep, through: 99.9).isEmpty)
        #expect(try Self.close(&sweep, through: 100) == [1: 1, 2: 2, 3: 1])
        #expect(!sweep.has(place: 1, start: 0, revision: 5))
        sweep.add(start: 100, at: 1..<2, revision: nil, .none)
        #expect(try Self.close(&sweep, through: .infinity) == [4: 1])
        #expect(try Self.close(&sweep, through: .infinity).isEmpty)
    }

    @Test func `a bucket may be empty or have no bounds`() throws {
        var sweep = BucketSweep()
        sweep.open(Self.row(1, -.infinity ..< .infinity), at: 0)
        sweep.open(Self.row(2, 5..<5), at: 0)
        #expect(try Self.close(&sweep, through: 5) == [2: 0])
        sweep.add(start: 5, at: 0..<1, revision: nil, .value(1))
        #expect(try Self.close(&sweep, through: .infinity) == [1: 1])
    }

    @Test func `so many rows are open at once, and no more`() throws {
        var sweep = BucketSweep()
        for id in 0..<Int64(BucketSweep.limit) {
            #expect(!sweep.isFull)
            sweep.open(Self.row(id, 0..<1), at: Int(id))
        }
        #expect(sweep.isFull)
        #expect(try Self.close(&sweep, through: 1).count == BucketSweep.limit)
        #expect(!sweep.isFull)
    }

    // MARK: Summaries

    /// What Python gives for random records at each place: count, sum, greatest value, first start, last end.
    @Test func `summaries of all observations are those of each by itself`() throws {
        var random = SeededGenerator(seed: 43)
        for size in [1, 2, 3, 7, 16, 33] {
            var sweep = SummarySweep(size: size)
            var words: [String] = []
            for _ in 0..<60 {
                let low = Int.random(in: 0..<size, using: &random), high = Int.random(in: low...size, using: &random)
                let start = Double(Int.random(in: -1000...1000, using: &random))
                let value = Double(Int.random(in: -99...99, using: &random)) * 0.1
                sweep.add(start: start, end: start + 5, at: low..<high, .value(value))
                words.append("\(low),\(high),\(start),\(value)")
            }
            let output = try Program.run("python3", ["-c", Self.script, String(size)] + words)
            let expected = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
            var found: [String] = []
            try sweep.finish(areSummed: true) { _, values, _ in
                let numbers = [values.sum, values.maximum, values.earliestStart, values.latestEnd]
                found.append("\(values.count) " + numbers.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " "))
            }
            #expect(found == expected, "\(random)")
            #expect(sweep.isEmpty)
        }
    }

    private static let script = """
        import math, sys
        records = [[float(n) for n in word.split(',')] for word in sys.argv[2:]]
        for place in range(int(sys.argv[1])):
            seen = [r for r in records if r[0] <= place < r[1]]
            if not seen:
                print(0, '- - - -')
                continue
            print(len(seen), math.fsum(r[3] for r in seen), max(r[3] for r in seen), min(r[2] for r in seen),
                  max(r[2] + 5 for r in seen))
        """

    @Test func `a value that cannot be compared is one only where its record is visible`() throws {
        var sweep = SummarySweep(size: 3)
        sweep.add(start: 1, end: 2, at: 0..<3, .value(4))
        sweep.add(start: 1, end: 2, at: 1..<2, .incomparable)
        sweep.add(start: 1, end: 2, at: 2..<2, .value(100))
        var sums: [Double?] = []
        try sweep.finish(areSummed: true) { _, values, _ in sums.append(values.sum) }
        #expect(sums == [4, nil, 4])
        var maxima: [Double?] = []
        sweep.add(start: nil, end: nil, at: 1..<3, .value(-3))
        try sweep.finish(areSummed: false) { _, values, _ in
            #expect(values.sum == nil)
            maxima.append(values.maximum)
        }
        #expect(maxima == [nil, -3, -3])
    }
}
