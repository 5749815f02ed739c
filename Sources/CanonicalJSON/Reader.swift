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
    /// What a reader insists on.
    public enum Mode: Sendable {
        /// JSON that is strictly right: the first table of `Spec/canonical-json.md`.
        case json
        /// JSON in the canonical form of RFC 8785: both tables.
        case canonical
    }

    /// How many containers may be open at once unless set otherwise.
    public static let defaultNestingLimit = 512

    /// What the reader insists on.
    public let mode: Mode
    /// How many containers may be open at once.
    public let nestingLimit: Int
    /// Whether a number whose nearest double is infinite is read like any other.
    public let acceptsOverflow: Bool

    /// Offset of the first byte that has not been read; after a key that is the byte after its colon.
    public internal(set) var position = 0
    /// Offset of the first byte of the last token; of a string or a key, its opening quote.
    public internal(set) var tokenStart = 0
    /// How many containers are open.
    public var depth: Int { outer.count }

    /// What the last number that was read means, where that had to be known to read it.
    package internal(set) var doubleOfNumber: Double?

    var expectation = Expectation.text
    /// The innermost open container; without meaning where none is open.
    var container = Container(isObject: false)
    /// The containers around the innermost one, and one entry for the text itself.
    var outer: [Container] = []
    /// The keys of all open objects; stays empty in `.canonical` mode, where the order tells repeated keys.
    var keys = KeyTable()
    var failure: JSONError?

    /// What has to come next.
    enum Expectation: Sendable {
        case text
        case value
        case valueOrEnd
        case keyOrEnd
        case separatorOrEnd
        case nothing
        /// What was thrown is thrown again.
        case failure
    }

    /// What is remembered of an open container.
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

    /// The same for 64 lower-case hexadecimal digits.
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
