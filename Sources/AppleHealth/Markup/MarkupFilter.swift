internal import Bytes

/// Passes markup on to the XML parser without what it would refuse (`Spec/apple-health.md`, "Reading"): the second
/// of two filters, on text that `ByteRepair` has made.
///
/// Document type, comments, processing instructions and CDATA sections are left out; attributes that their element
/// has already are renamed or left out; a tag beyond the limit is cut. A tag is passed on only when all of it is
/// there, so the parser never has half of one and never reads a stretch twice. What needs no change is passed on as
/// it stands in `held`.
struct MarkupFilter {
    /// Text that was not passed on yet; `ByteRepair` appends to it.
    var held: [UInt8] = []
    /// The repairs so far.
    var counts = RepairCounts()
    /// From the text that is passed on to the text that was held.
    var positions = PositionMap()
    /// Bytes passed on so far.
    var written: Int64 = 0
    /// `true` if the text cannot be passed on further: the parser refuses what was passed on last.
    private(set) var isRefused = false
    /// The names that were passed on.
    var names = NameLedger()

    /// The kind of text that is being read.
    enum State {
        case markup
        /// Everything until the root's start tag.
        case documentType
        /// Everything until `-->`, `]]>`, `?>`.
        case comment, section, instruction
        /// The rest of a tag that was cut: the quotes around, and whether a `/` was the last.
        case cut(quote: UInt8, slash: Bool)
        /// Text that has no end that can be found; `true` if a `>` was the last byte except white space.
        case lost(isBehindTag: Bool)
    }

    /// The action after a step.
    enum Step {
        /// Look further, from here.
        case on(Int)
        /// Text that begins here and needs more.
        case wait(Int)
        /// A record begins here.
        case record(Int)
        /// No parser takes what is here.
        case refuse(Int)
    }

    /// Bytes that the attributes of an element may have.
    let limit: Int
    private let step: Int
    /// Looks at tags.
    var scanner = TagScanner()
    /// The kind of text that is being read.
    var state = State.markup
    /// `true` if an element has begun.
    var hasRoot = false
    /// The text that is passed on in this round if it differs from the held text.
    var output: [UInt8] = []
    /// `true` if the text that is passed on differs from the held text.
    var isEdited = false
    /// The part of `held` that is passed on as it is, or will be appended to `output`.
    var run = 0..<0
    /// The place before which everything was looked at.
    private(set) var place = 0
    /// The elements that are open, the root first.
    var open: [OpenElement] = []
    /// Elements that are open and too deep to be passed on.
    var excess = 0
    /// Bytes that were looked at for end tags.
    var spent: Int64 = 0
    /// Bytes that were held before those that are held.
    private(set) var dropped: Int64 = 0
    /// `true` if the text between tags belongs to what was removed.
    var isInText = false
    /// `true` if no more text follows the held text.
    var isLast = false
    /// White space since the last line began before what is held; `nil` if something else is between.
    private(set) var columnBefore: Int?
    /// The last byte of the text before what is held, and the last one that was passed on before this round.
    private var (lastDropped, lastPassed): (UInt8, UInt8) = (0, 0)
    /// `true` behind text that was left out or put in, until the next byte is passed on.
    private var isAtSeam = false
    /// The element whose tag was cut.
    private var cutElement: [UInt8] = []
    /// `true` if it stops before records.
    private let stopsAtRecords: Bool
    /// The place at which a record begins that is for the parser.
    private var ordinaryRecord = -1

    /// A filter with a limit for the attributes of an element, in bytes, and a least size of what is read in one go.
    init(limit: Int, step: Int, stopsAtRecords: Bool = true) {
        self.limit = limit
        self.step = step
        self.stopsAtRecords = stopsAtRecords
    }

    /// The text that can be passed on now, after `advance`.
    var ready: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            if isEdited { return output.span }
            return held.span.extracting(run)
        }
    }

    /// The number of bytes that should be read next: more, the more is held, so that a long tag is not looked at again
    /// and again.
    var wanted: Int { max(step, held.count) }

    /// Forgets what was passed on.
    mutating func drop() {
        endRun()
        columnBefore = column(of: place)
        lastDropped = byte(before: place)
        dropped += Int64(place)
        held.removeFirst(place)
        if held.capacity > 8 << 20, held.count < 1 << 20 { held = Array(held[...]) }
        (run, place, ordinaryRecord) = (0..<0, 0, -1)
    }

    /// Ends what is ready: it was passed on.
    mutating func endRun() {
        written += Int64(ready.count)
        if !ready.isEmpty { lastPassed = ready[ready.count - 1] }
        output.removeAll(keepingCapacity: output.capacity < 8 << 20)
        (run, isEdited) = (place..<place, false)
    }

    /// Leaves out the records from the place on, up to another; where there are none, the parser is to read the first.
    mutating func leaveOut(records end: Int, lines: Int) {
        guard end > place else {
            ordinaryRecord = place
            return
        }
        positions.skip(bytes: Int64(end - place), lines: lines, at: written)
        place = end
        run = end..<end
        isAtSeam = true
    }

    /// Forgets places before one in what is passed on.
    mutating func forgetPositions(before byte: Int64) { positions.forget(before: byte) }

    /// Looks at what is held, as far as it is complete; true where it stopped before a record.
    @discardableResult
    mutating func advance() -> Bool {
        var at = place
        var isRecord = false
        loop: while at < held.count {
            switch look(at) {
            case .on(let next):
                at = next
            case .wait(let place):
                at = place
                break loop
            case .record(let place):
                at = place
                isRecord = true
                break loop
            case .refuse(let place):
                // Enough for the parser to see it too, and to say where it is.
                at = min(place + 64, held.count)
                isRefused = true
                break loop
            }
        }
        place = at
        if case .markup = state { extendRun(to: at) }
        if isEdited { flush(to: run.upperBound) } else { closeSeam(to: run.upperBound) }
        return isRecord
    }

    private mutating func look(_ at: Int) -> Step {
        switch state {
        case .markup: lookAtMarkup(at)
        case .documentType: skipDocumentType(at)
        case .comment: skip(at, until: Self.ends[0])
        case .section: skip(at, until: Self.ends[1])
        case .instruction: skip(at, until: Self.ends[2])
        case .cut(let quote, let slash): skipTag(at, quote, slash)
        case .lost(let isBehindTag): skipLost(at, isBehindTag)
        }
    }

    // MARK: Markup

    private mutating func lookAtMarkup(_ start: Int) -> Step {
        let reference = open.isEmpty ? UInt8(ascii: "&") : UInt8(ascii: "<")
        let at = PlainText.first(UInt8(ascii: "<"), or: reference, in: held.span, from: start)
        if !open.isEmpty, let step = lookAtText(start, at) { return step }
        guard at < held.count else { return .on(at) }
        if held[at] == UInt8(ascii: "&") { return self.reference(at) }
        guard at + 1 < held.count else { return .wait(at) }
        isInText = false
        switch held[at + 1] {
        case UInt8(ascii: "!"): return declaration(at)
        case UInt8(ascii: "?"): return leaveOut(at, 2, .instruction)
        case UInt8(ascii: "/"): return open.isEmpty ? endTag(at) : closeTag(at)
        default:
            return stopsAtRecords && at != ordinaryRecord && RecordReader.isRecord(held.span, at: at)
                ? .record(at) : startTag(at)
        }
    }

    /// Returns the step for a reference in text. It has to end soon: a parser would hold all of a long one.
    private func reference(_ at: Int) -> Step {
        let end = PlainText.first(
            UInt8(ascii: ";"), or: UInt8(ascii: ";"), in: held.span.extracting(0..<min(held.count, at + 32)), from: at)
        if end < min(held.count, at + 32) { return .on(end + 1) }
        return held.count < at + 32 ? .wait(at) : .refuse(at)
    }

    private func endTag(_ at: Int) -> Step {
        let limit = min(held.count, at + 1024)
        let end = PlainText.first(
            UInt8(ascii: ">"), or: UInt8(ascii: "<"), in: held.span.extracting(0..<limit), from: at + 1)
        if end < limit { return held[end] == UInt8(ascii: ">") ? .on(end + 1) : .refuse(end) }
        return held.count < at + 1024 ? .wait(at) : .refuse(at)
    }

    private static let ends = [Array("-->".utf8), Array("]]>".utf8), Array("?>".utf8)]
    private static let declarations: [(text: [UInt8], state: State)] = [
        (Array("<!--".utf8), .comment), (Array("<![CDATA[".utf8), .section), (Array("<!DOCTYPE".utf8), .documentType),
    ]

    private mutating func declaration(_ at: Int) -> Step {
        let there = held[at..<min(held.count, at + 9)]
        for (text, state) in Self.declarations where there.starts(with: text) {
            if case .documentType = state, hasRoot { return open.isEmpty ? .refuse(at) : breakTag(at, behind: at + 1) }
            return leaveOut(at, text.count, state)
        }
        if !isLast, Self.declarations.contains(where: { $0.text.starts(with: there) }) { return .wait(at) }
        return open.isEmpty ? .refuse(at) : breakTag(at, behind: at + 1)
    }

    private mutating func startTag(_ at: Int) -> Step {
        switch Self.scan(held, at, &scanner) {
        case .complete(let end):
            guard end - at <= limit else { return cut(at, end - 1, quote: 0) }
            return pass(at, end)
        case .incomplete(let quote):
            if isLast, !open.isEmpty { return breakTag(at, behind: at + 1) }
            return held.count - at <= limit ? .wait(at) : cut(at, held.count, quote: quote)
        case .tooMany(let place):
            return cut(at, place, quote: Self.quote(held.span, scanner, place))
        case .malformed(let place):
            return open.isEmpty && hasRoot ? .refuse(place) : breakTag(at, behind: at + 1)
        }
    }

    /// Passes on a start tag that was scanned.
    private mutating func pass(_ start: Int, _ end: Int) -> Step {
        let name = Array(held[scanner.name])
        let known = ElementName.named(name.span)
        if let step = closeUnclosed(before: start, known) { return step }
        let isEmpty = held[end - 2] == UInt8(ascii: "/")
        if isTooDeep { return leaveOutDeep(start..<end, isEmpty: isEmpty) }
        Self.note(held, scanner, &names)
        guard !names.isFull else { return .refuse(start) }
        if !isEmpty, !hasRoot || !open.isEmpty { push(name, known, at: start) }
        hasRoot = true
        if !scanner.edits.isEmpty { apply() }
        return .on(end)
    }

    private static func note(_ text: [UInt8], _ scanner: TagScanner, _ names: inout NameLedger) {
        names.add(element: text.span.extracting(scanner.name))
        scanner.forEachName(in: text.span) { names.add(attribute: $0) }
    }

    private static func scan(_ text: [UInt8], _ at: Int, _ scanner: inout TagScanner) -> TagScanner.Result {
        scanner.scan(text.span, from: at)
    }

    /// Returns the quotes around a place behind the last complete attribute.
    private static func quote(_ text: Span<UInt8>, _ scanner: TagScanner, _ place: Int) -> UInt8 {
        let start = scanner.attributes.last.map { $0.value.upperBound + 1 } ?? scanner.name.upperBound
        for at in start..<place where [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(text[at]) { return text[at] }
        return 0
    }
}

/// The names of elements and attributes that the XML parser was given, but for those that the specification names.
///
/// Expat keeps every name as long as it lives, so their number has a limit.
struct NameLedger {
    /// The maximum number of different names in a text.
    static let limit = 4096

    /// `true` if there were more.
    private(set) var isFull = false
    private var names: Set<[UInt8]> = []

    /// Notes the name of an element.
    mutating func add(element name: Span<UInt8>) {
        if ElementName.named(name) == .other { add(name) }
    }

    /// Notes the name of an attribute.
    mutating func add(attribute name: Span<UInt8>) {
        if AttributeName.named(name) == .other { add(name) }
    }

    private mutating func add(_ name: Span<UInt8>) {
        let name = name.array
        guard !names.contains(name) else { return }
        if names.count < Self.limit { names.insert(name) } else { isFull = true }
    }
}

/// The text that is left out, or written in another way.
extension MarkupFilter {
    /// Passes on what is held up to a place.
    mutating func extendRun(to end: Int) { run = run.lowerBound..<max(run.upperBound, end) }

    /// Appends the run to the output; the next one begins at `next`.
    mutating func flush(to end: Int, next: Int? = nil) {
        closeSeam(to: end)
        isEdited = true
        if end > run.lowerBound { Self.append(held, run.lowerBound..<end, to: &output) }
        run = (next ?? end)..<(next ?? end)
    }

    private static func append(_ text: [UInt8], _ range: Range<Int>, to output: inout [UInt8]) {
        output.append(copying: text.span.extracting(range))
    }

    /// Notes that bytes of `held` are not passed on, and others are in their place.
    mutating func replace(_ range: Range<Int>, with text: [UInt8] = []) {
        flush(to: range.lowerBound, next: range.upperBound)
        var (left, put) = (LineEnds(after: byte(before: range.lowerBound)), LineEnds(after: lastKept))
        let lines = left.count(held.span.extracting(range)) - put.count(text.span)
        output += text
        positions.skip(bytes: Int64(range.count - text.count), lines: lines, at: written + Int64(output.count))
        isAtSeam = true
    }

    /// Returns the byte of the text before a place in `held`.
    private func byte(before place: Int) -> UInt8 { place > 0 ? held[place - 1] : lastDropped }

    /// The last byte that was or will be passed on.
    private var lastKept: UInt8 { output.last ?? lastPassed }

    /// Passes on the first byte behind a seam. A line feed ends a line in the text if it follows no carriage return
    /// there, and for the parser if it follows none in what is passed on.
    private mutating func closeSeam(to end: Int) {
        guard isAtSeam, end > run.lowerBound else { return }
        isAtSeam = false
        let first = held[run.lowerBound]
        let isEnd = LineEnds.isEnd(first, after: byte(before: run.lowerBound))
        guard isEnd != LineEnds.isEnd(first, after: lastKept) else { return }
        positions.skip(bytes: 0, lines: isEnd ? 1 : -1, at: written + Int64(output.count))
    }

    /// Leaves out bytes.
    mutating func leaveOut(_ range: Range<Int>) { replace(range) }

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
        guard !name.isEmpty else { return open.isEmpty ? .refuse(start) : breakTag(start, behind: start + 1) }
        let element = Array(held[name])
        names.add(element: element.span)
        guard !names.isFull else { return .refuse(start) }
        cutElement = element
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
                if !slash, !hasRoot || !open.isEmpty {
                    push(cutElement, ElementName.named(cutElement.span), at: start)
                }
                hasRoot = true
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
