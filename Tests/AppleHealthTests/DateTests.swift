import Testing

@testable import AppleHealth

struct DateTests {
    @Test func aDateIsTheMomentThatItNames() { #expect(ExportDate("2000-01-01 02:00:18 +0200".utf8Span.span)?.seconds == 946_684_818) }
}
