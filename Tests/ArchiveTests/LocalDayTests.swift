import Testing
import Timestamps

@testable import Archive

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
}
