internal import Bytes

/// Reads a JSON text token by token and accepts nothing that is not right (RFC 8259 and RFC 7493).
///
///     var reader = Reader(.canonical)
///     while true {
///         let token = try reader.next(in: bytes)
///         if token == .end { break }
///     }
///
/// The reader does not hold the bytes: every call must be given the same text. Nothing recurses; the memory in use
/// is proportional to the open containers and, in `.json` mode, their keys. A reader that has thrown throws the
/// same again.
///
/// Reading a text is O(n) in `.canonical` mode. In `.json` mode every key is looked up among those of its object, which
/// takes O(its length) on average; the hashes are seeded anew in every process, so no text is slow by design.
public struct Reader: Sendable {
    /// The rules that a reader insists on.
    public enum Mode: Sendable {
        /// JSON that is strictly right: the first table of `Spec/canonical-json.md`.
        case json
        /// JSON in the canonical form of RFC 8785: both tables.
        case canonical
    }

    /// The number of containers that may be open at once unless set otherwise.
    public static let defaultNestingLimit = 512

    /// The rules that the reader insists on.
    public let mode: Mode
    /// The number of containers that may be open at once.
    public let nestingLimit: Int
    /// `true` if a number whose nearest double is infinite is read like any other.
    public let acceptsOverflow: Bool

    /// Offset of the first byte that has not been read; after a key that is the byte after its colon.
    public internal(set) var position = 0
    /// Offset of the first byte of the last token; of a string or a key, its opening quote.
    public internal(set) var tokenStart = 0
    /// The number of containers that are open.
    public var depth: Int { outer.count }

    /// The double of the last number that was read, if it had to be known to read the number.
    package internal(set) var doubleOfNumber: Double?

    var expectation = Expectation.text
    /// The innermost open container; without meaning where none is open.
    var container = Container(isObject: false)
    /// The containers around the innermost one, and one entry for the text itself.
    var outer: [Container] = []
    /// The keys of all open objects; stays empty in `.canonical` mode, where the order tells repeated keys.
    var keys = KeyTable()
    var failure: JSONError?

    /// The thing that has to come next.
    enum Expectation: Sendable {
        case text
        case value
        case valueOrEnd
        case keyOrEnd
        case separatorOrEnd
        case nothing
        /// A failure: the error that was thrown is thrown again.
        case failure
    }

    /// The state of an open container.
    struct Container: Sendable {
        let isObject: Bool
        /// In `.canonical` mode, the last key.
        var previousKey: StringContents?
    }

    /// A reader that stands before the first byte of a text.
    public init(_ mode: Mode, nestingLimit: Int = defaultNestingLimit, acceptsOverflow: Bool = false) {
        self.mode = mode
        self.nestingLimit = nestingLimit
        self.acceptsOverflow = acceptsOverflow
    }

    /// Stands before the first byte of another text, and keeps the memory.
    public mutating func restart() {
        position = 0
        tokenStart = 0
        expectation = .text
        outer.removeAll(keepingCapacity: true)
        keys.removeAll()
        failure = nil
    }

    /// Reads the next token of `bytes`, the whole text. Throws the first fault or deviation in the order of the bytes.
    public mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        do {
            return try advance(in: bytes)
        } catch {
            failure = error
            expectation = .failure
            throw error
        }
    }

    /// Reads one value and everything in it; returns its place in the text, without white space around it.
    ///
    /// Returns nil where the innermost container, or the text, ended instead. The reader must not stand before a key.
    public mutating func skipValue(in bytes: Span<UInt8>) throws(JSONError) -> Range<Int>? {
        let depthBefore = depth
        let first = try next(in: bytes)
        let start = tokenStart
        if case .key = first { preconditionFailure("a key is not a value") }
        if depth < depthBefore || expectation == .nothing { return nil }
        while depth > depthBefore { _ = try next(in: bytes) }
        return start..<position
    }

    /// Steps over an object of which the same bytes were read as an object before, at the same depth.
    ///
    /// The value of a key must come next, and the object must begin at `position`. An object's text is over at its
    /// last bracket, whatever follows, so equal bytes are the same object; who calls has compared them.
    public mutating func skipObject(readBefore count: Int) {
        precondition(expectation == .value, "no value comes next")
        tokenStart = position
        position &+= count
        expectation = .separatorOrEnd
    }

    /// Reads the next key of an object where the text goes on with these bytes: a name in quotes, and the colon.
    ///
    /// Returns false, and reads nothing, where it does not. It is for `.canonical` mode and a name without escapes that
    /// sorts behind the key before it; who calls knows that from a sorted list of names. O(its length).
    package mutating func readKey(_ key: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        var start = position
        if expectation == .separatorOrEnd {
            guard container.isObject, start < bytes.count, bytes[start] == UInt8(ascii: ",") else { return false }
            start &+= 1
        } else if expectation != .keyOrEnd {
            return false
        }
        guard bytes.count &- start >= key.count, bytes.extracting(start..<start &+ key.count).isSame(as: key) else {
            return false
        }
        tokenStart = start
        position = start &+ key.count
        container.previousKey = StringContents(range: start &+ 1..<position &- 2, hasEscapes: false)
        expectation = .value
        return true
    }

    /// Reads the value of a key where it is a string without escapes and of ASCII alone; returns its contents.
    ///
    /// Returns nil, and reads nothing, where something else comes next. O(its length).
    package mutating func readPlainString(in bytes: Span<UInt8>) -> Range<Int>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        return readString(to: PlainRun.end(in: bytes, from: position &+ 1), in: bytes)
    }

    /// Reads 64 lower-case hexadecimal digits in the same way.
    package mutating func readDigest(in bytes: Span<UInt8>) -> Range<Int>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\""), bytes.hasDigest(at: position &+ 1) else {
            return nil
        }
        return readString(to: position &+ 65, in: bytes)
    }

    /// Reads a string that is plain up to `end`, where that is its end.
    private mutating func readString(to end: Int, in bytes: Span<UInt8>) -> Range<Int>? {
        guard expectation == .value, end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
        tokenStart = position
        position = end &+ 1
        expectation = .separatorOrEnd
        return tokenStart &+ 1..<end
    }
}

extension Reader {
    /// Reads the number that begins at `position`.
    mutating func number(in bytes: Span<UInt8>) throws(JSONError) -> Range<Int> {
        let start = position
        doubleOfNumber = nil
        if let end = Self.endOfPlainInteger(in: bytes, from: start) {
            position = end
            return start..<end
        }
        let scan: NumberScan
        do { scan = try NumberScan(bytes, from: start) } catch { throw unexpected(at: error.offset, in: bytes) }
        if !acceptsOverflow, !isFinite(scan, in: bytes) { throw JSONError(.numberRange, at: start) }
        if mode == .canonical, !isCanonical(scan, in: bytes) { throw JSONError(.number, at: start) }
        position = scan.range.upperBound
        return scan.range
    }

    /// The end of a number of one to fifteen digits with nothing else to it, which is always right as it is; nil
    /// for any other.
    @inline(__always)
    private static func endOfPlainInteger(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let first = bytes[start] == UInt8(ascii: "-") ? start &+ 1 : start
        var at = first
        while at < bytes.count, bytes[at].isDigit { at &+= 1 }
        guard at > first, at &- first <= 15, bytes[first] != UInt8(ascii: "0") || at == start &+ 1 else { return nil }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") || bytes[at] | 0x20 == UInt8(ascii: "e") { return nil }
        return at
    }

    /// Returns `true` if the nearest double is finite. Only next to the largest double must the number be converted to
    /// find that out.
    private func isFinite(_ scan: NumberScan, in bytes: Span<UInt8>) -> Bool {
        guard scan.significantCount > 0, scan.point > 308 else { return true }
        return scan.point == 309 && double(scan.range, in: bytes).isFinite
    }

    /// Returns `true` if a number is in its ECMAScript text.
    ///
    /// On purpose this asks nothing of the writer. Every decimal of at most fifteen significant digits survives the
    /// way to a normal double and back, so its digits are the fewest already, and only the layout can be wrong.
    /// Seventeen digits are always enough. What lies between, and the subnormal doubles with their lower precision,
    /// is compared with the digits that the standard library gives for the nearest double.
    private mutating func isCanonical(_ scan: NumberScan, in bytes: Span<UInt8>) -> Bool {
        guard scan.hasCanonicalLayout, scan.significantCount <= 17 else { return false }
        if scan.significantCount <= 15, scan.point > -307 { return true }
        let value = double(scan.range, in: bytes)
        doubleOfNumber = value
        let description = value.description
        let text = description.utf8Span.span
        guard let shortest = try? NumberScan(text, from: 0) else { return false }
        return shortest.point == scan.point && scan.hasDigits(of: shortest, in: text, own: bytes)
    }
}

extension Reader {
    /// A value that was stepped over.
    public struct PassedValue: Sendable {
        /// Its place in the text; of a string, with its quotes.
        public let range: Range<Int>
        /// The contents, where it is a string.
        public let string: StringContents?
    }

    /// Steps over the value of a key in a text that its maker knows to be canonical: only its end is looked for.
    ///
    /// For texts that this process wrote itself; what comes from outside is read with `next`. A text that is not
    /// canonical gives a wrong place, or stops the program at its end. O(n).
    public mutating func passValue(inTrusted bytes: Span<UInt8>) -> PassedValue {
        precondition(expectation == .value, "no value comes next")
        let start = position
        var string: StringContents?
        switch bytes[start] {
        case UInt8(ascii: "\""):
            let contents = Self.contents(ofTrusted: bytes, at: start)
            string = contents
            position = contents.range.upperBound &+ 1
        case UInt8(ascii: "{"), UInt8(ascii: "["): position = Self.end(ofContainerIn: bytes, at: start)
        default:
            while bytes[position] != UInt8(ascii: ","), bytes[position] != UInt8(ascii: "}") { position &+= 1 }
        }
        tokenStart = start
        expectation = .separatorOrEnd
        return PassedValue(range: start..<position, string: string)
    }

    /// Steps over the next key of the innermost object, which has no escapes, in a text as `passValue` has it; returns
    /// its contents. Where the object ends instead, it steps out of it and returns nil.
    public mutating func passKey(inTrusted bytes: Span<UInt8>) -> Range<Int>? {
        precondition(expectation == .keyOrEnd || expectation == .separatorOrEnd, "no key comes next")
        precondition(mode == .canonical && container.isObject, "no object is read")
        tokenStart = position
        guard bytes[position] != UInt8(ascii: "}") else {
            position &+= 1
            container = outer.removeLast()
            expectation = .separatorOrEnd
            return nil
        }
        if bytes[position] == UInt8(ascii: ",") { tokenStart &+= 1 }
        let start = tokenStart &+ 1
        let end = PlainRun.end(in: bytes, from: start)
        container.previousKey = StringContents(range: start..<end, hasEscapes: false)
        position = end &+ 2
        expectation = .value
        return start..<end
    }

    private static func contents(ofTrusted bytes: Span<UInt8>, at start: Int) -> StringContents {
        var hasEscapes = false
        var at = PlainRun.end(in: bytes, from: start &+ 1)
        while bytes[at] != UInt8(ascii: "\"") {
            let isEscape = bytes[at] == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            at = PlainRun.end(in: bytes, from: at &+ (isEscape ? 2 : 1))
        }
        return StringContents(range: start &+ 1..<at, hasEscapes: hasEscapes)
    }

    private static func end(ofContainerIn bytes: Span<UInt8>, at start: Int) -> Int {
        var at = start
        var depth = 0
        repeat {
            switch bytes[at] {
            case UInt8(ascii: "\""): at = contents(ofTrusted: bytes, at: at).range.upperBound
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
            default: break
            }
            at &+= 1
        } while depth > 0
        return at
    }
}

extension Reader {
    /// Appends the unescaped UTF-8 of a string or key to `text`. O(length).
    ///
    /// `contents` must come from a token that was read from `bytes`.
    public func unescape(_ contents: StringContents, in bytes: Span<UInt8>, into text: inout [UInt8]) {
        Self.unescape(contents, in: bytes, into: &text)
    }

    /// Unescapes in the same way, without a reader.
    public static func unescape(_ contents: StringContents, in bytes: Span<UInt8>, into text: inout [UInt8]) {
        guard contents.hasEscapes else { return text.append(copying: bytes.extracting(contents.range)) }
        var cursor = ContentsCursor(contents.range)
        while let byte = cursor.next(in: bytes) { text.append(byte) }
    }

    /// Returns `true` if the unescaped string or key equals the UTF-8 in `text`. O(length), no allocation.
    public func matches(_ contents: StringContents, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        var cursor = ContentsCursor(contents.range)
        var at = 0
        while let byte = cursor.next(in: bytes) {
            guard at < text.count, text[at] == byte else { return false }
            at &+= 1
        }
        return at == text.count
    }

    /// Returns the value of a number whose text is an integer without fraction and exponent that fits; `nil` for any
    /// other. O(length).
    public func integer(_ number: Range<Int>, in bytes: Span<UInt8>) -> Int64? { Self.integer(number, in: bytes) }

    /// Returns the same integer, without a reader.
    public static func integer(_ number: Range<Int>, in bytes: Span<UInt8>) -> Int64? {
        let isNegative = bytes[number.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for at in number.dropFirst(isNegative ? 1 : 0) {
            guard bytes[at].isDigit else { return nil }
            let digit = Int64(bytes[at] &- UInt8(ascii: "0"))
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// Returns the double nearest to a number, infinite if the reader accepts that. O(length).
    ///
    /// `number` must come from a token that was read from `bytes`.
    public func double(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double { Self.double(number, in: bytes) }

    /// Returns the same double, without a reader.
    public static func double(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double {
        if number.count <= 17, let value = short(number, in: bytes) { return value }
        guard let text = try? UTF8Span(validating: bytes.extracting(number)), let value = Double(String(copying: text))
        else {
            preconditionFailure("not a number that was read")
        }
        return value
    }

    /// Returns a number of at most 15 digits without exponent; `nil` for any other.
    ///
    /// Its digits as a whole number, and the power of ten that they are divided by, are exact, so that the quotient is
    /// the nearest double.
    private static func short(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double? {
        let isNegative = bytes[number.lowerBound] == UInt8(ascii: "-")
        var digits: Int64 = 0
        var count = 0, scale = 1.0, isBehindPoint = false
        for at in number.lowerBound + (isNegative ? 1 : 0)..<number.upperBound {
            let byte = bytes[at]
            if byte == UInt8(ascii: "."), !isBehindPoint {
                isBehindPoint = true
                continue
            }
            guard byte.isDigit else { return nil }
            digits = digits &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
            count &+= 1
            if isBehindPoint { scale *= 10 }
        }
        guard count <= 15 else { return nil }
        let value = Double(digits) / scale
        return isNegative ? -value : value
    }
}

/// The keys of all open objects, to find one that repeats.
///
/// An open-addressing hash table over places in the text. Keys leave in the reverse order of their arrival, with their
/// object, so a key that leaves was the last one to take its slot and the slot can simply be emptied.
struct KeyTable: Sendable {
    private struct Entry {
        let hash: Int
        let depth: Int
        let key: StringContents
    }

    private var entries: [Entry] = []
    /// Index of an entry plus one, or 0 for an empty slot. The count is zero or a power of two.
    private var slots: [Int] = []

    /// Adds a key of the innermost open object, `depth` containers deep; returns false where the object has it already.
    mutating func insert(_ key: StringContents, ofObjectAt depth: Int, in bytes: Span<UInt8>) -> Bool {
        if entries.count &* 2 >= slots.count { grow() }
        let hash = Self.hash(of: key, depth: depth, in: bytes)
        var slot = hash & (slots.count &- 1)
        while slots[slot] != 0 {
            let entry = entries[slots[slot] &- 1]
            if entry.hash == hash, entry.depth == depth, KeyOrder.compare(bytes, entry.key, bytes, key) == 0 {
                return false
            }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        entries.append(Entry(hash: hash, depth: depth, key: key))
        slots[slot] = entries.count
        return true
    }

    /// Removes the keys of the innermost open object when it ends.
    mutating func removeKeys(ofObjectAt depth: Int) {
        while let last = entries.last, last.depth == depth {
            var slot = last.hash & (slots.count &- 1)
            while slots[slot] != entries.count { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = 0
            entries.removeLast()
        }
    }

    /// Forgets all keys and keeps the memory.
    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    /// Doubles the slots. The entries take theirs in the order of their arrival, so that leaving stays as simple.
    private mutating func grow() {
        slots = [Int](repeating: 0, count: max(16, slots.count &* 2))
        for index in entries.indices {
            var slot = entries[index].hash & (slots.count &- 1)
            while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = index &+ 1
        }
    }

    /// Seeded anew in each process, so that no text can be made to collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Returns a hash of the unescaped key: words of eight bytes and the rest of fewer, so that equal keys have equal
    /// words however they are spelled.
    private static func hash(of key: StringContents, depth: Int, in bytes: Span<UInt8>) -> Int {
        var hash = mix(seed ^ UInt64(truncatingIfNeeded: depth))
        guard key.hasEscapes else {
            var at = key.range.lowerBound
            let end = key.range.upperBound
            while end &- at >= 8 {
                hash = mix(hash ^ bytes.word(at: at))
                at &+= 8
            }
            var rest: UInt64 = 1
            while at < end {
                rest = rest << 8 | UInt64(bytes[at])
                at &+= 1
            }
            return Int(truncatingIfNeeded: mix(hash ^ rest))
        }
        var cursor = ContentsCursor(key.range)
        var word: UInt64 = 0
        var count: UInt64 = 0
        var rest: UInt64 = 1
        while let byte = cursor.next(in: bytes) {
            word |= UInt64(byte) << (8 &* count)
            rest = rest << 8 | UInt64(byte)
            count &+= 1
            guard count == 8 else { continue }
            hash = mix(hash ^ word)
            (word, count, rest) = (0, 0, 1)
        }
        return Int(truncatingIfNeeded: mix(hash ^ rest))
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low &+ 0xD6E8_FEB8_6659_FD93
    }
}
