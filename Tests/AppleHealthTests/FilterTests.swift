import Bytes
import Testing

@testable import AppleHealth

/// A noncharacter, which Swift takes in no literal.
private func none(_ value: UInt32) -> String { String(Character(Unicode.Scalar(value)!)) }

struct FilterTests {
    struct Repair: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var expected = ""
        var counts = RepairCounts()
        var testDescription: String { name }
    }

    static func counts(control: Int = 0, none: Int = 0, invalid: Int = 0, duplicate: Int = 0) -> RepairCounts {
        var counts = RepairCounts()
        (counts.controlCharacter, counts.noncharacter, counts.invalidUTF8, counts.duplicateAttribute) = (
            control, none, invalid, duplicate
        )
        return counts
    }

    static let repairs = [
        Repair(
            name: "plain text", bytes: Array("abcdefgh\tij\r\n<a b=\"c\"/>".utf8),
            expected: "abcdefgh\tij\r\n<a b=\"c\"/>"),
        Repair(name: "characters of two to four bytes", bytes: Array("é 健 😀 é".utf8), expected: "é 健 😀 é"),
        Repair(
            name: "control characters", bytes: [0x61, 0x00, 0x1F, 0x0B, 0x62],
            expected: "a\(none(0xFDD0))\(none(0xFDEF))\(none(0xFDDB))b", counts: counts(control: 3)),
        Repair(
            name: "noncharacters",
            bytes: Array("\(none(0xFDD0))a\(none(0xFDEF))\u{FDF0}\(none(0xFFFE))\(none(0xFFFF))\u{FFFD}".utf8),
            expected: "\u{FFFD}a\u{FFFD}\u{FDF0}\u{FFFD}\u{FFFD}\u{FFFD}",
            counts: counts(none: 4)),
        Repair(
            name: "a byte that begins nothing", bytes: [0x61, 0xFF, 0x80, 0xC0, 0x62],
            expected: "a\u{FFFD}\u{FFFD}\u{FFFD}b", counts: counts(invalid: 3)),
        Repair(
            name: "a character that was cut", bytes: [0xE2, 0x82, 0x61, 0xF0, 0x9F, 0x98],
            expected: "\u{FFFD}\u{FFFD}a\u{FFFD}\u{FFFD}\u{FFFD}", counts: counts(invalid: 5)),
        Repair(
            name: "longer forms and surrogates", bytes: [0xC1, 0x81, 0xE0, 0x80, 0x80, 0xED, 0xA0, 0x80],
            expected: String(repeating: "\u{FFFD}", count: 8), counts: counts(invalid: 8)),
        Repair(
            name: "beyond Unicode", bytes: [0xF4, 0x90, 0x80, 0x80], expected: String(repeating: "\u{FFFD}", count: 4),
            counts: counts(invalid: 4)),
    ]

    @Test(arguments: repairs) func `bytes become text wherever a border is`(_ repair: Repair) {
        for cut in 0...repair.bytes.count {
            var (filter, text) = (ByteRepair(), [UInt8]())
            filter.append(repair.bytes.span.extracting(0..<cut), to: &text)
            filter.append(repair.bytes.span.extracting(cut...), to: &text)
            filter.finish(into: &text)
            #expect(text == Array(repair.expected.utf8), "cut at \(cut)")
            #expect(filter.counts == repair.counts, "cut at \(cut)")
            #expect(filter.written == Int64(text.count))
        }
    }

    @Test(arguments: repairs) func `bytes become text one at a time`(_ repair: Repair) {
        var (filter, text) = (ByteRepair(), [UInt8]())
        for at in repair.bytes.indices { filter.append(repair.bytes.span.extracting(at..<at + 1), to: &text) }
        filter.finish(into: &text)
        #expect(text == Array(repair.expected.utf8))
        #expect(filter.counts == repair.counts)
    }

    static let markup = [
        Repair(
            name: "no repairs",
            bytes: Array("<r>\n <a b='\"' c=\"'>\"/> text&amp;&#10;<d\n e = \"f\" ></d></r>".utf8),
            expected: "<r>\n <a b='\"' c=\"'>\"/> <d\n e = \"f\" ></d></r>"),
        Repair(
            name: "declarations, comments, sections",
            bytes: Array(
                "<?xml version=\"1.0\"?><!-- <a> -- --><r><![CDATA[<b x='>]]]>c</r><!---->".utf8),
            expected: "<r></r>"),
        Repair(
            name: "a document type",
            bytes: Array(
                "<!DOCTYPE HealthData [ <!ELEMENT HealthData (x> <!ATTLIST a \"> ' ]><HealthDataX><HealthData a='b'/>"
                    .utf8), expected: "<HealthData a='b'/>"),
        Repair(
            name: "a second value", bytes: Array("<a b=\"1\" c=\"2\" b=\"3\" b='1' b=\"4\"/>".utf8),
            expected: "<a b=\"1\" c=\"2\" b.2=\"3\"  b.3=\"4\"/>", counts: counts(duplicate: 3)),
        Repair(
            name: "a number that is taken", bytes: Array("<a b=\"1\" b.2=\"2\" b=\"3\" b.2=\"4\"/>".utf8),
            expected: "<a b=\"1\" b.2=\"2\" b.3=\"3\" b.2.2=\"4\"/>", counts: counts(duplicate: 2)),
        Repair(
            name: "references to characters that are none",
            bytes: Array("<a b=\"&#1;&#x1F;&#xFDD0;&#65535;&#9;&#65;&lt;\"/>".utf8),
            expected: "<a b=\"\(none(0xFDD1))\(none(0xFDEF))\u{FFFD}\u{FFFD}&#9;&#65;&lt;\"/>",
            counts: counts(control: 2, none: 2)),
        Repair(
            name: "a reference in what is left out", bytes: Array("<a b=\"&#1;\" b=\"&#1;\"/>".utf8),
            expected: "<a b=\"\(none(0xFDD1))\" />", counts: counts(control: 1, duplicate: 1)),
        Repair(
            name: "a tag that is too long",
            bytes: Array("<a type=\"t\" b=\"\(String(repeating: "x", count: 80))>'\" c='/'/><d/>".utf8),
            expected: "<a type=\"t\" hp.too_large=\"\"/><d/>"),
        Repair(
            name: "a tag of 64 bytes", bytes: Array("<a b=\"\(String(repeating: "x", count: 55))\"/><d/>".utf8),
            expected: "<a b=\"\(String(repeating: "x", count: 55))\"/><d/>"),
        Repair(
            name: "a tag of 65 bytes", bytes: Array("<a b=\"\(String(repeating: "x", count: 56))\"/><d/>".utf8),
            expected: "<a hp.too_large=\"\"/><d/>"),
        Repair(
            name: "a long tag with an end", bytes: Array("<a b=\"\(String(repeating: "/", count: 80))\"></a>".utf8),
            expected: "<a hp.too_large=\"\"></a>"),
    ]

    @Test(arguments: markup) func `markup is passed on wherever a border is`(_ repair: Repair) {
        for cut in 0...repair.bytes.count {
            var filter = MarkupFilter(limit: 64, step: 1)
            var text: [UInt8] = []
            for (part, isLast) in [(repair.bytes[..<cut], false), (repair.bytes[cut...], true)] {
                filter.held += part
                filter.isLast = isLast
                filter.advance()
                text.append(copying: filter.ready)
                filter.drop()
            }
            #expect(text == Array(repair.expected.utf8), "cut at \(cut)")
            #expect(filter.counts == repair.counts, "cut at \(cut)")
            #expect(filter.held.isEmpty && !filter.isRefused)
        }
    }

    @Test(arguments: [(256, true), (257, false)])
    func `an element has at most 256 attributes`(_ count: Int, fits: Bool) {
        let others = (2...count).map { " a\($0)='\($0)'" }.joined()
        var filter = MarkupFilter(limit: 1 << 20, step: 1)
        filter.held = Array("<HealthData><a type='t'\(others)/><d/>".utf8)
        filter.advance()
        #expect(
            text(filter.ready.array)
                == "<HealthData><a type='t'\(fits ? others : " hp.too_large=\"\"")/><d/>")
        #expect(!filter.isRefused)
    }

    @Test func `places lead back to the text as it was`() {
        var filter = MarkupFilter(limit: 64, step: 1)
        filter.held = Array("<?xml?>\n<!-- \n\n --><HealthData>\n<a b='1' b='1'/><c/>".utf8)
        filter.advance()
        #expect(text(filter.ready.array) == "\n<HealthData>\n<a b='1' /><c/>")
        // `<c/>` begins after 25 bytes and two lines; after 48 bytes and four lines in the text.
        let place = filter.positions.original(of: 25)
        #expect(place.byte == 48)
        #expect(place.lines == 2)
        #expect(filter.positions.original(of: 0).byte == 7)
    }

    static let broken = [
        "<a b></a>", "<a b=c/>", "< a/>", "<a / >", "<!ENTITY x>", "&\(String(repeating: "x", count: 40));",
        "<a =\"b\"/>", "</\(String(repeating: "x", count: 1100))>", "<a b='1'c='2'/>", "<a b='&c;'/>", "<a 1='2'/>",
        "<a b='<'/>", "<\u{D7}/>",
    ]

    @Test(arguments: broken) func `what no parser takes is handed aside`(_ markup: String) {
        var filter = MarkupFilter(limit: 64, step: 1)
        filter.held = Array("<HealthData>\(markup) <d/>".utf8)
        filter.advance()
        let passed = text(filter.ready.array)
        #expect(!filter.isRefused && filter.held.count == filter.place)
        #expect(passed.hasPrefix("<HealthData><hp.broken hp.broken=\""))
        #expect(passed.hasSuffix("<d/>"))
        #expect(!passed.contains("<a"))
    }
}
