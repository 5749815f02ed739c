internal import Bytes

/// Looks at one start tag: where it ends, which attributes it has, and what in it an XML parser would refuse for a
/// reason that can be repaired.
struct TagScanner {
    /// An attribute, as ranges of the text; the value without its quotes.
    struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// Something to be written in another way.
    struct Edit {
        enum Kind {
            /// A reference to a control character: its value.
            case control(UInt8)
            /// A reference to a noncharacter.
            case noncharacter
            /// An attribute that the element has, with the same value: left out.
            case repeated
            /// The end of the name of an attribute that the element has with another value: its number.
            case numbered(Int)
        }

        var range: Range<Int>
        var kind: Kind
    }

    /// The end of a tag.
    enum Result {
        /// Behind its `>`.
        case complete(end: Int)
        /// The text ends first, within a value in these quotes or outside of all (0).
        case incomplete(quote: UInt8)
        /// This is no tag.
        case malformed(at: Int)
        /// It has more attributes or repairs than a tag may have, or a longer name.
        case tooMany(at: Int)
    }

    /// The maximum number of attributes of an element.
    static let attributeLimit = 256
    /// Bytes that the name of an element or of an attribute may have.
    static let nameLimit = 256
    /// The maximum number of repairs of a tag.
    static let editLimit = 65_536

    /// The attributes of the last tag that were complete.
    private(set) var attributes: [Attribute] = []
    /// The edits of the last tag, from its front to its end; void unless it was complete.
    private(set) var edits: [Edit] = []
    /// The name of the last tag's element; empty where it was not complete.
    private(set) var name = 0..<0
    /// A bit for each name so far, to see at once that most are new.
    private var seen: UInt64 = 0
    private var hasRepeatedName = false

    /// Reads the tag that begins with the `<` at `start`.
    mutating func scan(_ text: Span<UInt8>, from start: Int) -> Result {
        attributes.removeAll(keepingCapacity: true)
        edits.removeAll(keepingCapacity: true)
        (name, seen, hasRepeatedName) = (0..<0, 0, false)
        var at = Self.nameEnd(in: text, from: start + 1)
        guard at - start - 1 <= Self.nameLimit else { return .malformed(at: start + 1) }
        guard at < text.count else { return .incomplete(quote: 0) }
        guard at > start + 1, NameSyntax.isName(text.extracting(start + 1..<at)) else { return .malformed(at: at) }
        name = start + 1..<at
        while true {
            while at < text.count, Self.isSpace(text[at]) { at &+= 1 }
            guard at < text.count else { return .incomplete(quote: 0) }
            if text[at] == UInt8(ascii: ">") { return complete(text, end: at + 1) }
            if text[at] == UInt8(ascii: "/") {
                guard at + 1 < text.count else { return .incomplete(quote: 0) }
                return text[at + 1] == UInt8(ascii: ">") ? complete(text, end: at + 2) : .malformed(at: at + 1)
            }
            // Behind a name or a value, white space comes before an attribute.
            guard Self.isSpace(text[at - 1]) else { return .malformed(at: at) }
            guard attributes.count < Self.attributeLimit, edits.count < Self.editLimit else { return .tooMany(at: at) }
            if let stop = scanAttribute(text, &at) { return stop }
        }
    }

    private mutating func scanAttribute(_ text: Span<UInt8>, _ at: inout Int) -> Result? {
        let name = at..<Self.nameEnd(in: text, from: at)
        guard name.count <= Self.nameLimit else { return .tooMany(at: name.lowerBound) }
        at = name.upperBound
        while at < text.count, Self.isSpace(text[at]) { at &+= 1 }
        guard at < text.count else { return .incomplete(quote: 0) }
        guard text[at] == UInt8(ascii: "="), NameSyntax.isName(text.extracting(name)) else {
            return .malformed(at: at)
        }
        at &+= 1
        while at < text.count, Self.isSpace(text[at]) { at &+= 1 }
        guard at < text.count else { return .incomplete(quote: 0) }
        let quote = text[at]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return .malformed(at: at) }
        let start = at &+ 1
        at = start
        while true {
            at = PlainText.first(quote, or: UInt8(ascii: "&"), UInt8(ascii: "<"), in: text, from: at)
            guard at < text.count else { return .incomplete(quote: quote) }
            if text[at] == quote { break }
            guard text[at] == UInt8(ascii: "&") else { return .malformed(at: at) }
            guard let end = scanReference(text, at) else {
                return text.count - at < Self.referenceLimit && isWithoutEnd(text, at)
                    ? .incomplete(quote: quote) : .malformed(at: at)
            }
            at = end
            guard edits.count < Self.editLimit else { return .tooMany(at: at) }
        }
        attributes.append(Attribute(name: name, value: start..<at))
        at &+= 1
        let bit =
            UInt64(1)
            << UInt64(
                (text[name.lowerBound] ^ text[name.upperBound - 1] &* 7 ^ UInt8(truncatingIfNeeded: name.count) &* 29)
                    & 63)
        if seen & bit != 0, !hasRepeatedName {
            hasRepeatedName = attributes.dropLast().contains {
                text.extracting($0.name).isEqual(to: text.extracting(name))
            }
        }
        seen |= bit
        return nil
    }

    /// Bytes that a reference may have.
    private static let referenceLimit = 64
    private static let references = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].map { Array($0.utf8) }

    /// Returns `true` if a text ends before the `;` of the reference at a place.
    private func isWithoutEnd(_ text: Span<UInt8>, _ start: Int) -> Bool {
        for at in start + 1..<text.count {
            switch text[at] {
            case UInt8(ascii: "#"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                continue
            default: return false
            }
        }
        return true
    }

    /// Steps over the reference at a place, which may have to be written in another way; `nil` if it is not one of XML.
    private mutating func scanReference(_ text: Span<UInt8>, _ start: Int) -> Int? {
        var at = start &+ 1
        guard at < text.count, text[at] == UInt8(ascii: "#") else {
            let rest = text.extracting(start...)
            for index in Self.references.indices {
                let reference = Self.references[index]
                if rest.hasPrefix(reference.span) { return start + reference.count }
            }
            return nil
        }
        at += 1
        let isHexadecimal = at < text.count && text[at] == UInt8(ascii: "x")
        if isHexadecimal { at += 1 }
        let digits = at
        var value = 0
        while at < text.count, at - start < Self.referenceLimit, let digit = Self.digit(text[at], isHexadecimal) {
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x11_0000)
            at += 1
        }
        guard at < text.count, at > digits, text[at] == UInt8(ascii: ";") else { return nil }
        switch value {
        case 0x09, 0x0A, 0x0D: break
        case 0..<0x20: edits.append(Edit(range: start..<at + 1, kind: .control(UInt8(value))))
        case 0xFDD0...0xFDEF, 0xFFFE, 0xFFFF: edits.append(Edit(range: start..<at + 1, kind: .noncharacter))
        case 0xD800...0xDFFF, 0x11_0000...: return nil
        default: break
        }
        return at + 1
    }

    private static func digit(_ byte: UInt8, _ isHexadecimal: Bool) -> Int? {
        guard let value = Hexadecimal.value(of: byte), value < 10 || isHexadecimal else { return nil }
        return Int(value)
    }

    private mutating func complete(_ text: Span<UInt8>, end: Int) -> Result {
        guard hasRepeatedName else { return .complete(end: end) }
        // By name: the values so far, and the last number. Sets, because a tag may repeat one name with long values.
        var known: [[UInt8]: (values: Set<[UInt8]>, number: Int)] = [:]
        var names: Set<[UInt8]> = []
        for attribute in attributes {
            let name = text.extracting(attribute.name).array
            var before = known.removeValue(forKey: name) ?? ([], 0)
            if before.values.insert(text.extracting(attribute.value).array).inserted {
                repeat { before.number += 1 } while !names.insert(Self.numbered(name, before.number)).inserted
                let end = attribute.name.upperBound
                if before.number > 1 { edits.append(Edit(range: end..<end, kind: .numbered(before.number))) }
            } else {
                edits.append(Edit(range: attribute.name.lowerBound..<attribute.value.upperBound + 1, kind: .repeated))
            }
            known[name] = before
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        return .complete(end: end)
    }

    /// Returns the name of the attribute that has a name already for the so many-th time.
    private static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
        number == 1 ? name : name + Array(".\(number)".utf8)
    }

    /// Calls `body` with the names that the XML parser is to see of the last tag's attributes.
    func forEachName(in text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        for attribute in attributes { body(text.extracting(attribute.name)) }
        for edit in edits {
            let end = edit.range.lowerBound
            guard case .numbered(let number) = edit.kind else { continue }
            guard let attribute = attributes.first(where: { $0.name.upperBound == end }) else { continue }
            body(Self.numbered(text.extracting(attribute.name).array, number).span)
        }
    }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    /// Returns the place after a name: the first byte that cannot be part of one.
    @inline(__always)
    private static func nameEnd(in text: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at < text.count {
            switch text[at] {
            case 0x00...UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "/"),
                UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ">"):
                return at
            default: at &+= 1
            }
        }
        return at
    }
}
