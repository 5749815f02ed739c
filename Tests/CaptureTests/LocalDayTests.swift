import Files
import Recording
import Scratch
import Testing
import Timestamps

@testable import Capture

@Suite struct `Local days` {
    struct Day: Sendable, CustomTestStringConvertible {
        let zone: String
        let start: Int64
        let end: Int64

        var testDescription: String { "\(zone) \(start)" }
    }

    /// Found minute by minute with Python's `zoneinfo`: days of 23, 24, 24.5 and 25 hours, midnights that the
    /// clocks skip or repeat, a date that does not exist, a rule beyond the table.
    static let days = [
        Day(zone: "Europe/Bucharest", start: 954_021_600, end: 954_104_400),
        Day(zone: "Europe/Bucharest", start: 972_766_800, end: 972_856_800),
        Day(zone: "America/Sao_Paulo", start: 1_541_300_400, end: 1_541_383_200),
        // Clocks that go back at one minute past midnight, into the day before, and at midnight itself.
        Day(zone: "America/St_Johns", start: 1_162_002_600, end: 1_162_089_000),
        Day(zone: "America/St_Johns", start: 1_162_089_000, end: 1_162_179_000),
        Day(zone: "America/St_Johns", start: 1_289_010_600, end: 1_289_097_000),
        Day(zone: "America/St_Johns", start: 1_289_097_000, end: 1_289_187_000),
        Day(zone: "Africa/Casablanca", start: 1_250_722_800, end: 1_250_812_800),
        Day(zone: "Africa/Casablanca", start: 1_250_812_800, end: 1_250_899_200),
        Day(zone: "Asia/Beirut", start: 1_288_386_000, end: 1_288_476_000),
        Day(zone: "Asia/Beirut", start: 1_288_476_000, end: 1_288_562_400),
        Day(zone: "Asia/Kathmandu", start: 946_664_100, end: 946_750_500),
        Day(zone: "Australia/Lord_Howe", start: 1_586_005_200, end: 1_586_093_400),
        Day(zone: "Pacific/Apia", start: 1_325_152_800, end: 1_325_239_200),
        Day(zone: "Europe/Bucharest", start: 5_687_791_200, end: 5_687_874_000),
        Day(zone: "America/Havana", start: 972_792_000, end: 972_882_000),
        Day(zone: "UTC", start: -86_400, end: 0),
    ]

    @Test(arguments: [Int64.max, .min, 93_601, -93_601])
    func `an offset that no zone has is none`(seconds: Int64) {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: seconds))
        #expect(days.day(of: 0) == 0..<86_400)
        #expect(days.day(of: 1e300).lowerBound <= 1_000_000_000_000)
    }

    @Test func `an offset of 26 hours is one`() {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: 93_600))
        #expect(days.day(of: 0) == -7200..<79_200)
    }

    @Test(arguments: days)
    func `a day is from midnight to midnight, however long that is`(day: Day) throws {
        let rules = try #require(ZoneFiles.rules(Array(day.zone.utf8)))
        let moments = [0, 1, 60, 1800, 3599, 3600].map { day.start + $0 }
        for moment in moments + [(day.start + day.end) / 2, day.end - 3600, day.end - 1] {
            var days = LocalDays(rules)
            #expect(days.day(of: Double(moment)) == day.start..<day.end)
        }
        var days = LocalDays(rules)
        #expect(days.day(of: Double(day.end)).lowerBound == day.end)
        #expect(days.day(of: Double(day.start) - 0.5).upperBound == day.start)
    }

    @Test(arguments: ["../zone", "/etc/passwd", "Europe/", "", "Europe/Nowhere", "Etc/../UTC", "tzdata.zi"])
    func `what is no zone has no rules`(name: String) { #expect(ZoneFiles.rules(Array(name.utf8)) == nil) }

    @Test func `a damaged file has no rules and stops nothing`() throws {
        #expect(TimeZoneRules(tzif: []) == nil)
        #expect(TimeZoneRules(tzif: Array("TZif2".utf8) + [UInt8](repeating: 0xFF, count: 200)) == nil)
    }

    /// A file of which the rule alone says what holds (RFC 9636, 3.3): no transition, one type, one character.
    private static func zone(_ rule: String) -> [UInt8] {
        let counts = [UInt8](repeating: 0, count: 19) + [1, 0, 0, 0, 1]
        let part = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts + [UInt8](repeating: 0, count: 7)
        return part + part + Array("\n\(rule)\n".utf8)
    }

    /// When summer time begins and ends in 2023 and in 2024, by POSIX and by glibc. J59 is February 28 and J60 March 1
    /// in each year; 59, counted from 0 and with the leap day, is March 1 or February 29.
    static let rules: [(String, [Int64])] = [
        ("AAA0BBB,J59,J60", [1_677_549_600, 1_677_632_400, 1_709_085_600, 1_709_254_800]),
        ("AAA0BBB,J60/3:30,J365/0", [1_677_641_400, 1_703_977_200, 1_709_263_800, 1_735_599_600]),
        ("AAA0BBB,59,60", [1_677_636_000, 1_677_718_800, 1_709_172_000, 1_709_254_800]),
        ("AAA0BBB,0/0,364/23", [1_672_531_200, 1_704_060_000, 1_704_067_200, 1_735_596_000]),
        ("AAA0BBB,M3.5.0,J300/1", [1_679_796_000, 1_698_364_800, 1_711_850_400, 1_729_987_200]),
    ]

    @Test(arguments: rules)
    func `a rule may name days of the year, with or without the leap day`(rule: String, changes: [Int64]) throws {
        let rules = try #require(TimeZoneRules(tzif: Self.zone(rule)))
        for (place, change) in changes.enumerated() {
            let isBeginning = place.isMultiple(of: 2)
            #expect(rules.offset(at: change - 1) == (isBeginning ? 0 : 3600))
            #expect(rules.offset(at: change) == (isBeginning ? 3600 : 0))
        }
    }

    @Test(arguments: ["J0,J60", "J1,J366", "366,1", "J60", "J60,J", "J60,J90x", "J60/,J90", "J60,J90,J91"])
    func `a rule that is none is not followed`(days: String) throws {
        let rules = try #require(TimeZoneRules(tzif: Self.zone("AAA0BBB,\(days)")))
        for moment in stride(from: Int64(1_672_531_200), to: 1_704_067_200, by: 86_400) {
            #expect(rules.offset(at: moment) == 0)
        }
    }

    @Test func `a fixed offset has days of 24 hours`() {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: 20_700))
        #expect(days.day(of: 946_664_100) == 946_664_100..<946_750_500)
    }

    /// Days that Python's `zoneinfo` gave: the first moment of a local date, found by trying each second of 3 days.
    @Test(arguments: [
        "Europe/Bucharest", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
        "Asia/Tehran", "Africa/Casablanca", "Antarctica/Troll", "America/Juneau", "Asia/Kathmandu", "Europe/Dublin",
        "America/Havana",
        "Etc/UTC", "Etc/GMT+12", "Pacific/Kiritimati",
    ])
    func `are those of Python, stored and read again`(zone: String) throws {
        let output = try Program.run("python3", ["-c", Self.script, zone])
        let rows = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(rows.count > 100)
        let rules = try #require(ZoneFiles.rules(Array(zone.utf8)))
        // They are the same once they were stored.
        let text = rules.text
        let stored = TimeZoneRules(text: text.span)
        var days = LocalDays(try #require(stored))
        for row in rows {
            let numbers = row.split(separator: " ").map { Int64($0)! }
            #expect(days.day(of: Double(numbers[0])) == numbers[1]..<numbers[2], "\(zone), \(numbers[0])")
        }
    }

    /// Prints moments around changes of the clocks and elsewhere, each with the beginning and the end of its day.
    private static let script = """
        import functools, random, sys, zoneinfo
        from datetime import datetime, timedelta, timezone
        zone = zoneinfo.ZoneInfo(sys.argv[1])
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        @functools.cache
        def local(moment):
            offset = (epoch + timedelta(seconds=moment)).astimezone(zone).utcoffset()
            return moment + offset.days * 86400 + offset.seconds
        def first(date, near):
            # Local time is a step function with slope 1: the first moment is one at which it jumps, or midnight itself.
            low, high = (near - 300000) // 900 * 900, near + 300000
            changes = [low]
            for hour in range(low, high, 900):
                if local(hour) - hour != local(hour + 900) - hour - 900:
                    start, end = hour, hour + 900
                    while end - start > 1:
                        middle = (start + end) // 2
                        if local(middle) - middle == local(start) - start: start = middle
                        else: end = middle
                    changes.append(end)
            for index, change in enumerate(changes):
                end = changes[index + 1] if index + 1 < len(changes) else high
                reached = max(change, date * 86400 - (local(change) - change))
                if reached < end: return reached
        random.seed(14)
        moments = [random.randrange(-2000000000, 7000000000) for _ in range(60)]
        # Around the changes of some years, seen by the hour.
        for year in [1867, 1942, 1995, 2011, 2012, 2024, 2037, 2038, 2100, 2199]:
            start = int((datetime(year, 1, 1, tzinfo=timezone.utc) - epoch).total_seconds())
            for day in range(366):
                at = start + 86400 * day
                if local(at) - at != local(at + 86400) - at - 86400:
                    moments += [at + hour * 3600 + random.randrange(3600) for hour in (-20, 0, 5, 12, 20, 30, 44)]
        for moment in moments + [86400 * n for n in range(60)]:
            date = local(moment) // 86400
            while first(date + 1, moment) <= moment: date += 1
            print(moment, first(date, moment), first(date + 1, moment))
        """

    /// Leap seconds shift all moments of such a file.
    @Test func `a file that counts leap seconds is not read`() {
        var bytes = Self.zone("AAA0")
        #expect(TimeZoneRules(tzif: bytes) != nil)
        // The number of leap seconds of the second block, and one of 12 bytes.
        let header = 44 + 7
        bytes[header + 31] = 1
        bytes.insert(contentsOf: [UInt8](repeating: 0, count: 12), at: header + 44 + 7)
        #expect(TimeZoneRules(tzif: bytes) == nil)
    }

    static let statedZones: [(String?, Int64?, ZoneProblem.Reason?)] = [
        ("Europe/Bucharest", 7200, nil), ("Europe/Bucharest", nil, nil), (nil, 3600, nil),
        ("Europe/Bucharest", 3600, .otherOffset), ("GMT+0100", 3600, .unknown), ("zone.tab", 3600, .unknown),
        ("europe/berlin", nil, .unknown), ("Europe", -3600, .unknown), ("", 0, .unknown),
    ]

    @Test(arguments: statedZones)
    func `a zone that is unknown, or contradicts the offset, is that offset`(
        name: String?, seconds: Int64?, reason: ZoneProblem.Reason?
    ) throws {
        var facts = ObservationFacts(observedAt: 1_704_067_200, triggerReason: [])
        facts.timeZoneIdentifier = name.map { Array($0.utf8) }
        facts.timeZoneSecondsFromGMT = seconds
        #expect(facts.findZone()?.reason == reason)
        let rules = try #require(facts.zoneRules)
        let isNamed = name != nil && reason == nil
        #expect(rules.offset(at: 1_720_000_000) == (isNamed ? 10_800 : seconds ?? 0))
        #expect(rules.offset(at: 1_704_067_200) == seconds ?? (isNamed ? 7200 : 0))
    }
}
