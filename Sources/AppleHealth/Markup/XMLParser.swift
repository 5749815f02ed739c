internal import Bytes
internal import CExpat
internal import Files

/// Expat in push mode, without namespaces: bytes in, starts and ends of elements out.
///
/// Expat is told that everything is UTF-8, whatever the text declares: `ByteRepair` has seen to that. Document
/// types never reach it, so there are no entities but those of XML; its own limits of what entities may amount to
/// stay as they are. What it reads of one stretch is kept in `batch` until it is taken.
@safe
final class XMLParser {
    /// The maximum depth of nested elements.
    static let depthLimit = 64

    /// The place at which the parser refused the text.
    struct Refusal: Error {
        /// Line, counted from 1.
        let line: Int
        /// Bytes before it.
        let byte: Int64
    }

    private let handle: OpaquePointer
    private var collector = ElementCollector()
    private var passed: Int64 = 0
    /// The line that the text reached; expat's own depends on how much it is given at once.
    private var line = 1
    private var lineEnds = LineEnds()
    /// The place of expat after the last stretch.
    private var reached = Refusal(line: 1, byte: 0)
    /// The text after the root; `nil` before its end.
    private var epilog: Epilog?

    /// `true` if the root's end tag was read.
    var hasEnded: Bool { collector.hasEnded }

    /// A parser of one text.
    init() {
        guard let handle = unsafe XML_ParserCreate("UTF-8") else { preconditionFailure("expat gives no parser") }
        unsafe self.handle = handle
        unsafe XML_SetUserData(handle, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            handle,
            { data, name, attributes in
                unsafe Unmanaged<XMLParser>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    unsafe $0.begin(name!, attributes!)
                }
            },
            { data, name in
                unsafe Unmanaged<XMLParser>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    unsafe $0.end(name!)
                }
            })
    }

    deinit { unsafe XML_ParserFree(handle) }

    /// Reads the next stretch of the text. `restoring` says whether characters from U+FDD0 on stand for control
    /// characters (`ByteRepair`).
    func parse(_ text: Span<UInt8>, restoring: Bool) throws(Refusal) {
        collector.restoresControlCharacters = restoring
        var rest = text
        while !rest.isEmpty, epilog == nil {
            // Expat counts in Int32.
            let step = rest.extracting(0..<min(rest.count, 1 << 30))
            let first = collector.elementCount
            let status = unsafe step.withUnsafeBytes {
                unsafe XML_Parse(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 0)
            }
            var lines = LineCount(line: line, start: passed, lineEnds)
            collector.setLines(from: first) { lines.line(at: $0, in: step) }
            if epilog != nil {
                let start = epilog!.place.byte
                epilog!.begin(line: lines.line(at: start, in: step))
                rest = rest.extracting(droppingFirst: max(0, Int(start - passed)))
                break
            }
            // What expat holds back began in an earlier stretch, and is where it was then.
            let byte = unsafe max(0, Int64(XML_GetCurrentByteIndex(handle)))
            if byte > reached.byte { reached = Refusal(line: lines.line(at: byte, in: step), byte: byte) }
            guard status == XML_STATUS_OK else { throw reached }
            line = lines.line(at: passed + Int64(step.count), in: step)
            lineEnds = lines.ends
            passed += Int64(step.count)
            rest = rest.extracting(droppingFirst: step.count)
        }
        guard let refusal = epilog?.read(rest) else { return }
        throw refusal
    }

    /// Reads records that stand where the parser is, in its stead (`RecordReader`); returns behind what was read,
    /// and how many lines that has.
    ///
    /// - Parameter lines: how many lines the text that the parser was given has less than the file.
    func readRecords(_ text: Span<UInt8>, from start: Int, lines: Int, limit: Int) -> (end: Int, lines: Int) {
        // Between elements below the root, with nothing that expat holds back.
        guard collector.isBelowRoot, unsafe Int64(XML_GetCurrentByteIndex(handle)) == passed else { return (start, 0) }
        return collector.readRecords(text, from: start, line: line + lines, limit: limit)
    }

    /// Returns `true` if the parser takes a name.
    static func accepts(name: Span<UInt8>) -> Bool {
        guard let handle = unsafe XML_ParserCreate("UTF-8") else { preconditionFailure("expat gives no parser") }
        defer { unsafe XML_ParserFree(handle) }
        let text = [UInt8(ascii: "<")] + name.array + [UInt8(ascii: "/"), UInt8(ascii: ">")]
        let status = unsafe text.withUnsafeBytes {
            unsafe XML_Parse(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1)
        }
        return status == XML_STATUS_OK
    }

    /// Takes what was read since the last time; `other` is used for what comes next.
    func move(into other: inout ElementBatch) { collector.move(into: &other) }

    /// The place of the parser.
    var place: Refusal { epilog?.place ?? reached }

    private func begin(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        let byte = unsafe Int64(XML_GetCurrentByteIndex(handle))
        if unsafe !collector.begin(name, attributes, byte: byte) { _ = unsafe XML_StopParser(handle, 0) }
    }

    private func end(_ name: UnsafePointer<CChar>) {
        unsafe collector.end(name)
        guard collector.hasEnded else { return }
        let start = unsafe Int64(XML_GetCurrentByteIndex(handle))
        epilog = Epilog(byte: start, tag: unsafe Int(XML_GetCurrentByteCount(handle)))
        _ = unsafe XML_StopParser(handle, 0)
    }
}

/// The text from the root's end tag on, in which nothing but white space may stand (production `document` of XML
/// 1.0; the filter leaves the rest of `Misc` out).
///
/// Expat would place an error there by how much it was given at once, and wait for the end of a literal that has
/// none.
private struct Epilog {
    private var line = 1
    private var byte: Int64
    /// Bytes of the end tag that were not read yet.
    private var tag: Int
    private var ends = LineEnds()

    /// The text from an end tag of so many bytes on; an empty root's has none.
    init(byte: Int64, tag: Int) { (self.byte, self.tag) = (byte, tag) }

    /// Sets the line of the end tag, before anything is read.
    mutating func begin(line: Int) { self.line = line }

    /// The place up to which text was read.
    var place: XMLParser.Refusal { XMLParser.Refusal(line: line, byte: byte) }

    /// Reads the next stretch; where something stands that may not, its place.
    mutating func read(_ text: Span<UInt8>) -> XMLParser.Refusal? {
        for index in text.indices {
            let isSpace = [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t")].contains(
                text[index])
            guard isSpace || tag > 0 else { return place }
            line += ends.count(text.extracting(index..<index + 1))
            tag = max(0, tag - 1)
            byte += 1
        }
        return nil
    }
}

/// Counts the lines of places in a stretch of text, which are asked for in order.
private struct LineCount {
    private(set) var ends: LineEnds
    private var line: Int
    private let start: Int64
    private var at = 0

    /// - Parameters:
    ///   - line: that in which the stretch begins.
    ///   - start: bytes before the stretch.
    init(line: Int, start: Int64, _ ends: LineEnds) { (self.line, self.start, self.ends) = (line, start, ends) }

    /// Returns the line of a byte; that of the last place if it is before it.
    mutating func line(at byte: Int64, in text: Span<UInt8>) -> Int {
        let end = max(at, min(text.count, Int(byte - start)))
        line += ends.count(text.extracting(at..<end))
        at = end
        return line
    }
}

/// Puts what expat calls back with into a batch. A struct of its own, so that a call is one access of it and not
/// one for each byte that is kept.
private struct ElementCollector {
    private var batch = ElementBatch()
    private var depth = 0
    private var isStopped = false
    private(set) var hasEnded = false
    var restoresControlCharacters = false

    /// `true` if only the root is open.
    var isBelowRoot: Bool { depth == 1 && !isStopped }

    mutating func readRecords(_ text: Span<UInt8>, from start: Int, line: Int, limit: Int) -> (end: Int, lines: Int) {
        var reader = RecordReader(line: line, limit: limit, restoring: restoresControlCharacters)
        let end = reader.read(text, from: start, into: &batch)
        return (end, reader.line - line)
    }

    /// The number of elements.
    var elementCount: Int { batch.elements.count }

    /// Sets the lines of the elements from one on, which come in order.
    mutating func setLines(from first: Int, _ line: (Int64) -> Int) {
        for index in first..<batch.elements.count where !batch.elements[index].isEnd {
            batch.elements[index].line = line(batch.elements[index].byte)
        }
    }

    mutating func move(into other: inout ElementBatch) {
        other.removeAll()
        swap(&batch, &other)
    }

    /// Adds an element; false where it stands too deep.
    mutating func begin(
        _ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>, byte: Int64
    ) -> Bool {
        guard !isStopped else { return false }
        depth += 1
        // One more for what the filter writes in the place of what is not well-formed.
        guard depth <= XMLParser.depthLimit + 1 else {
            isStopped = true
            return false
        }
        let first = batch.attributes.count
        var next = unsafe attributes
        while let attribute = unsafe next.pointee, let value = unsafe next[1] {
            let name = unsafe AttributeName.named(bytes(of: attribute).span)
            let text = name == .other ? unsafe add(attribute) : ElementBatch.Place()
            let place = restoresControlCharacters ? unsafe addRestored(value) : unsafe add(value)
            batch.attributes.append(ElementBatch.Attribute(name: name, text: text, value: place))
            unsafe next += 2
        }
        let known = unsafe ElementName.named(bytes(of: name).span)
        let text = known == .other ? unsafe add(name) : ElementBatch.Place()
        batch.elements.append(
            ElementBatch.Element(
                name: known, isEnd: false, text: text, attributes: first..<batch.attributes.count, byte: byte,
                line: 0))
        return true
    }

    mutating func end(_ name: UnsafePointer<CChar>) {
        // Expat still ends an empty element at which it was stopped.
        guard !isStopped else { return }
        depth -= 1
        hasEnded = depth == 0
        batch.elements.append(
            ElementBatch.Element(
                name: .other, isEnd: true, text: ElementBatch.Place(), attributes: 0..<0, byte: 0, line: 0))
    }

    private mutating func add(_ text: UnsafePointer<CChar>) -> ElementBatch.Place {
        let buffer = unsafe bytes(of: text)
        let start = batch.bytes.count
        unsafe batch.bytes.append(contentsOf: buffer)
        return ElementBatch.Place(start: UInt32(start), count: UInt32(batch.bytes.count - start))
    }

    /// Adds a text in which U+FDD0 + n is the control character n again.
    private mutating func addRestored(_ text: UnsafePointer<CChar>) -> ElementBatch.Place {
        let place = unsafe add(text)
        let (end, start) = (place.range.upperBound, place.range.lowerBound)
        var (from, to) = (start, start)
        while from < end {
            if end - from >= 3, batch.bytes[from] == 0xEF, batch.bytes[from + 1] == 0xB7,
                (0x90...0xAF).contains(batch.bytes[from + 2])
            {
                batch.bytes[to] = batch.bytes[from + 2] - 0x90
                from += 3
            } else {
                batch.bytes[to] = batch.bytes[from]
                from += 1
            }
            to += 1
        }
        batch.bytes.removeLast(end - to)
        return ElementBatch.Place(start: UInt32(start), count: UInt32(to - start))
    }
}
