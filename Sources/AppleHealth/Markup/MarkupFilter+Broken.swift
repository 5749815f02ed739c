internal import Bytes
internal import Manifest

/// The removal of markup that is not well-formed. The parser gets `hp.broken` in its place, and reading continues after
/// it (`Spec/apple-health.md`, "What is not well-formed").
extension MarkupFilter {
    /// Bytes that are looked at for the end tag of an element.
    static let lookahead = 4 << 20
    /// Bytes that are looked at for end tags in all: so many, and so many times the bytes before.
    static let (freeLookahead, lookaheadFactor): (Int64, Int64) = (16 << 20, 4)
    /// Bytes of text between tags that its hash is made of.
    static let textLimit = 1024

    // MARK: Text

    /// Looks at the text from a place up to the next tag, inside of the root; `nil` if it is white space.
    mutating func lookAtText(_ start: Int, _ end: Int) -> Step? {
        var at = start
        while at < end, TagScanner.isSpace(held[at]) { at += 1 }
        guard at < end, let holder = open.last else { return nil }
        if holder.known != .other, !isInText, ElementName.named(Self.brokenName(held, at).span) != .other {
            // The `<` of a tag is missing.
            return breakTag(at, behind: at)
        }
        if holder.known != .other, !isInText {
            if end == held.count, !isLast, end - at < Self.textLimit { return .wait(at) }
            isInText = true
            mark(at, held.span.extracting(at..<min(end, at + Self.textLimit)).array)
        }
        leaveOut(at..<end)
        return .on(end)
    }

    // MARK: Start tags

    /// Replaces a start tag, or what looks like one, that is not well-formed.
    ///
    /// - Parameter first: where its name is, behind the `<` if there is one.
    mutating func breakTag(_ start: Int, behind first: Int) -> Step {
        guard let tag = Self.brokenTag(held, first, isLast) else {
            return isLast || held.count - start <= limit ? .wait(start) : lose(start)
        }
        let name = Self.brokenName(held, first)
        let known = ElementName.named(name.span)
        guard !open.isEmpty else {
            guard !hasRoot, known == .HealthData else { return .refuse(start) }
            hasRoot = true
            push(name, known, at: start)
            replace(start..<tag.end, with: Array("<HealthData>".utf8))
            return .on(tag.end)
        }
        if let step = closeUnclosed(before: start, known) { return step }
        isInText = true
        if isTooDeep { return leaveOutDeep(start..<tag.end, isEmpty: tag.isEmpty) }
        let isSample = known.isSample && (open.count == 1 || open[open.count - 1].known.holds(known))
        let isKept = isSample || (open.count == 1 && known.isBelowRoot)
        let passed = isKept ? known.text : ElementName.broken.text
        var text = Array("<\(passed)".utf8)
        if let type = tag.type { text += Array(" type=\"".utf8) + Array(held[type]) + [UInt8(ascii: "\"")] }
        text += Self.mark(of: held.span.extracting(start..<tag.end).array)
        text += Array((tag.isEmpty ? "/>" : ">").utf8)
        if !tag.isEmpty { push(name, known, isReplaced: !isKept, at: start) }
        replace(start..<tag.end, with: text)
        return .on(tag.end)
    }

    private static func brokenTag(_ text: [UInt8], _ first: Int, _ isLast: Bool) -> BrokenTag? {
        BrokenTag(text.span, from: first, isLast: isLast)
    }

    /// Returns the place of the first word from a place on.
    private static func firstWord(in text: Span<UInt8>, from first: Int) -> Range<Int> {
        let limit = min(text.count, first + TagScanner.nameLimit)
        var start = first
        while start < limit, TagScanner.isSpace(text[start]) { start += 1 }
        var end = start
        while end < limit {
            switch text[end] {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""),
                UInt8(ascii: "'"), UInt8(ascii: "&"):
                return start..<end
            case let byte where TagScanner.isSpace(byte): return start..<end
            default: end += 1
            }
        }
        return start..<end
    }

    /// Returns the first word from a place on.
    private static func brokenName(_ text: [UInt8], _ first: Int) -> [UInt8] {
        let range = firstWord(in: text.span, from: first)
        return Array(text[range])
    }

    /// Gives up the open element below the root and what follows, up to a start tag that can stand below the root.
    private mutating func lose(_ start: Int) -> Step {
        closeAll(at: start, from: 1)
        mark(start, held.span.extracting(start..<min(held.count, start + Self.textLimit)).array)
        state = .lost(isBehindTag: false)
        return .on(start)
    }

    /// Leaves out everything up to markup that the specification names, behind a `>` and white space.
    mutating func skipLost(_ start: Int, _ isBehindTag: Bool) -> Step {
        var (at, isBehindTag) = (start, isBehindTag)
        while at < held.count {
            let byte = held[at]
            if byte == UInt8(ascii: "<"), isBehindTag {
                guard let isMarkup = BrokenTag.isKnownMarkup(held.span, at: at, isLast: isLast) else { break }
                if isMarkup {
                    leaveOut(start..<at)
                    state = .markup
                    return .on(at)
                }
            }
            if !TagScanner.isSpace(byte) { isBehindTag = byte == UInt8(ascii: ">") }
            at += 1
        }
        leaveOut(start..<at)
        state = .lost(isBehindTag: isBehindTag)
        return at < held.count ? .wait(at) : .on(at)
    }

    // MARK: End tags

    /// Looks at an end tag inside of the root.
    mutating func closeTag(_ start: Int) -> Step {
        let limit = min(held.count, start + 1024)
        let mark = PlainText.first(
            UInt8(ascii: ">"), or: UInt8(ascii: "<"), in: held.span.extracting(0..<limit), from: start + 1)
        if mark == limit, limit < start + 1024 { return .wait(start) }
        let isClosed = mark < limit && held[mark] == UInt8(ascii: ">")
        let end = isClosed ? mark + 1 : mark
        let text = held[(start + 2)..<mark]
        let name = Self.brokenName(held, start + 2)
        let isWell = isClosed && text.starts(with: name) && text.dropFirst(name.count).allSatisfy(TagScanner.isSpace)
        return closeTag(start..<end, name, isWellFormed: isWell && !name.isEmpty)
    }

    private mutating func closeTag(_ range: Range<Int>, _ name: [UInt8], isWellFormed: Bool) -> Step {
        let bytes = held.span.extracting(range).array
        if excess > 0 {
            excess -= 1
            leaveOut(range)
            return .on(range.upperBound)
        }
        guard let place = open.lastIndex(where: { $0.name == name }) else { return closeUnknown(range, bytes) }
        if place == 0, let step = checkRootEnd(range, bytes) { return step }
        if place < open.count - 1 || (!isWellFormed && open.count > 1) {
            isInText = true
            mark(range.lowerBound, bytes)
            closeAll(at: range.lowerBound, from: place + 1)
        }
        let last = open.removeLast()
        if last.isReplaced || !isWellFormed {
            replace(range, with: Array("</".utf8) + last.passedName + [UInt8(ascii: ">")])
        }
        return .on(range.upperBound)
    }

    /// Looks at an end tag of an element that is not open: one too many, or the innermost element's with another name.
    private mutating func closeUnknown(_ range: Range<Int>, _ bytes: [UInt8]) -> Step {
        var isOver = false
        if open.count > 1 {
            switch closing(of: open.count - 1, from: range.upperBound) {
            case .needsMore: return .wait(range.lowerBound)
            case .found: open[open.count - 1].hasEnd = true
            case .notFound, .tooFar: isOver = true
            }
        }
        isInText = true
        mark(range.lowerBound, bytes)
        leaveOut(range)
        if isOver { closeAll(at: range.upperBound, from: open.count - 1) }
        return .on(range.upperBound)
    }

    /// Looks behind an end tag of the root: where an element below the root follows, it is one too many.
    private mutating func checkRootEnd(_ range: Range<Int>, _ bytes: [UInt8]) -> Step? {
        var at = range.upperBound
        while at < held.count, at - range.upperBound < Self.textLimit, TagScanner.isSpace(held[at]) { at += 1 }
        if at < held.count, held[at] != UInt8(ascii: "<") { return nil }
        guard at < held.count, let isMarkup = BrokenTag.isKnownMarkup(held.span, at: at, isLast: isLast) else {
            return isLast || at - range.upperBound >= Self.textLimit ? nil : .wait(range.lowerBound)
        }
        guard isMarkup, !ElementName.HealthData.isNamed(in: held, at: at) else { return nil }
        isInText = true
        mark(range.lowerBound, bytes)
        closeAll(at: range.lowerBound, from: 1)
        leaveOut(range)
        return .on(range.upperBound)
    }

    // MARK: Elements without an end

    /// Ends the element below the root that is open, where another that cannot stand in it begins and it has no end
    /// tag; `nil` if nothing is to be ended.
    mutating func closeUnclosed(before place: Int, _ known: ElementName) -> Step? {
        guard open.count > 1, known.isBelowRoot, !open[1].hasEnd else { return nil }
        if open[1].trusted > dropped + Int64(place), open[open.count - 1].known.holds(known) { return nil }
        let (unit, holder) = (open[1], open[open.count - 1])
        if holder.known.holds(known) || unit.known == .other,
            let inner = column(of: place), let outer = unit.column, inner > outer
        {
            return nil
        }
        switch closing(of: 1, from: place) {
        case .needsMore: return .wait(place)
        case .found:
            open[1].hasEnd = true
            return nil
        case .tooFar where holder.known.holds(known):
            open[1].trusted = dropped + Int64(place + Self.lookahead)
            return nil
        case .notFound, .tooFar:
            mark(place, unit.name)
            closeAll(at: place, from: 1)
            return .on(place)
        }
    }

    /// Closes all open elements from one of them on; what is below the root is not complete.
    private mutating func closeAll(at place: Int, from first: Int) {
        var text: [UInt8] = []
        while open.count > first {
            let last = open.removeLast()
            text += Array("</".utf8) + last.passedName + [UInt8(ascii: ">")]
            if open.count > max(first, 1) { text += Self.brokenElement(last.name) }
        }
        excess = 0
        replace(place..<place, with: text)
    }

    /// The result of a search for an end tag.
    private enum Closing {
        case found, notFound, needsMore
        /// It may, beyond what is looked at.
        case tooFar
    }

    /// Looks for the end tag of an open element, within bounds.
    private mutating func closing(of index: Int, from start: Int) -> Closing {
        if open[index].hasEnd { return .found }
        guard spent <= Self.freeLookahead + Self.lookaheadFactor * (dropped + Int64(start)) else { return .tooFar }
        let (result, end) = lookForEnd(of: index, from: start)
        if result != .needsMore { spent += Int64(end - start) }
        return result
    }

    private func lookForEnd(of index: Int, from start: Int) -> (Closing, at: Int) {
        let (element, unit) = (open[index], open[1])
        var (at, depth) = (start, 1)
        let text = held.span
        while true {
            at = PlainText.first(UInt8(ascii: "<"), or: UInt8(ascii: "<"), in: text, from: at)
            if at - start > Self.lookahead { return (.tooFar, at) }
            guard at + 2 < text.count else { return (isLast ? .notFound : .needsMore, at) }
            if text[at + 1] == UInt8(ascii: "!") || text[at + 1] == UInt8(ascii: "?"),
                let skipped = Self.sectionEnd(text, at)
            {
                guard let end = skipped else { return (isLast ? .notFound : .needsMore, at) }
                at = end
                continue
            }
            let isEnd = text[at + 1] == UInt8(ascii: "/")
            let range = Self.firstWord(in: text, from: isEnd ? at + 2 : at + 1)
            if !isLast, range.upperBound >= text.count { return (.needsMore, at) }
            let name = text.extracting(range)
            if name.isEqual(to: element.name.span) {
                if isEnd {
                    depth -= 1
                    if depth == 0 { return (.found, at) }
                } else {
                    guard let tag = BrokenTag(text, from: at + 1, isLast: isLast) else {
                        return (isLast ? .notFound : .needsMore, at)
                    }
                    if !tag.isEmpty { depth += 1 }
                }
            } else if isEnd {
                for outer in open.prefix(index) where name.isEqual(to: outer.name.span) { return (.notFound, at) }
            } else if unit.known != .other {
                let known = ElementName.named(name)
                if known.isBelowRoot, !unit.known.holds(known) { return (.notFound, at) }
            }
            if depth > XMLParser.depthLimit { return (.notFound, at) }
            at += 1
        }
    }

    /// Returns the place after a comment, section or instruction that begins here: `nil` in it if its end is not there;
    /// `nil` if none begins.
    private static func sectionEnd(_ text: Span<UInt8>, _ start: Int) -> Int?? {
        let rest = text.extracting(start...)
        let sections = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
        for (begin, end) in sections where rest.hasPrefix(begin.utf8Span.span) {
            let end = end.utf8Span.span
            for at in begin.utf8.count..<max(begin.utf8.count, rest.count - end.count + 1)
            where rest[at] == end[0] && rest.extracting(at...).hasPrefix(end) {
                return .some(start + at + end.count)
            }
            return .some(nil)
        }
        return nil
    }

    /// Leaves out a start tag that is too deep; the first one in an element below the root marks what it is in.
    mutating func leaveOutDeep(_ range: Range<Int>, isEmpty: Bool) -> Step {
        if !open[1].isMarked { mark(range.lowerBound, held.span.extracting(range).array) }
        open[1].isMarked = true
        leaveOut(range)
        if !isEmpty { excess += 1 }
        return .on(range.upperBound)
    }

    // MARK: What is written

    /// `true` if no further element may begin.
    var isTooDeep: Bool { open.count >= XMLParser.depthLimit }

    /// Passes on an element that says that what is open is not well-formed.
    mutating func mark(_ place: Int, _ text: [UInt8]) { replace(place..<place, with: Self.brokenElement(text)) }

    private static func brokenElement(_ text: [UInt8]) -> [UInt8] {
        Array("<\(ElementName.broken.text)".utf8) + mark(of: text) + Array("/>".utf8)
    }

    /// Returns the attribute that stands for bytes that are not well-formed: their hash, so that they are known again.
    private static func mark(of text: [UInt8]) -> [UInt8] {
        Array(" \(AttributeName.broken.text)=\"\(SHA256.digest(of: text.span).hex)\"".utf8)
    }

    /// Notes that an element is open.
    mutating func push(_ name: [UInt8], _ known: ElementName, isReplaced: Bool = false, at place: Int) {
        open.append(OpenElement(name: name, known: known, isReplaced: isReplaced, column: column(of: place)))
    }

    /// Returns the number of bytes of white space between the beginning of the line and a place; `nil` if something
    /// else is between.
    func column(of place: Int) -> Int? {
        var at = place
        while at > 0, held[at - 1] == UInt8(ascii: " ") || held[at - 1] == UInt8(ascii: "\t") { at -= 1 }
        guard at > 0 else { return columnBefore.map { $0 + place } }
        return held[at - 1] == UInt8(ascii: "\n") || held[at - 1] == UInt8(ascii: "\r") ? place - at : nil
    }
}

extension ElementName {
    /// Returns `true` if a start or end tag of this element begins here.
    func isNamed(in text: [UInt8], at start: Int) -> Bool {
        text[(start + 1)...].drop { $0 == UInt8(ascii: "/") }.starts(with: self.text.utf8)
    }
}
