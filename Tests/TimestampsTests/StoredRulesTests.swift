import Testing
import Timestamps

@Suite struct `Stored rules of a zone` {
    private static func read(_ text: String) -> TimeZoneRules? { TimeZoneRules(text: Array(text.utf8).span) }

    @Test(arguments: ["[0]", "[-43200]", "[7200,1711846800,10800,1729990800,7200]", "[93600,-9007199254740991,0]"])
    func `are written as they were read`(text: String) throws {
        #expect(try #require(Self.read(text)).text == Array(text.utf8))
    }

    @Test func `say what the offset was`() throws {
        let rules = try #require(Self.read("[7200,1711846800,10800,1729990800,7200]"))
        for (moment, offset) in [(-1 << 60, 7200), (1_711_846_799, 7200), (1_711_846_800, 10_800), (1 << 60, 7200)] {
            #expect(rules.offset(at: Int64(moment)) == offset)
        }
    }

    @Test(arguments: [
        "", "[]", "[ 0]", "[0 ]", "[0,]", "[,0]", "[0,1]", "[0,1,0]", "[0,1,2,1,3]", "[0,2,1,1,0]", "[-0]", "[00]",
        "[+1]", "[1.0]", "[1e3]", "[93601]", "[0,9007199254740992,1]", "[0]0", "0", "[0", "0]", "[\"0\"]", "[0,,1,2]",
        "[99999999999999999999999]", "[-]", "[0,1,-]",
    ])
    func `have one form`(text: String) { #expect(Self.read(text) == nil) }

    @Test func `name offsets`() {
        for (offset, name) in [(0, "UTC"), (7200, "UTC+02:00"), (-12_600, "UTC-03:30"), (-75, "UTC-00:01:15")] {
            #expect(TimeZoneRules.name(ofOffset: Int64(offset)) == name)
        }
    }
}

@Suite struct `Days that are known beside the rules` {
    private static let day: Int64 = 86_400

    @Test func `count before the rules, and cut their days`() {
        // 2024-03-30 and 2024-03-31 at UTC+02:00 and then UTC+03:00, of an observation at UTC+02:00.
        let first: Int64 = 1_711_749_600
        let (second, third) = (first + Self.day, first + Self.day + 82_800)
        var days = LocalDays(TimeZoneRules(secondsFromGMT: 7200), buckets: [first..<second, second..<third])
        let expected: [(moment: Int64, day: Range<Int64>, date: Int64)] = [
            (first - 1, first - Self.day..<first, 19_811), (first, first..<second, 19_812),
            (second - 1, first..<second, 19_812), (second, second..<third, 19_813),
            (third - 1, second..<third, 19_813), (third, third..<second + Self.day, 19_813),
            (second + Self.day, second + Self.day..<second + 2 * Self.day, 19_814),
        ]
        for (moment, day, date) in expected {
            #expect(days.day(of: Double(moment)) == day)
            #expect(days.date(of: Double(moment)) == date)
        }
        #expect(days.start(of: 19_811) == first - Self.day)
        #expect(days.start(of: 19_812) == first)
        #expect(days.start(of: 19_813) == second)
        #expect(days.start(of: 19_814) == second + Self.day)
    }

    @Test func `are at most 48 hours long`() {
        #expect(LocalDays.isDay(from: 0, to: 82_800))
        #expect(LocalDays.isDay(from: 0, to: 172_800))
        for (start, end) in [(0, 0), (1, 0), (0, 172_801), (.min, .max), (1 << 53, 1 << 53 + 1)] as [(Int64, Int64)] {
            #expect(!LocalDays.isDay(from: start, to: end))
        }
    }
}
