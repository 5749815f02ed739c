internal import Bytes

/// Reads records without the XML parser, where they stand as in almost every export: below the root, and with
/// nothing in them but metadata.
///
///     <Record a="…" b="…"/>        <Record a="…"> <MetadataEntry a="…" b="…"/> … </Record>
///
/// What it takes is well-formed wherever it stands, and is what the parser would make of it: a text without it is
/// one for the parser. All else is for the parser: names that the specification does not know, an attribute twice,
/// other quotes, white space in a tag that is no space, a value with a line's end, references but the five that XML
/// has names for. A test compares both on altered records.
struct RecordReader {
    /// The line of the place that was reached, counted from 1.
    private(set) var line: Int
    /// Bytes that a tag may have.
    private let limit: Int
    /// `true` if characters from U+FDD0 on represent others (`ByteRepair`).
    private let restoring: Bool
    /// Attributes of the open record that hold references.
    private var references: [Int] = []

    private static let record = Array("<Record".utf8)
    private static let entry = Array("<MetadataEntry".utf8)
    private static let end = Array("</Record>".utf8)

    /// A reader that begins in a line.
    init(line: Int, limit: Int, restoring: Bool) {
        self.line = line
        self.limit = limit
        self.restoring = restoring
    }

    /// Returns `true` if a record may begin here.
    static func isRecord(_ text: Span<UInt8>, at start: Int) -> Bool {
        start + record.count < text.count && text[start + record.count] == UInt8(ascii: " ")
            && text.extracting(start..<start + record.count).isEqual(to: record.span)
    }

    /// Adds the records from a place on, up to one that is not complete or not for this reader; returns where that
    /// begins, or the white space before something else ended.
    mutating func read(_ text: Span<UInt8>, from start: Int, into batch: inout ElementBatch) -> Int {
        var end = start
        while let next = readRecord(text, end, &batch) {
            end = next
            skipSpace(text, &end)
        }
        return end
    }

    private mutating func readRecord(_ text: Span<UInt8>, _ start: Int, _ batch: inout ElementBatch) -> Int? {
        guard Self.isRecord(text, at: start) else { return nil }
        let (firstLine, elements, attributes) = (line, batch.elements.count, batch.attributes.count)
        references.removeAll(keepingCapacity: true)
        // The record's text comes into the batch as it is, and places lead into it.
        guard let end = readElement(text, start, batch.bytes.count - start, &batch) else {
            line = firstLine
            batch.elements.removeLast(batch.elements.count - elements)
            batch.attributes.removeLast(batch.attributes.count - attributes)
            return nil
        }
        batch.bytes.append(copying: text.extracting(start..<end))
        for index in references { Self.resolve(&batch, index) }
        return end
    }

    private mutating func readElement(_ text: Span<UInt8>, _ start: Int, _ base: Int, _ batch: inout ElementBatch)
        -> Int?
    {
        guard var (at, isEmpty) = readTag(text, start, Self.record.count, .Record, base, &batch) else { return nil }
        while !isEmpty {
            skipSpace(text, &at)
            if text.extracting(at...).hasPrefix(Self.end.span) {
                at += Self.end.count
                isEmpty = true
                continue
            }
            guard text.extracting(at...).hasPrefix(Self.entry.span),
                let (end, isWhole) = readTag(text, at, Self.entry.count, .MetadataEntry, base, &batch), isWhole
            else { return nil }
            batch.elements.append(Self.endElement)
            at = end
        }
        batch.elements.append(Self.endElement)
        return at
    }

    private static let endElement = ElementBatch.Element(
        name: .other, isEnd: true, text: ElementBatch.Place(), attributes: 0..<0, byte: 0, line: 0)

    /// Adds a start tag; returns what is behind it, and whether its element is empty.
    private mutating func readTag(
        _ text: Span<UInt8>, _ start: Int, _ nameCount: Int, _ name: ElementName, _ base: Int,
        _ batch: inout ElementBatch
    ) -> (end: Int, isEmpty: Bool)? {
        var at = start + nameCount
        var seen: UInt64 = 0
        let first = batch.attributes.count
        while true {
            let space = at
            while at < text.count, text[at] == UInt8(ascii: " ") { at &+= 1 }
            guard text.count - at >= 2 else { return nil }
            let isEmpty = text[at] == UInt8(ascii: "/") && text[at + 1] == UInt8(ascii: ">")
            if isEmpty || text[at] == UInt8(ascii: ">") {
                at += isEmpty ? 2 : 1
                guard at - start <= limit else { return nil }
                batch.elements.append(
                    ElementBatch.Element(
                        name: name, isEnd: false, text: ElementBatch.Place(),
                        attributes: first..<batch.attributes.count, byte: ElementBatch.placed, line: line))
                return (at, isEmpty)
            }
            guard at > space, let attribute = Self.readName(text, &at), seen & 1 << attribute.rawValue == 0 else {
                return nil
            }
            seen |= 1 << attribute.rawValue
            let value = at
            guard let hasReferences = readValue(text, &at) else { return nil }
            if hasReferences { references.append(batch.attributes.count) }
            batch.attributes.append(
                ElementBatch.Attribute(
                    name: attribute, text: ElementBatch.Place(),
                    value: ElementBatch.Place(start: UInt32(value + base), count: UInt32(at - value))))
            at += 1
        }
    }

    /// Reads `name="`.
    private static func readName(_ text: Span<UInt8>, _ at: inout Int) -> AttributeName? {
        let start = at
        while at < text.count, (text[at] | 0x20) &- UInt8(ascii: "a") < 26 { at &+= 1 }
        guard text.count - at >= 2, text[at] == UInt8(ascii: "="), text[at + 1] == UInt8(ascii: "\"") else {
            return nil
        }
        let name = AttributeName.named(text.extracting(start..<at))
        at += 2
        return name == .other ? nil : name
    }

    /// Goes to the quote behind a value; returns whether there are references in it, or nil where it is not for
    /// this reader.
    private func readValue(_ text: Span<UInt8>, _ at: inout Int) -> Bool? {
        let start = at
        var hasReferences = false
        while true {
            at = PlainText.valueEnd(in: text, from: at)
            guard at < text.count else { return nil }
            if text[at] == UInt8(ascii: "\"") { break }
            guard text[at] == UInt8(ascii: "&"), let (_, count) = Self.reference(text, at) else { return nil }
            hasReferences = true
            at += count
        }
        if restoring, PlainText.first(0xEF, or: 0xEF, in: text.extracting(start..<at), from: 0) < at - start {
            return nil
        }
        return hasReferences
    }

    private mutating func skipSpace(_ text: Span<UInt8>, _ at: inout Int) {
        while at < text.count {
            if text[at] == UInt8(ascii: "\n") {
                line += 1
            } else if text[at] != UInt8(ascii: " "), text[at] != UInt8(ascii: "\t") {
                return
            }
            at &+= 1
        }
    }

    // MARK: References

    private static let names: [(text: [UInt8], byte: UInt8)] = [
        ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")),
        ("&quot;", UInt8(ascii: "\"")), ("&apos;", UInt8(ascii: "'")),
    ].map { (Array($0.0.utf8), $0.1) }

    /// Returns the byte that a reference stands for, and how many it has.
    private static func reference(_ text: Span<UInt8>, _ at: Int) -> (byte: UInt8, count: Int)? {
        let rest = text.extracting(at...)
        for index in names.indices {
            let (name, byte) = names[index]
            if rest.hasPrefix(name.span) { return (byte, name.count) }
        }
        return nil
    }

    /// Writes the bytes of a value in the place of its references.
    private static func resolve(_ batch: inout ElementBatch, _ index: Int) {
        let range = batch.attributes[index].value.range
        var (from, to) = (range.lowerBound, range.lowerBound)
        while from < range.upperBound {
            var (byte, count) = (batch.bytes[from], 1)
            if byte == UInt8(ascii: "&"), let reference = reference(batch.bytes.span, from) {
                (byte, count) = reference
            }
            batch.bytes[to] = byte
            from += count
            to += 1
        }
        batch.attributes[index].value.count = UInt32(to - range.lowerBound)
    }
}
