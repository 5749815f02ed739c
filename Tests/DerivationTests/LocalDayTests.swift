import Scratch
import Testing
import Timestamps

@testable import Derivation

@Suite struct `Local days of observations` {
    /// Days that Python's `zoneinfo` gave: the first moment of a local date, found by trying each second of 3 days.
    @Test(arguments: [
        "Europe/Bucharest", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
        "Asia/Tehran", "Africa/Casablanca", "Antarctica/Troll", "America/Juneau", "Asia/Kathmandu", "Europe/Dublin",
        "America/Havana",
        "Etc/UTC", "Etc/GMT+12", "Pacific/Kiritimati",
    ])
    func `are those of Python`(zone: String) throws {
        let output = try Program.run("python3", ["-c", Self.script, zone])
        let rows = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(rows.count > 100)
        var days = LocalDay.days(zone: Array(zone.utf8), secondsFromGMT: nil)
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

    @Test func `an offset has days of 24 hours`() {
        var days = LocalDay.days(zone: nil, secondsFromGMT: 20_700)
        #expect(days.bucket(of: 0) == -20_700..<65_700)
        #expect(days.bucket(of: 65_699.999) == -20_700..<65_700)
        #expect(days.bucket(of: 65_700) == 65_700..<152_100)
        #expect(days.bucket(of: -20_700.5) == -107_100..<(-20_700))
    }

    @Test(arguments: ["", "Europe/Atlantis", "../etc/passwd", "/Etc/UTC", "Etc/", "Etc/UTC.tab", "zone.tab", "Europe"])
    func `what is not a zone has the days of the offset`(name: String) {
        var days = LocalDay.days(zone: Array(name.utf8), secondsFromGMT: 3600)
        #expect(days.bucket(of: 0) == -3600..<82_800)
    }

    @Test func `an offset that no zone has is that of UTC`() {
        for seconds in [nil, Int64.max, .min, 93_601] {
            var days = LocalDay.days(zone: nil, secondsFromGMT: seconds)
            #expect(days.bucket(of: 0) == 0..<86_400)
        }
    }

    /// 0001-01-01 and 9999-12-31 are days of UTC; with an offset one of their bounds has no timestamp.
    @Test func `a day at an end of time has no bucket`() {
        let (first, last) = (-62_135_596_800.0, 253_402_214_400.0)
        var utc = LocalDay.days(zone: nil, secondsFromGMT: 0)
        #expect(utc.bucket(of: first) == -62_135_596_800 ..< -62_135_510_400)
        #expect(utc.bucket(of: last - 1) == 253_402_128_000..<253_402_214_400)
        #expect(utc.bucket(of: last) == nil)
        var east = LocalDay.days(zone: nil, secondsFromGMT: 7200)
        #expect(east.bucket(of: first) == nil)
        #expect(east.bucket(of: 1e300) == nil)
    }
}
