import Bytes
import Files
import Scratch
import Testing

@testable import AppleHealth

/// `RecordReader` against expat: whatever the text, both ways to read it give the same.
struct RecordReaderTests {
    private static let tags = """
        <Record type="A" sourceName="Ä &amp; &quot;b&quot;" unit="m" value="1"/>
         <Record type="B" device="&lt;&lt;HKDevice: 0x1&gt;, name:x&gt;" value="2" >\t
          <MetadataEntry key="k" value="v&apos;"/>
          <MetadataEntry key="" value=""/>
         </Record>
         <Record></Record><Record type="C" sourceVersion="1"  endDate="e"/>\r
         <Correlation type="D"><Record type="E" value="3"/><MetadataEntry key="k" value="w"/></Correlation>
         <Record type='F' value='4'/><Record type="G" other="5"/><Record type="H" value="&#10;&#x41;" unit="a\tb\nc"/>
         <Record type="I"><MetadataEntry key="k"></MetadataEntry><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="1"/></HeartRateVariabilityMetadataList></Record>
         text &amp; more <!-- <Record type="J"/> --><Record type="K" value="1" value="2" type="K"/><Record type="L" value="\u{1}\u{10FFFF}"/>
        """
    private static let pieces = [
        "<", ">", "/", "/>", "\"", "'", "=", " ", "\n", "\r\n", "\t", "&", "&amp;", "&lt;", "&#1;", "&#38;", "&x;", ";",
        "]]>", "<!--", "-->", "<![CDATA[", "\u{0}", "\u{B}", "é", "\u{FFFE}",
        "<Record ", "</Record>", "<Record/>", "type=\"Z\"", " value=\"9\"", "hp.too_large=\"\"", "<MetadataEntry ",
        "</HealthData>", "<HealthData>", "x",
    ].map { Array($0.utf8) }

    /// What a text gives: elements with their attributes and lines, how it ended, what was repaired.
    private static func read(_ text: [UInt8], step: Int, parsesRecords: Bool) throws -> [String] {
        var document = ExportDocument(
            ExportInput(try Descriptor.unnamed(), begun: text), limit: 200, step: step, parsesRecords: parsesRecords)
        var batch = ElementBatch()
        var seen: [String] = []
        while try document.advance(into: &batch) {
            for element in batch.elements {
                guard !element.isEnd else {
                    seen.append("end")
                    continue
                }
                let attributes = batch.attributes[element.attributes].map {
                    "\(batch.name(of: $0)) \(batch.text($0.value).array)"
                }
                seen.append("\(element.name) \(batch.text(element.text).array) line \(element.line) \(attributes)")
            }
        }
        return seen + ["\(String(describing: document.outcome))", "\(document.repairs)"]
    }

    private static func compare(_ text: [UInt8], _ step: Int) throws {
        var (ours, expats) = (
            try read(text, step: step, parsesRecords: false), try read(text, step: step, parsesRecords: true)
        )
        // Repairs are counted in what was read ahead; how far that is behind the place where a text is malformed
        // depends on the reader.
        if ours.dropLast().last?.contains("malformed") == true { (ours, expats) = (ours.dropLast(), expats.dropLast()) }
        #expect(ours == expats, "step \(step): \(String(decoding: text, as: UTF8.self))")
    }

    private static func document(_ elements: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData []>\n<HealthData>\n \(elements)\n</HealthData>\n".utf8)
    }

    @Test(arguments: [1, 2, 3, 5, 64, 300, 1 << 18]) func `records are what Expat makes of them`(_ step: Int) throws {
        try Self.compare(Self.document(Self.tags), step)
        try Self.compare(Self.document(String(repeating: Self.tags, count: 3)), step)
    }

    @Test func `records are read without the parser`() throws {
        var batch = ElementBatch()
        var reader = RecordReader(line: 7, limit: 200, restoring: false)
        let text = Array(Self.tags.utf8)
        let end = reader.read(text.span, from: 0, into: &batch)
        // Up to the record without attributes, which the reader leaves to the parser.
        #expect(text[end...].starts(with: "<Record></Record>".utf8))
        #expect(reader.line == 12)
        #expect(batch.elements.count { !$0.isEnd } == 4)
        #expect(batch.text(batch.attributes[1].value).array == Array("Ä & \"b\"".utf8))
    }

    @Test(arguments: [199, 200, 201], [1, 64, 1 << 18])
    func `a record of more bytes than a tag may have is cut`(_ count: Int, step: Int) throws {
        let front = "<Record type=\"A\" value=\""
        let value = String(repeating: "1", count: count - front.utf8.count - 3)
        let record = "\(front)\(value)\"/>"
        for parsesRecords in [false, true] {
            let seen = try Self.read(Self.document(record), step: step, parsesRecords: parsesRecords)
            let second = count > 200 ? ("hp.too_large", "") : ("value", value)
            let attributes = [("type", "A"), second].map { "\(Array($0.utf8)) \(Array($1.utf8))" }
            #expect(
                seen == [
                    "HealthData [] line 3 []", "Record [] line 4 \(attributes)", "end", "end",
                    "Optional(AppleHealth.ExportOutcome.complete)", "\(RepairCounts())",
                ])
        }
        var batch = ElementBatch()
        var reader = RecordReader(line: 1, limit: 200, restoring: false)
        #expect(reader.read("\(record) ".utf8Span.span, from: 0, into: &batch) == (count > 200 ? 0 : count + 1))
        #expect(batch.elements.map(\.isEnd) == (count > 200 ? [] : [false, true]))
    }

    @Test func `altered records are what Expat makes of them`() throws {
        var random = SeededGenerator(seed: 4)
        let whole = Self.document(Self.tags)
        for _ in 0..<3000 {
            var text = whole
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let at = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.remove(at: at)
                case 1: text[at] = .random(in: 0...255, using: &random)
                case 2: text.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: at)
                default:
                    let end = min(at + Int.random(in: 0..<9, using: &random), text.count)
                    text.replaceSubrange(at..<end, with: Self.pieces.randomElement(using: &random)!)
                }
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                text.removeLast(Int.random(in: 0..<text.count, using: &random))
            }
            try Self.compare(text, [1, 7, 100, 1 << 18][Int.random(in: 0..<4, using: &random)])
        }
    }
}
