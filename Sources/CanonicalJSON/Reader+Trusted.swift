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
