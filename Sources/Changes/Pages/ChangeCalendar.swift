internal import Archive
internal import Measures
internal import Timestamps

/// The numbers of records that changed, by day and type (`Spec/report-page.md`, Calendar).
///
/// Days are those of one offset from UTC. Beyond thirteen months they are put together to weeks that begin on Monday.
public struct ChangeCalendar: Sendable {
    /// The changes of one day or week.
    public struct Bucket: Sendable, Equatable {
        /// Its begin, in Unix seconds.
        public var start: Double
        public var appeared = 0
        public var disappeared = 0
        public var representationChanged = 0
        /// Of those that disappeared: records that are there under another identity, and records of a condensed one.
        public var reIdentified = 0, condensed = 0
    }

    /// Days of a bucket: 1, or 7.
    public let bucketDays: Int
    /// Ascending, each with a change; by type.
    public let buckets: [Int?: [Bucket]]

    /// Days that a calendar of single days spans at most.
    public static let longestOfDays = 396
    /// Buckets of all types together. Types with more changes come first; those that do not fit have none.
    public static let bucketLimit = 2500
}

/// Counts changes by day while they go by in the order of type and start.
struct ChangeCalendarTally {
    private typealias Day = (number: Int, counts: ChangeCalendar.Bucket)

    private let pageDays: PageDays
    private var days: [Int?: [Day]] = [:]
    private var first = Int.max, last = Int.min

    /// - Parameter offset: seconds that the clock is ahead of UTC.
    init(offset: Int) { pageDays = PageDays(offset: offset) }

    /// Adds a change whose versions begin at `start`.
    mutating func add(_ kind: ChangeKind, at start: Double, of type: Int?, _ measure: Measure) {
        guard let day = pageDays.day(of: start, measure) else { return }
        (first, last) = (min(first, day), max(last, day))
        var counts = days[type]?.last?.number == day ? days[type]!.removeLast().counts : .init(start: 0)
        switch kind {
        case .appeared: counts.appeared += 1
        case .disappeared: counts.disappeared += 1
        case .representationChanged: counts.representationChanged += 1
        }
        days[type, default: []].append((day, counts))
    }

    /// Returns the calendar of the types with the most changes.
    ///
    /// - Parameter pairs: of the same days.
    func calendar(_ pairs: PairDays) -> ChangeCalendar {
        let length = first <= last && last - first >= ChangeCalendar.longestOfDays ? 7 : 1
        var all = days.mapValues { buckets($0, of: length) }
        for type in Array(all.keys) { add(pairs, of: type, to: &all[type]!, length) }
        let order = all.keys.sorted { left, right in
            let (one, other) = (Self.changes(all[left]!), Self.changes(all[right]!))
            return one == other ? left ?? -1 < right ?? -1 : one > other
        }
        var room = ChangeCalendar.bucketLimit
        for type in order {
            let count = all[type]!.count
            if count <= room { room -= count } else { all[type] = nil }
        }
        return ChangeCalendar(bucketDays: length, buckets: all)
    }

    private static func changes(_ buckets: [ChangeCalendar.Bucket]) -> Int {
        buckets.reduce(0) { $0 + $1.appeared + $1.disappeared + $1.representationChanged }
    }

    private func buckets(_ days: [Day], of length: Int) -> [ChangeCalendar.Bucket] {
        var buckets: [ChangeCalendar.Bucket] = []
        for (number, counts) in days {
            let start = start(number, of: length)
            // The first day of the year 1 may begin before it, where the clock is ahead of UTC.
            guard start >= Double(Calendar.range.lowerBound) else { continue }
            if buckets.last?.start != start { buckets.append(.init(start: start)) }
            buckets[buckets.count - 1].appeared += counts.appeared
            buckets[buckets.count - 1].disappeared += counts.disappeared
            buckets[buckets.count - 1].representationChanged += counts.representationChanged
        }
        return buckets
    }

    /// Returns the begin of the bucket that a day is in.
    private func start(_ day: Int, of length: Int) -> Double {
        // The first day of the Unix epoch is a Thursday.
        let begin = length == 1 ? day : day - ((day + 3) % 7 + 7) % 7
        return pageDays.start(of: begin)
    }

    /// Adds the pairs of a type to the buckets in which their records are counted.
    private func add(_ pairs: PairDays, of type: Int?, to buckets: inout [ChangeCalendar.Bucket], _ length: Int) {
        guard let type, let days = pairs.days[type] else { return }
        let places = Dictionary(uniqueKeysWithValues: buckets.indices.map { (buckets[$0].start, $0) })
        for (day, counts) in days {
            guard let place = places[start(day, of: length)] else { continue }
            buckets[place].reIdentified += counts.reIdentified
            buckets[place].condensed += counts.condensed
        }
    }
}
