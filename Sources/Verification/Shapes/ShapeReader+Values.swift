internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format

/// Numbers and texts, members that need each other, and metadata.
extension ShapeReader {
    // Not to change anything: a method that only reads would get a copy of the whole reader.
    mutating func isRight(_ number: Range<Int>, _ shape: FlatShapes.Value, _ line: Span<UInt8>) -> Bool {
        guard let value = reader.integer(number, in: line), value.magnitude <= 1 << 53 - 1 else {
            if case .number = shape { return true } else { return false }
        }
        if case .count(let least) = shape { return value >= least }
        if case .exactly(let wanted) = shape { return value == wanted }
        return true
    }

    mutating func isRight(_ text: StringContents, _ shape: FlatShapes.Value, _ line: Span<UInt8>) -> Bool {
        switch shape {
        case .hash: return !text.hasEscapes && TextForm.isHash(line.extracting(text.range))
        case .uuid: return !text.hasEscapes && TextForm.isUUID(line.extracting(text.range))
        case .pointer: return !holdsNul(text, line) && TextForm.isPointer(scratchOr(text, line))
        case .choice(let texts):
            return !text.hasEscapes && flat.isOne(of: texts, line.extracting(text.range))
        default: return !text.hasEscapes || !holdsNul(text, line)
        }
    }

    /// Takes a string that was read: a timestamp or a text.
    mutating func readText(
        _ text: StringContents, _ line: Span<UInt8>, _ shape: FlatShapes.Value, _ slot: Slot?,
        _ visitor: inout some ShapeVisitor
    ) {
        var captured = Captured(range: text.range, hasEscapes: text.hasEscapes, isText: true)
        if case .timestamp = shape {
            captured.moment = text.hasEscapes ? nil : timestamps.moment(in: line.extracting(text.range))
            guard captured.moment != nil else { return add(.shapeValue) }
        } else if !isRight(text, shape, line) {
            add(.shapeValue)
            // A format is unknown, whatever else is wrong with it.
            guard slot == .format || slot == .salvageFormat else { return }
        }
        if let slot { visit(slot, captured, line, &visitor) }
    }

    /// Members that are absent though others need them.
    mutating func checkNeeds(
        _ line: Span<UInt8>, _ object: FlatShapes.Object, _ present: UInt64, _ condition: Range<Int>?
    ) {
        // What several need is missing once.
        var settled = present
        for place in object.needs {
            let need = flat.needs[place]
            guard settled & 1 << UInt64(need.needed) == 0 else { continue }
            let isNeeded =
                if let text = need.text { condition.map { !line.extracting($0).isSame(as: text.span) } ?? true } else {
                    present & 1 << UInt64(need.member) != 0
                }
            guard isNeeded else { continue }
            settled |= 1 << UInt64(need.needed)
            let member = object.members.lowerBound + need.needed
            let (name, forms) = (flat.name(of: member), flat.members[member].forms)
            add(.shapeMemberMissing, name, forms: forms, isExcusable: need.isExcusable)
        }
    }

    mutating func readMetadata(
        _ token: Token, _ line: Span<UInt8>, _ slot: Slot?, _ visitor: inout some ShapeVisitor
    ) throws(JSONError) {
        switch token {
        case .string(let text):
            let content = scratchOr(text, line)
            // Text that is the canonical text of an object would have been written as that object.
            let isObject = content.first == UInt8(ascii: "{") && Validator.isCanonical(content.span, nestingLimit: 64)
            if content.contains(0) || isObject {
                add(.shapeValue)
            } else if let slot {
                visit(slot, Captured(range: text.range, hasEscapes: text.hasEscapes, isText: true), line, &visitor)
            }
        case .beginObject:
            let start = reader.tokenStart
            let base = reader.depth - 1
            var deepest = reader.depth
            while reader.depth > base {
                _ = try reader.next(in: line)
                deepest = max(deepest, reader.depth)
            }
            if deepest - base > 64 {
                add(.shapeValue)
            } else if let slot {
                visit(slot, Captured(range: start..<reader.position), line, &visitor)
            }
        default: try reject(token, line)
        }
    }
}

/// Forms of texts.
enum TextForm {
    /// Returns `true` if a text without escapes is 64 hex digits.
    static func isHash(_ text: Span<UInt8>) -> Bool { text.count == 64 && text.hasDigest(at: 0) }

    /// Returns `true` if a text without escapes is a UUID of version 8.
    static func isUUID(_ text: Span<UInt8>) -> Bool {
        func isHex(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        let hyphens = [8, 13, 18, 23]
        return text.count == 36
            && text.indices.allSatisfy { hyphens.contains($0) ? text[$0] == UInt8(ascii: "-") : isHex(text[$0]) }
            && text[14] == UInt8(ascii: "8")
            && [UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")].contains(text[19])
    }

    /// Returns `true` if a text is a pointer (RFC 6901): one or more reference tokens, `~` only as `~0` or `~1`.
    static func isPointer(_ text: [UInt8]) -> Bool {
        guard text.first == UInt8(ascii: "/") else { return false }
        return text.indices.allSatisfy {
            text[$0] != UInt8(ascii: "~")
                || ($0 + 1 < text.count && (text[$0 + 1] == UInt8(ascii: "0") || text[$0 + 1] == UInt8(ascii: "1")))
        }
    }
}
