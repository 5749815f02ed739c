import Testing

@testable import Capture

@Suite struct `Timestamps of a feed` {
    // 2000-01-01T00:00:00Z is 946,684,800 s. Worked out by hand.
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-01-01T00:00:00Z", 946_684_800_000_000),
            ("2000-01-01T00:00:00.5Z", 946_684_800_500_000),
            ("2000-01-01T00:00:00.000001Z", 946_684_800_000_001),
            ("2000-01-01T02:00:00+02:00", 946_684_800_000_000),
            ("1999-12-31T18:30:00-05:30", 946_684_800_000_000),
            ("2000-01-01T14:00:00+14:00", 946_684_800_000_000),
            ("2000-01-01T23:59:00+23:59", 946_684_800_000_000),
            ("2000-01-01T00:00:00-00:00", 946_684_800_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("2000-03-01T00:00:00Z", 951_868_800_000_000),
            ("1969-12-31T23:59:59Z", -1_000_000),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("1969-12-31T00:00:00-24:00", nil),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("0001-01-01T00:00:00+00:01", nil),
            ("0000-12-31T23:59:00-00:01", nil),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
            ("9999-12-31T23:59:59.9999Z", 253_402_300_799_999_900),
        ] as [(String, Int64?)])
    func `a moment is read with its offset`(text: String, microseconds: Int64?) {
        #expect(FeedTimestamp(text.utf8Span.span) == microseconds.map { .moment($0) } ?? .outside)
    }

    @Test(
        arguments: [
            (".0000004", 0), (".0000005", 0), (".000000500", 0), (".000000501", 1), (".0000006", 1),
            (".0000014", 1), (".0000015", 2), (".0000025", 2), (".000002500", 2), (".000002501", 3), (".0000035", 4),
            (".000000499", 0), (".0000009", 1), (".9999994", 999_999), (".9999995", 1_000_000), (".999999499", 999_999),
            (".9999985", 999_998), (".999998501", 999_999),
        ] as [(String, Int64)])
    func `a fraction is rounded half to even`(fraction: String, microseconds: Int64) {
        let after = "2000-01-01T00:00:00\(fraction)Z"
        #expect(FeedTimestamp(after.utf8Span.span) == .moment(946_684_800_000_000 + microseconds))
        // Before 1970 moments count down and halves go to the even microsecond all the same: -1 s + 0.5 µs is
        // between -1,000,000 and -999,999.
        let before = "1969-12-31T23:59:59\(fraction)Z"
        #expect(FeedTimestamp(before.utf8Span.span) == .moment(-1_000_000 + microseconds))
    }

    @Test(arguments: [
        "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-00-01T00:00:00Z",
        "2024-01-00T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-32T00:00:00Z",
        "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-12-31T23:59:60Z", "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00-00:60", "9999-12-31T23:59:59.9999995Z",
        "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
        "999999999-01-01T00:00:00Z", "02024-01-01T00:00:00Z",
        // 253402300799.999999 is nearest to the double of the year 10000.
        "9999-12-31T23:59:59.999999Z",
    ])
    func `what has the form and names no moment that can be stored is outside`(text: String) {
        #expect(FeedTimestamp(text.utf8Span.span) == .outside)
    }

    @Test func `every prefix and every lost character of a timestamp is malformed`() {
        let text = Array("2024-05-01T09:00:00.25+02:00".utf8)
        for length in 0..<text.count { #expect(FeedTimestamp(Array(text[..<length]).span) == .malformed) }
        for at in text.indices where !(20...22).contains(at) {
            var shorter = text
            shorter.remove(at: at)
            #expect(FeedTimestamp(shorter.span) == .malformed, "without character \(at)")
        }
    }
}
