import Testing

@testable import Timestamps

@Suite struct `Timestamp reader` {
    @Test(arguments: [
        ("2000-01-01T00:00:00.000Z", 946_684_800.0),
        ("2023-11-14T22:13:20.123Z", 1_700_000_000.123),
        ("2023-11-14T22:13:20.1234567Z", 1_700_000_000.1234567),
        ("1969-12-31T23:59:59.500Z", -0.5),
        ("0001-01-01T00:00:00.000Z", -62_135_596_800.0),
        ("2000-02-29T23:59:59.999Z", 951_868_799.999),
        ("1970-01-01T00:00:00.000000001Z", 1e-9),
        ("9999-12-31T23:59:59.500Z", 253_402_300_799.5),
    ])
    func `a canonical text is read`(text: String, seconds: Double) {
        #expect(read(text)?.unixSeconds == seconds)
    }

    @Test(arguments: [
        "", "Z", "2000-01-01", "2000-01-01T00:00:00Z", "2000-01-01T00:00:00.Z", "2000-01-01T00:00:00.0Z",
        "2000-01-01T00:00:00.00Z",
        "2000-01-01T00:00:00.0000Z", "2000-01-01T00:00:00.000000000Z", "2000-01-01T00:00:00.0000000000Z",
        "2023-11-14T22:13:20.1230Z",
        "2000-01-01T00:00:00.000z", "2000-01-01t00:00:00.000Z", "2000-01-01 00:00:00.000Z", "2000-01-01T00:00:00,000Z",
        "2000-01-01T24:00:00.000Z", "2000-01-01T23:60:00.000Z", "2000-01-01T23:59:60.000Z", "2000-01-01T99:00:00.000Z",
        "2000-02-30T00:00:00.000Z", "2001-02-29T00:00:00.000Z", "1900-02-29T00:00:00.000Z", "2000-04-31T00:00:00.000Z",
        "2000-00-01T00:00:00.000Z", "2000-13-01T00:00:00.000Z", "2000-01-00T00:00:00.000Z", "2000-01-32T00:00:00.000Z",
        "0000-01-01T00:00:00.000Z", "0000-12-31T23:59:59.999Z", "10000-01-01T00:00:00.000Z", "-001-01-01T00:00:00.000Z",
        "+2000-01-01T00:00:00.000Z",
        "2000-01-01T00:00:00.000", "2000-01-01T00:00:00.000+00:00", "2000-01-01T00:00:00.000-00:00",
        "2000-01-01T00:00:00.000+0000",
        "2000-01-01T00:00:00.000ZZ", " 2000-01-01T00:00:00.000Z", "2000-01-01T00:00:00.000Z ",
        "2000-01-01T00:00:00.000Z\n",
        "2000-01-01T00:00:00.00\u{0}Z", "2000-01-01T00:00:00.-00Z", "2000-01-01T0a:00:00.000Z",
        "20 0-01-01T00:00:00.000Z",
        "2000/01/01T00:00:00.000Z", "2000-01-01T00.00.00.000Z", "20000101T000000.000Z", "２０００-01-01T00:00:00.000Z",
    ])
    func `anything else is refused`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `a text that is cut anywhere is refused`() {
        let text = "2023-11-14T22:13:20.1234567Z"
        for count in 0..<text.count { #expect(read(String(text.prefix(count))) == nil) }
    }

    @Test func `a text one unit off is refused where its double has a nearer one`() {
        // 1700000000 + 1/256: as near to …0.0039062 as to …0.0039063, and doubles are 0.24 µs apart: the even digit
        // is the text.
        let seconds = 1_700_000_000.0 + 1.0 / 256
        #expect(written(seconds) == "2023-11-14T22:13:20.0039062Z")
        #expect(read("2023-11-14T22:13:20.0039062Z")?.unixSeconds == seconds)
        #expect(read("2023-11-14T22:13:20.0039063Z") == nil)
        #expect(read("2023-11-14T22:13:20.00390625Z") == nil)
    }

    @Test func `any single byte that is changed makes another moment or no timestamp`() {
        let text = Array("2023-11-14T22:13:20.1234567Z".utf8)
        let original = TimestampReader.moment(in: text.span)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                var changed = text
                changed[index] = byte
                let moment = TimestampReader.moment(in: changed.span)
                #expect(moment == nil || moment != original)
            }
        }
    }
}

@Suite struct `Calendar days` {
    @Test func `every day of the range has its number, and the number its day`() {
        // Counted one by one from the first day: 146,097 days in 400 years, by the rule of leap years alone.
        var expected: Int64 = -719_162
        for year in 1...9999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for month in 1...12 {
                for day in [1, lengths[month - 1]] {
                    let number = expected + Int64(day - 1)
                    guard Calendar.days(year: year, month: month, day: day) == number,
                        Calendar.date(days: number) == (year, month, day)
                    else {
                        Issue.record("\(year)-\(month)-\(day)")
                        return
                    }
                }
                if Calendar.days(year: year, month: month, day: lengths[month - 1] + 1) != nil {
                    Issue.record("\(year)-\(month) is too long")
                }
                expected += Int64(lengths[month - 1])
            }
        }
        #expect(expected * 86_400 == Calendar.range.upperBound)
        #expect(-719_162 * 86_400 == Calendar.range.lowerBound)
    }

    @Test(arguments: [
        (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (2000, 0, 1), (2000, 13, 1), (2000, 1, 0), (2000, 1, 32), (2100, 2, 29),
    ])
    func `what is no date has no number`(year: Int, month: Int, day: Int) {
        #expect(Calendar.days(year: year, month: month, day: day) == nil)
    }
}
