import Testing
import Timestamps

@testable import Derivation

@Suite struct `Local days of observations` {
    @Test func `an offset has days of 24 hours`() {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: 20_700))
        #expect(days.bucket(of: 0) == -20_700..<65_700)
        #expect(days.bucket(of: 65_699.999) == -20_700..<65_700)
        #expect(days.bucket(of: 65_700) == 65_700..<152_100)
        #expect(days.bucket(of: -20_700.5) == -107_100..<(-20_700))
    }

    @Test func `an offset that no zone has is that of UTC`() {
        for seconds in [0, Int64.max, .min, 93_601] {
            var days = LocalDays(TimeZoneRules(secondsFromGMT: seconds))
            #expect(days.bucket(of: 0) == 0..<86_400)
        }
    }

    /// 0001-01-01 and 9999-12-31 are days of UTC; with an offset one of their bounds has no timestamp.
    @Test func `a day at an end of time has no bucket`() {
        let (first, last) = (-62_135_596_800.0, 253_402_214_400.0)
        var utc = LocalDays(TimeZoneRules(secondsFromGMT: 0))
        #expect(utc.bucket(of: first) == -62_135_596_800 ..< -62_135_510_400)
        #expect(utc.bucket(of: last - 1) == 253_402_128_000..<253_402_214_400)
        #expect(utc.bucket(of: last) == nil)
        var east = LocalDays(TimeZoneRules(secondsFromGMT: 7200))
        #expect(east.bucket(of: first) == nil)
        #expect(east.bucket(of: 1e300) == nil)
    }
}
