import Testing
import Timestamps

@testable import Derivation

@Suite struct `Local days of observations` {
    @Test func `an offset has days of 24 hours`() {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: 20_700))
        #expect(days.bucket(of: 0, isDated: false) == -20_700..<65_700)
        #expect(days.bucket(of: 65_699.999, isDated: false) == -20_700..<65_700)
        #expect(days.bucket(of: 65_700, isDated: false) == 65_700..<152_100)
        #expect(days.bucket(of: -20_700.5, isDated: false) == -107_100..<(-20_700))
    }

    @Test func `an offset that no zone has is that of UTC`() {
        for seconds in [0, Int64.max, .min, 93_601] {
            var days = LocalDays(TimeZoneRules(secondsFromGMT: seconds))
            #expect(days.bucket(of: 0, isDated: false) == 0..<86_400)
        }
    }

    /// 0001-01-01 and 9999-12-31 are days of UTC; with an offset one of their bounds has no timestamp.
    @Test func `a day at an end of time has no bucket`() {
        let (first, last) = (-62_135_596_800.0, 253_402_214_400.0)
        var utc = LocalDays(TimeZoneRules(secondsFromGMT: 0))
        #expect(utc.bucket(of: first, isDated: false) == -62_135_596_800 ..< -62_135_510_400)
        #expect(utc.bucket(of: last - 1, isDated: false) == 253_402_128_000..<253_402_214_400)
        #expect(utc.bucket(of: last, isDated: false) == nil)
        var east = LocalDays(TimeZoneRules(secondsFromGMT: 7200))
        #expect(east.bucket(of: first, isDated: false) == nil)
        #expect(east.bucket(of: 1e300, isDated: false) == nil)
    }

    /// 2024-02-29 in every zone: its start is anywhere in that date of UTC.
    @Test(arguments: Array(stride(from: Int64(-43_200), through: 50_400, by: 900)))
    func `a record that states a date has the bucket of that date`(offset: Int64) {
        var days = LocalDays(TimeZoneRules(secondsFromGMT: offset))
        for second in [0, 36_000, 86_399.999] {
            let bucket = days.bucket(of: 1_709_164_800 + second, isDated: true)
            #expect(bucket == 1_709_164_800 - offset..<1_709_251_200 - offset)
        }
    }

    @Test func `a date that does not exist has no bucket`() throws {
        let text = Array("[-36000,1325239200,50400]".utf8)
        let rules = TimeZoneRules(text: text.span)
        let samoa = try #require(rules)
        var days = LocalDays(samoa)
        #expect(days.bucket(of: 1_325_116_800, isDated: true) == 1_325_152_800..<1_325_239_200)
        #expect(days.bucket(of: 1_325_203_200, isDated: true) == nil)
        #expect(days.bucket(of: 1_325_289_600, isDated: true) == 1_325_239_200..<1_325_325_600)
    }
}
