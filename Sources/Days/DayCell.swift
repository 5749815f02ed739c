internal import Archive

/// The figures of an item: of a day, or the sum of those of a month (`Spec/days.md`, "Items").
package struct DayCell {
    /// The key that distinguishes the items of a type and a period.
    package struct Key: Hashable {
        package let measure: DayMeasure
        /// A category value, or an activity.
        package var part: Int64?
        /// With the method `sources` the source.
        var source: Int?
    }

    /// A source of an item.
    package struct Entry {
        package var recordCount = 0
        package var sourceClass: SourceClass?
        package var rank: Int?
        package var sums: Sums?
        package var covered: Int64 = 0
        package var night: NightFigures?
    }

    /// The kept and dropped amounts.
    package struct Sums {
        package var kept: Int128 = 0
        package var dropped: Int128 = 0

        mutating func add(_ other: Sums) {
            kept += other.kept
            dropped += other.dropped
        }
    }

    package let key: Key
    package var recordCount = 0
    package var notSummed = 0
    package var otherZone = 0
    /// Days that have an item.
    package var dayCount = 1
    var entries: [Int: Entry] = [:]
    package var sums: Sums?
    /// Time, in microseconds.
    package var overlap: Int64 = 0
    package var shared: Int64 = 0
    package var seconds: Int128?
    package var energy: Int128?
    package var distance: Int128?
    /// Values that means are of.
    var values = ExactSum()
    package var valueCount = 0
    package var least: Double = .infinity
    package var greatest: Double = -.infinity
    package var rings: [Int128?] = []
    /// Of a night or nap, of the source that is taken.
    package var night: NightFigures?
    var taken: Int?
    /// Of a night or nap: its first start and latest end, in microseconds.
    package var span: (start: Int64, end: Int64)?

    init(_ key: Key) { self.key = key }

    /// Counts a record that starts there.
    mutating func count(_ record: DayRecord, hasDay: Bool = true) {
        recordCount += 1
        entries[record.source, default: Entry()].recordCount += 1
        if hasDay, record.isOfOtherZone { otherZone += 1 }
    }

    /// Adds a reading.
    mutating func add(value: Double) {
        values.add(value)
        valueCount += 1
        least = min(least, value)
        greatest = max(greatest, value)
    }

    /// Adds another day of the same month.
    mutating func add(_ other: DayCell) {
        recordCount += other.recordCount
        notSummed += other.notSummed
        otherZone += other.otherZone
        dayCount += other.dayCount
        overlap += other.overlap
        shared += other.shared
        seconds = Self.sum(seconds, other.seconds)
        energy = Self.sum(energy, other.energy)
        distance = Self.sum(distance, other.distance)
        sums = Self.sum(sums, other.sums)
        values.add(other.values)
        valueCount += other.valueCount
        least = min(least, other.least)
        greatest = max(greatest, other.greatest)
        rings = zip(rings, other.rings).map { Self.sum($0, $1) }
        if let added = other.night { night = night.map { $0.adding(added) } ?? added }
        for (source, added) in other.entries {
            guard var entry = entries[source] else {
                entries[source] = added
                continue
            }
            entry.recordCount += added.recordCount
            entry.sums = Self.sum(entry.sums, added.sums)
            entry.covered += added.covered
            if let figures = added.night { entry.night = entry.night.map { $0.adding(figures) } ?? figures }
            entries[source] = entry
        }
    }

    static func sum(_ one: Int128?, _ other: Int128?) -> Int128? {
        guard let one, let other else { return one ?? other }
        return one + other
    }

    private static func sum(_ one: Sums?, _ other: Sums?) -> Sums? {
        guard var sum = one, let other else { return one ?? other }
        sum.add(other)
        return sum
    }

    /// The mean of the readings; `nil` if there is none, or their sum is beyond the doubles.
    package var mean: Double? {
        var sum = values
        guard valueCount > 0, let total = sum.value() else { return nil }
        return total / Double(valueCount)
    }
}
