import Capture
import Scratch
import Testing

@testable import AppleHealth

struct ValueTests {
    @Test(arguments: [
        ("2000-01-01 00:00:00 +0000", 946_684_800, 0, 0),
        ("2000-01-01 02:00:18 +0200", 946_684_818, 7200, 7218),
        ("1999-12-31 19:00:00 -0500", 946_684_800, -18000, 68400),
        ("2000-01-01 05:45:00 +0545", 946_684_800, 20700, 20700),
        ("1969-12-31 23:59:59 +0000", -1, 0, 86399),
        ("0001-01-01 00:00:00 +0000", -62_135_596_800, 0, 0),
        ("9999-12-31 23:59:59 +0000", 253_402_300_799, 0, 86399),
        ("2000-02-29 12:00:00 -0030", 951_827_400, -1800, 43200),
    ])
    func `a date is the moment that it names`(_ text: String, _ seconds: Int64, _ offset: Int, _ secondOfDay: Int) {
        let date = ExportDate(text.utf8Span.span, allowsCompact: false)
        #expect(date?.seconds == seconds)
        #expect(date?.offset == offset)
        #expect(date?.secondOfDay == secondOfDay)
    }

    @Test(arguments: [
        "", "2000-01-01", "2000-01-01 00:00:00", "2000-01-01T00:00:00 +0000", "2000-01-01 00:00:00 +00:00",
        "2000-13-01 00:00:00 +0000", "2001-02-29 00:00:00 +0000",
        "2000-01-01 24:00:00 +0000", "2000-01-01 00:60:00 +0000", "2000-01-01 00:00:60 +0000",
        "2000-01-01 00:00:00 *0000", "2000-01-01 00:00:00 +0060", "2000-01-01 00:00:00 +2400",
        "0001-01-01 00:00:00 +0001", "9999-12-31 23:59:59 -0001", "0000-01-01 00:00:00 +0000",
        " 2000-01-01 00:00:00 +000", "2000-01-01 00:00:00 +000a", "20000101000000", "20000101000000+02",
        "20000101000000+02000", "20000101000000z", "20001301000000+0000", "20000101240000Z", "2000010100000 +0000",
    ])
    func `what is no moment is no date`(_ text: String) {
        #expect(ExportDate(text.utf8Span.span, allowsCompact: true) == nil)
    }

    @Test(arguments: [
        ("20000101020018+0200", 946_684_818, 7200), ("19991231190000-0500", 946_684_800, -18000),
        ("20000101000000Z", 946_684_800, 0), ("20000101054500+0545", 946_684_800, 20700),
    ])
    func `a date of iOS 8 is the moment that it names, where it is one`(
        _ text: String, _ seconds: Int64, _ offset: Int
    ) {
        let date = ExportDate(text.utf8Span.span, allowsCompact: true)
        #expect(date == ExportDate(seconds: seconds, offset: offset))
        #expect(ExportDate(text.utf8Span.span, allowsCompact: false) == nil)
    }

    @Test(arguments: [
        ("0", 0.0, false), ("-0", -0.0, false), ("72", 72, false), ("+7", 7, false), ("007", 7, false),
        ("0.5", 0.5, false), (".5", 0.5, false), ("5.", 5, false),
        ("-61.25", -61.25, false), ("1e3", 1000, false), ("1E-3", 0.001, false), ("2.5e+2", 250, false),
        ("0.1", 0.1, false), ("5.911534350013039", 5.911534350013039, false),
        ("9007199254740993", 9_007_199_254_740_992, true), ("9007199254740993.1", 9_007_199_254_740_994, true),
        ("9007199254740994", 9_007_199_254_740_994, false), ("9.949999999999999", 9.95, false),
        ("0.10000000000000001", 0.1, false), ("0.10000000000000002", 0.10000000000000002, false),
        ("0.30000000000000004", 0.30000000000000004, false),
        ("1.7976931348623157e308", 1.7976931348623157e308, false), ("1e-400", 0, true),
        ("4.9e-324", Double.leastNonzeroMagnitude, false), ("0.1000000000000000055511", 0.1, true),
        ("123456789012345678", 123_456_789_012_345_680, true), ("1000000000000000000000", 1e21, false),
        ("0.00000000000000000000001", 1e-23, false), ("1e23", 1e23, false),
        ("8.5e22", 8.5e22, false), ("0e99999999999999999999", 0, false),
    ])
    func `a number is the nearest double`(_ text: String, _ value: Double, _ isLong: Bool) {
        let number = DecimalText(text.utf8Span.span)
        #expect(number?.value.bitPattern == value.bitPattern)
        #expect(number?.isLong == isLong)
    }

    @Test(arguments: [
        "", "-", "+", ".", "e5", "1e", "1e+", "1,5", " 1", "1 ", "0x10", "nan", "inf", "1.2.3", "--1", "1_000", "٣",
    ])
    func `what is no decimal is no number`(_ text: String) { #expect(DecimalText(text.utf8Span.span) == nil) }

    @Test(arguments: ["1e309", "-1e999", "179769313486231580793728971405301e300"])
    func `a number beyond all doubles is infinite`(_ text: String) {
        #expect(DecimalText(text.utf8Span.span)?.value.isInfinite == true)
    }

    @Test func `nearest doubles are those of the standard library`() {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let digits = String(UInt64.random(in: 0 ... .max, using: &random))
            let cut = digits.index(digits.startIndex, offsetBy: Int.random(in: 0...digits.count, using: &random))
            let text = "\(digits[..<cut]).\(digits[cut...])e\(Int.random(in: -30...30, using: &random))"
            let value = DecimalText(text.utf8Span.span)?.value
            #expect(value == Double(text), "\(text) \(random)")
        }
    }

    @Test(
        arguments: [
            ("0", 0, true), ("3", 3, true), ("-12", -12, true), ("9007199254740991", 9_007_199_254_740_991, true),
        ] as [(String, Int64, Bool)])
    func `a whole number is read as it is`(_ text: String, _ value: Int64, _ isExact: Bool) {
        let number = DecimalText.integer(text.utf8Span.span)
        #expect(number?.value == value)
        #expect(number?.isExact == isExact)
    }

    @Test(arguments: ["9007199254740992", "-9007199254740992", "99999999999999999999999999"])
    func `a whole number that no double holds is not exact`(_ text: String) {
        #expect(DecimalText.integer(text.utf8Span.span)?.isExact == false)
    }

    @Test(arguments: ["", "-", "-0", "00", "01", "1.0", "+1", "1e3", "a"]) func `other texts are no whole numbers`(
        _ text: String
    ) { #expect(DecimalText.integer(text.utf8Span.span) == nil) }

    @Test(arguments: [
        ("6:00:01,25 AM", 21600, 1.25), ("6:00:01.25 PM", 21600, 43201.25), ("12:00:00,00 AM", 0, 0),
        ("12:30:00 PM", 43200, 1800), ("06:00:01.5", 21600, 1.5), ("00:00:05.10", 86390, 15.1),
        ("5:59:59,99 AM", 21600, 86399.99), ("6:00:01,25\u{202F}AM", 21600, 1.25), ("6:00:01,25\u{A0}am", 21600, 1.25),
        ("23:59:59", 0, 86399), ("1:02:03,000000001 AM", 0, 3723.000000001),
        ("4:30:06.01 p.m.", 59405, 1.01), ("下午4:30:06.01", 59405, 1.01), ("16 h 30 min 06,01 s", 59405, 1.01),
        ("16.30.06,01", 59405, 1.01), ("٤:٣٠:٠٦٫٠١ م", 59405, 1.01), ("오후 4:30:06.01", 59405, 1.01),
        ("\u{200F}४:३०:०६.०१ अपराह्न", 59405, 1.01), ("16:30:06,01 ч.", 59405, 1.01), ("0:30:06 PM", 45005, 1),
        ("16:30:6", 59405, 1),
    ])
    func `a beat is so many seconds after the start`(_ text: String, _ start: Int, _ seconds: Double) {
        #expect(BeatTime.seconds(text.utf8Span.span, after: start, modulo: 900) == Self.remainder(seconds))
    }

    @Test(arguments: [
        "", "6:00", "25:00:00", "6:60:00", "6:00:60", "6:000:01", "6:00:01,1234567890", "6:00:01 25", "1 6:00:01.5",
        "6:00:01,, 25", "no time",
    ])
    func `what is no time is no beat`(_ text: String) {
        #expect(BeatTime.seconds(text.utf8Span.span, after: 0, modulo: 900) == nil)
    }

    /// What is left of seconds beyond a multiple of 900, from whole nanoseconds.
    private static func remainder(_ seconds: Double) -> Double {
        Double(Int64((seconds * 1e9).rounded()) % 900_000_000_000) / 1e9
    }

    @Test(arguments: [
        (
            "<<HKDevice: 0x28a>, name:TEST, manufacturer:Test Inc., model:Watch, hardware:Watch6,2, software:8.3>",
            ["TEST", "Test Inc.", "Watch", "Watch6,2", nil, "8.3", nil, nil, nil]
        ),
        ("<<HKDevice: 0x1>, firmware:1, localIdentifier:L, UDI:U>", [nil, nil, nil, nil, "1", nil, "L", "U", nil]),
        (
            "<<HKDevice: 0x1>, name:a, b, model:c, d: e, software:1>",
            ["a, b", nil, "c, d: e", nil, nil, "1", nil, nil, nil]
        ),
        (
            "<<HKDevice: 0x1>, name:a>, creation date:2000-01-01 00:00:00 +0000>",
            ["a>", nil, nil, nil, nil, nil, nil, nil, nil]
        ),
        (
            "<<HKDevice: 0x1>, colour:red, name:a, name:b, model:c>",
            ["a, name:b", nil, "c", nil, nil, nil, nil, nil, "colour:red"]
        ),
        ("<<HKDevice: 0x1>, name:>", ["", nil, nil, nil, nil, nil, nil, nil, nil]),
        ("<<HKDevice: 0x1>>", [nil, nil, nil, nil, nil, nil, nil, nil, nil]),
        ("<<HKDevice: 0x1>, name:a", [nil, nil, nil, nil, nil, nil, nil, nil, "<<HKDevice: >, name:a"]),
        ("a device at 0xDEAD0, 0xy", [nil, nil, nil, nil, nil, nil, nil, nil, "a device at , 0xy"]),
        ("", [nil, nil, nil, nil, nil, nil, nil, nil, ""]),
    ])
    func `a device is taken apart`(_ device: String, _ fields: [String?]) {
        let description = DeviceText.description(device.utf8Span.span)
        let found = [
            description.name, description.manufacturer, description.model, description.hardwareVersion,
            description.firmwareVersion, description.softwareVersion,
            description.localIdentifier, description.udi, description.other,
        ]
        #expect(found.map { $0.map(text) } == fields)
    }

    @Test func `members are in canonical order and repeated keys are numbered`() {
        var members = JSONMembers()
        for (key, value) in [("b", "1"), ("\u{FFFD}", "2"), ("😀", "3"), ("a", "4"), ("b", "5"), ("b", "1"), ("b", "6")]
        { members.add(Array(key.utf8), Array(value.utf8)) }
        #expect(text(members.object()) == "{\"a\":4,\"b\":1,\"b.2\":5,\"b.3\":6,\"😀\":3,\"\u{FFFD}\":2}")
        for number in 0..<40 { members.add(Array("k\(number)".utf8), [0x30]) }
        members.add(Array("k7".utf8), [0x31])
        members.add(Array("k7".utf8), [0x31])
        #expect(text(members.object()).contains("\"k7\":0,\"k7.2\":1,\"k8\":0"))
    }
}
