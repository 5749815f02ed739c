internal import Bytes

/// What is left out, or written in another way.
extension MarkupFilter {
    /// Passes on what is held up to a place.
    mutating func extendRun(to end: Int) { run = run.lowerBound..<max(run.upperBound, end) }

    /// Appends the run to the output; the next one begins at `next`.
    mutating func flush(to end: Int, next: Int? = nil) {
        isEdited = true
        if end > run.lowerBound { Self.append(held, run.lowerBound..<end, to: &output) }
        run = (next ?? end)..<(next ?? end)
    }

    private static func append(_ text: [UInt8], _ range: Range<Int>, to output: inout [UInt8]) {
        output.append(copying: text.span.extracting(range))
    }

    /// Notes that bytes of `held` are not passed on, and others are in their place.
    private mutating func replace(_ range: Range<Int>, with text: [UInt8] = []) {
        flush(to: range.lowerBound, next: range.upperBound)
        output += text
        let lines = Self.lines(held.span.extracting(range)) - Self.lines(text.span)
        positions.skip(bytes: Int64(range.count - text.count), lines: lines, at: written + Int64(output.count))
    }

    private static func lines(_ text: Span<UInt8>) -> Int {
        var lines = 0
        for at in text.indices where text[at] == UInt8(ascii: "\n") { lines += 1 }
        return lines
    }

    /// Leaves out the beginning of something, and with the next state the rest of it.
    mutating func leaveOut(_ at: Int, _ count: Int, _ next: State) -> Step {
        replace(at..<at + count)
        state = next
        return .on(at + count)
    }

    /// Leaves out what there is of something that ends like this.
    mutating func skip(_ start: Int, until end: [UInt8]) -> Step {
        var at = start
        while true {
            at = PlainText.first(end[0], or: end[0], in: held.span, from: at)
            guard at + end.count <= held.count else { break }
            if held.span.extracting(at..<at + end.count).isEqual(to: end.span) {
                replace(start..<at + end.count)
                state = .markup
                return .on(at + end.count)
            }
            at += 1
        }
        replace(start..<at)
        return .wait(at)
    }

    private static let root = Array("<HealthData".utf8)

    /// Leaves out what there is before the root's start tag.
    mutating func skipDocumentType(_ start: Int) -> Step {
        var at = start
        while true {
            at = PlainText.first(UInt8(ascii: "<"), or: UInt8(ascii: "<"), in: held.span, from: at)
            guard at + Self.root.count < held.count else { break }
            if held.span.extracting(at...).hasPrefix(Self.root.span),
                [
                    UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "/"),
                    UInt8(ascii: ">"),
                ].contains(held[at + Self.root.count])
            {
                replace(start..<at)
                state = .markup
                return .on(at)
            }
            at += 1
        }
        replace(start..<at)
        return .wait(at)
    }

    // MARK: Tags

    /// Writes the tag that was scanned last with its edits.
    mutating func apply() {
        for edit in scanner.edits where edit.range.lowerBound >= run.lowerBound {
            switch edit.kind {
            case .control(let value):
                counts.controlCharacter += 1
                replace(edit.range, with: [0xEF, 0xB7, 0x90 + value])
            case .noncharacter:
                counts.noncharacter += 1
                replace(edit.range, with: [0xEF, 0xBF, 0xBD])
            case .repeated:
                counts.duplicateAttribute += 1
                replace(edit.range)
            case .numbered(let number):
                counts.duplicateAttribute += 1
                replace(edit.range, with: Array(".\(number)".utf8))
            }
        }
    }

    /// Writes a tag with nothing but its type and a mark, and skips the rest of it.
    mutating func cut(_ start: Int, _ end: Int, quote: UInt8) -> Step {
        let name = scanner.name
        guard !name.isEmpty else { return .refuse(start) }
        let element = Array(held[name])
        names.add(element: element.span)
        guard !names.isFull else { return .refuse(start) }
        hasRoot = true
        var text = held.span.extracting(start..<name.upperBound).array
        let type = scanner.attributes.first { AttributeName.named(held.span.extracting($0.name)) == .type }
        // A reference in it would need the repairs that a cut tag does not get.
        if let type, type.value.count <= 256,
            PlainText.first(UInt8(ascii: "&"), or: UInt8(ascii: "&"), in: held.span.extracting(type.value), from: 0)
                == type.value.count
        {
            text += Array(" type=".utf8)
            text.append(copying: held.span.extracting(type.value.lowerBound - 1..<type.value.upperBound + 1))
        }
        text += Array(" \(AttributeName.tooLarge.text)=\"\"".utf8)
        replace(start..<end, with: text)
        state = .cut(quote: quote, slash: end > start && held[end - 1] == UInt8(ascii: "/"))
        return .on(end)
    }

    /// Leaves out what there is of a tag that was cut.
    mutating func skipTag(_ start: Int, _ quote: UInt8, _ slash: Bool) -> Step {
        var (at, quote, slash) = (start, quote, slash)
        while at < held.count {
            let byte = held[at]
            if quote != 0 {
                at = PlainText.first(quote, or: quote, in: held.span, from: at)
                if at < held.count { (quote, slash, at) = (0, false, at + 1) }
                continue
            }
            at += 1
            if byte == UInt8(ascii: ">") {
                replace(start..<at, with: slash ? [UInt8(ascii: "/"), UInt8(ascii: ">")] : [UInt8(ascii: ">")])
                state = .markup
                return .on(at)
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            slash = byte == UInt8(ascii: "/")
        }
        replace(start..<at)
        state = .cut(quote: quote, slash: slash)
        return .on(at)
    }
}
