internal import Files

/// The days of a time zone (`Spec/capture.md`, "Aggregates"), from the zone files of the system (TZif, RFC 9636).
///
/// Written apart from what captures computes days with, on purpose: the changes of a file stay a list, and those of its
/// rule are computed for the years around a moment.
struct ZoneDays {
    /// From which moment on which offset, in seconds east of UTC; in order.
    private var listed: [(moment: Int64, offset: Int64)] = []
    /// The offset before all changes.
    private var earliest: Int64
    private var rule: ZoneRule?
    private var latest: Range<Int64> = 0..<0

    /// No offset is further from UTC, in seconds: the longest that a zone file may have.
    private static let farthest: Int64 = 93_600

    /// The days of a fixed offset.
    init(secondsFromGMT: Int64) { earliest = secondsFromGMT }

    /// The days of a zone of the system; nil where it has no such zone.
    init?(zone name: [UInt8]) {
        let path = Path("/usr/share/zoneinfo").appending(name)
        guard Self.isName(name), let bytes = Self.content(of: path) else { return nil }
        self.init(tzif: bytes)
    }

    /// The day that holds a moment: from the first moment whose local date is that date or a later one, to that of the
    /// next.
    mutating func day(of moment: Double) -> Range<Int64> {
        let seconds = Int64(max(-1e12, min(1e12, moment.rounded(.down))))
        if latest.contains(seconds) { return latest }
        let nearby = changes(from: seconds - 4 * Self.farthest, through: seconds + 4 * Self.farthest)
        // The greatest local date so far, as dates may come back.
        let local = seconds + (nearby.last { $0.moment <= seconds }?.offset ?? earliest)
        var date = (Double(local) / 86_400).rounded(.down)
        while first(of: date + 1, nearby) <= seconds { date += 1 }
        latest = first(of: date, nearby)..<first(of: date + 1, nearby)
        return latest
    }

    /// The first moment at which the local time is the beginning of a date, or later.
    private func first(of date: Double, _ changes: [(moment: Int64, offset: Int64)]) -> Int64 {
        let midnight = Int64(date) * 86_400
        for (index, change) in changes.enumerated() {
            let reached = max(change.moment, midnight - change.offset)
            if index + 1 == changes.count || reached < changes[index + 1].moment { return reached }
        }
        return midnight - earliest
    }

    /// The change that is in force at one moment, and all later ones up to another.
    private func changes(from start: Int64, through end: Int64) -> [(moment: Int64, offset: Int64)] {
        var found = [(moment: Int64.min, offset: earliest)]
        func add(_ change: (moment: Int64, offset: Int64)) {
            if change.moment <= start { found = [change] } else if change.moment <= end { found.append(change) }
        }
        let next = listed.partitioningIndex { $0.moment > start }
        for change in listed[max(0, next - 1)...] where change.moment <= end { add(change) }
        guard let rule, !rule.isFixed else { return found }
        let years = ZoneRule.year(of: start) - 1...ZoneRule.year(of: end) + 1
        let followed = years.clamped(to: ZoneRule.firstYear...ZoneRule.lastYear)
        for year in followed {
            for change in rule.changes(in: year) where change.moment > listed.last?.moment ?? .min { add(change) }
        }
        return found
    }

    // MARK: Files

    private static func isName(_ name: [UInt8]) -> Bool {
        guard 1...64 ~= name.count, !name.starts(with: "/".utf8), name.last != UInt8(ascii: "/") else { return false }
        let others = Array("_+-/".utf8)
        return name.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || others.contains(byte)
        }
    }

    private static func content(of path: Path) -> [UInt8]? {
        guard let file = try? Descriptor.reading(path), let status = try? file.status() else { return nil }
        guard status.isRegular, status.size < 1 << 20 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        return (try? file.read(into: &bytes, at: 0, count: bytes.count)) == bytes.count ? bytes : nil
    }

    /// Reads a file of version 2 or later:
    ///
    ///     header │ data with 32-bit moments │ header │ moments, types, offsets … │ LF rule LF
    init?(tzif bytes: [UInt8]) {
        func number(_ at: Int, _ size: Int) -> Int64 {
            let value = bytes[at..<at + size].reduce(0) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
        }
        /// Counts of a header: UT and standard indicators, leap seconds, moments, types, characters of names.
        func counts(_ at: Int) -> [Int]? {
            guard at + 44 <= bytes.count, bytes[at..<at + 4].elementsEqual("TZif".utf8) else { return nil }
            let counts = (0..<6).map { Int(UInt32(truncatingIfNeeded: number(at + 20 + 4 * $0, 4))) }
            return counts.allSatisfy { $0 < 100_000 } ? counts : nil
        }
        func size(_ counts: [Int], _ moment: Int) -> Int {
            counts[0] + counts[1] + counts[2] * (moment + 4) + counts[3] * (moment + 1) + counts[4] * 6 + counts[5]
        }
        guard let old = counts(0), bytes[4] >= UInt8(ascii: "2") else { return nil }
        let second = 44 + size(old, 4)
        guard let new = counts(second), new[4] > 0 else { return nil }
        let moments = second + 44, types = moments + 8 * new[3], offsets = types + new[3]
        let footer = moments + size(new, 8)
        guard footer < bytes.count, bytes[footer] == UInt8(ascii: "\n") else { return nil }
        let known = (0..<new[4]).map { number(offsets + 6 * $0, 4) }
        guard known.allSatisfy({ $0.magnitude <= Self.farthest }) else { return nil }
        earliest = known[0]
        for index in 0..<new[3] {
            let moment = number(moments + 8 * index, 8), type = Int(bytes[types + index])
            guard type < known.count, listed.last.map({ $0.moment < moment }) ?? true else { return nil }
            listed.append((moment, known[type]))
        }
        rule = ZoneRule(Array(bytes[(footer + 1)...].prefix { $0 != UInt8(ascii: "\n") }))
        if listed.isEmpty, let rule, rule.isFixed { earliest = rule.standard }
    }
}

extension Array {
    /// The index of the first element for which `isBehind` holds, which holds for all after it. O(log n).
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
