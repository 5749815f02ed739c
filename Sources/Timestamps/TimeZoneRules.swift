/// The offsets of a time zone from UTC.
public struct TimeZoneRules: Sendable {
    /// From `start` on the offset is `offset` seconds east of UTC; the first starts before all time.
    struct Period: Sendable {
        let start: Int64
        let offset: Int64
    }

    /// In order; neighbours have different offsets.
    let periods: [Period]

    /// No zone is farther from UTC than 26 hours (RFC 9636, section 3.2).
    static let greatestOffset: Int64 = 93_600
    /// A canonical number has no greater magnitude.
    static let greatestMoment: Int64 = 1 << 53 - 1

    /// A zone with one offset; UTC where no zone has such an offset.
    public init(secondsFromGMT seconds: Int64) {
        self.init([Period(start: .min, offset: seconds.magnitude <= Self.greatestOffset.magnitude ? seconds : 0)])
    }

    /// Creates rules of periods that are in order and differ from their neighbours.
    init(_ periods: [Period]) { self.periods = periods }

    /// Reads the content of a TZif file (RFC 9636) of version 2 or later; `nil` if it is not one, is damaged, or counts
    /// leap seconds.
    ///
    ///     header │ 32-bit data │ header │ transitions, types │ LF rule LF
    ///
    /// After the last transition of the file its rule (the POSIX `TZ` text of the footer) continues to the year 2200;
    /// later moments have the offset of that end.
    public init?(tzif bytes: [UInt8]) {
        guard let file = TZifFile(bytes), let first = file.offsets.first else { return nil }
        var periods = [Period(start: .min, offset: first)]
        for (moment, type) in file.transitions { periods.append(Period(start: moment, offset: file.offsets[type])) }
        if let rule = PosixRule(file.footer) {
            let last = file.transitions.last?.moment ?? .min
            for transition in rule.transitions(years: 1900...2200) where transition.start > last {
                periods.append(transition)
            }
            if file.transitions.isEmpty, rule.isFixed { periods = [Period(start: .min, offset: rule.standard)] }
        }
        self.init(Self.joined(periods))
    }

    /// Leaves out changes that are none of the offset, and what no canonical number names.
    private static func joined(_ periods: [Period]) -> [Period] {
        var joined: [Period] = []
        for period in periods where period.start <= greatestMoment {
            if period.start < -greatestMoment { joined.removeAll() }
            guard period.offset != joined.last?.offset else { continue }
            joined.append(joined.isEmpty ? Period(start: .min, offset: period.offset) : period)
        }
        return joined
    }

    /// The one offset, in seconds east of UTC; `nil` if it changes.
    public var onlyOffset: Int64? { periods.count == 1 ? periods[0].offset : nil }

    /// Returns the offset at a moment, in seconds east of UTC. O(log periods).
    public func offset(at moment: Int64) -> Int64 { periods[index(at: moment)].offset }

    /// Returns the period that holds a moment.
    func index(at moment: Int64) -> Int {
        var (low, high) = (0, periods.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if periods[middle].start <= moment { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the name of an offset: `UTC`, `UTC+02:00`, `UTC-00:01:15`.
    public static func name(ofOffset offset: Int64) -> String {
        guard offset != 0 else { return "UTC" }
        let rest = offset.magnitude
        let parts = [rest / 3600, rest / 60 % 60] + (rest % 60 == 0 ? [] : [rest % 60])
        return "UTC" + (offset < 0 ? "-" : "+")
            + parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Returns `true` if a name can be that of a zone: letters, digits, `_`, `+`, `-` and `/`, no part of it hidden or
    /// leading upwards.
    public static func isName(_ name: [UInt8]) -> Bool {
        guard (1...64).contains(name.count), name.first != UInt8(ascii: "/"), name.last != UInt8(ascii: "/") else {
            return false
        }
        return name.allSatisfy {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/")].contains($0)
        }
    }
}

/// The second data block of a TZif file, and its footer.
private struct TZifFile {
    var transitions: [(moment: Int64, type: Int)] = []
    var offsets: [Int64] = []
    var footer: ArraySlice<UInt8> = []

    init?(_ bytes: [UInt8]) {
        guard let first = Header(bytes, at: 0), first.version >= UInt8(ascii: "2"),
            let second = Header(bytes, at: 44 + first.size(timeSize: 4)), !second.hasLeapSeconds
        else { return nil }
        var at = 44 + first.size(timeSize: 4) + 44
        let end = at + second.size(timeSize: 8)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n"), second.types > 0 else { return nil }
        func number(_ start: Int, _ count: Int) -> Int64 {
            var value: UInt64 = bytes[start] & 0x80 != 0 ? .max : 0
            for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
            return Int64(bitPattern: value)
        }
        let moments = (0..<second.times).map { number(at + 8 * $0, 8) }
        at += 8 * second.times
        let types = (0..<second.times).map { Int(bytes[at + $0]) }
        at += second.times
        offsets = (0..<second.types).map { number(at + 6 * $0, 4) }
        guard types.allSatisfy({ $0 < second.types }), zip(moments, moments.dropFirst()).allSatisfy({ $0 < $1 }),
            offsets.allSatisfy({ $0.magnitude <= TimeZoneRules.greatestOffset.magnitude })
        else { return nil }
        transitions = Array(zip(moments, types))
        footer = bytes[(end + 1)...].prefix { $0 != UInt8(ascii: "\n") }
    }

    private struct Header {
        let version: UInt8
        let times: Int
        let types: Int
        var hasLeapSeconds: Bool { others.leaps > 0 }
        private let others: (isUT: Int, isStandard: Int, leaps: Int, characters: Int)

        init?(_ bytes: [UInt8], at start: Int) {
            guard start + 44 <= bytes.count, bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
            func count(_ index: Int) -> Int {
                bytes[start + 20 + 4 * index..<start + 24 + 4 * index].reduce(0) { $0 << 8 | Int($1) }
            }
            version = bytes[start + 4]
            others = (count(0), count(1), count(2), count(5))
            times = count(3)
            types = count(4)
            guard
                [others.isUT, others.isStandard, others.leaps, others.characters, times, types].allSatisfy({
                    $0 < 100_000
                })
            else { return nil }
        }

        func size(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + others.characters + others.leaps * (timeSize + 4) + others.isStandard
                + others.isUT
        }
    }
}
