internal import Bytes

extension Reader {
    /// Reads a string whose opening quote is at `position`.
    mutating func string(in bytes: Span<UInt8>) throws(JSONError) -> StringContents {
        let (contents, deviation) = try contents(in: bytes)
        if let deviation { throw deviation }
        return contents
    }

    /// Reads a key and its colon.
    mutating func key(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        try skipWhiteSpace(in: bytes)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw unexpected(at: position, in: bytes)
        }
        tokenStart = position
        let (contents, deviation) = try contents(in: bytes)
        try compare(contents, in: bytes)
        if let deviation { throw deviation }
        try skipWhiteSpace(in: bytes)
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
            throw unexpected(at: position, in: bytes)
        }
        position &+= 1
        expectation = .value
        return .key(contents)
    }

    /// Compares a key with the others of its object; the fault is that of its opening quote.
    @inline(__always)
    private mutating func compare(_ key: StringContents, in bytes: Span<UInt8>) throws(JSONError) {
        guard mode == .canonical else {
            if keys.insert(key, ofObjectAt: depth, in: bytes) { return }
            throw JSONError(.duplicateKey, at: tokenStart)
        }
        if let previous = container.previousKey {
            let order = KeyOrder.compare(bytes, previous, bytes, key)
            if order >= 0 { throw JSONError(order == 0 ? .duplicateKey : .keyOrder, at: tokenStart) }
        }
        container.previousKey = key
    }

    /// Reads the string whose opening quote is at `position`.
    ///
    /// An escape that is right but not canonical is returned, not thrown: the quote before it may be at fault as well.
    @inline(__always)
    private mutating func contents(
        in bytes: Span<UInt8>
    ) throws(JSONError) -> (contents: StringContents, deviation: JSONError?) {
        let start = position &+ 1
        let end = PlainRun.end(in: bytes, from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            return try contents(in: bytes, from: start, plainTo: end)
        }
        position = end &+ 1
        return (StringContents(range: start..<end, hasEscapes: false), nil)
    }

    /// Reads a string that is not plain in the same way: the text before `end` is.
    private mutating func contents(
        in bytes: Span<UInt8>, from start: Int, plainTo end: Int
    ) throws(JSONError) -> (contents: StringContents, deviation: JSONError?) {
        var at = end
        var hasEscapes = false
        var deviation: JSONError?
        while true {
            guard at < bytes.count, bytes[at] >= UInt8(ascii: " ") else {
                throw deviation ?? JSONError(.syntax, at: at)
            }
            if bytes[at] == UInt8(ascii: "\"") { break }
            if bytes[at] == UInt8(ascii: "\\") {
                hasEscapes = true
                do {
                    at = try escape(in: bytes, at: at, deviation: &deviation)
                } catch {
                    throw deviation ?? error
                }
            } else {
                let length = UTF8Sequence.length(in: bytes, at: at)
                if length == 0 { throw deviation ?? JSONError(.utf8, at: at) }
                at &+= length
            }
            at = PlainRun.end(in: bytes, from: at)
        }
        position = at &+ 1
        return (StringContents(range: start..<at, hasEscapes: hasEscapes), deviation)
    }

    /// Reads the escape whose backslash is at `start`; returns the offset after it.
    private func escape(in bytes: Span<UInt8>, at start: Int, deviation: inout JSONError?) throws(JSONError) -> Int {
        guard start &+ 1 < bytes.count else { throw JSONError(.syntax, at: start &+ 1) }
        var end = start &+ 2
        var isCanonical = true
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        case UInt8(ascii: "/"): isCanonical = false
        case UInt8(ascii: "u"): (end, isCanonical) = try unicodeEscape(in: bytes, at: start)
        default: throw unexpected(at: start &+ 1, in: bytes)
        }
        if mode == .canonical, !isCanonical, deviation == nil { deviation = JSONError(.escape, at: start) }
        return end
    }

    /// Reads a `\u` escape, or two that are a surrogate pair; returns the offset after it.
    ///
    /// Canonical are those of the control characters that have no shorter escape, in lower case.
    private func unicodeEscape(in bytes: Span<UInt8>, at start: Int) throws(JSONError) -> (end: Int, isCanonical: Bool)
    {
        let unit = try codeUnit(in: bytes, at: start &+ 2)
        if unit & 0xFC00 == 0xDC00 { throw JSONError(.surrogate, at: start) }
        if unit & 0xFC00 == 0xD800 {
            try lowSurrogate(in: bytes, at: start &+ 6, after: start)
            return (start &+ 12, false)
        }
        let hasShortForm =
            unit == 0x08 || unit == UInt8(ascii: "\t") || unit == UInt8(ascii: "\n") || unit == 0x0C
            || unit == UInt8(ascii: "\r")
        let isUpperCase = bytes[start &+ 5] & 0xE0 == 0x40
        return (start &+ 6, unit < UInt8(ascii: " ") && !hasShortForm && !isUpperCase)
    }

    /// Checks that a low surrogate follows. Where the text ends within it, it is unfinished; else the escape at
    /// `high` is alone.
    private func lowSurrogate(in bytes: Span<UInt8>, at start: Int, after high: Int) throws(JSONError) {
        for index in 0..<6 {
            guard start &+ index < bytes.count else { throw JSONError(.syntax, at: bytes.count) }
            let byte = bytes[start &+ index]
            let isRight =
                switch index {
                case 0: byte == UInt8(ascii: "\\")
                case 1: byte == UInt8(ascii: "u")
                case 2: byte | 0x20 == UInt8(ascii: "d")
                case 3: Hexadecimal.value(of: byte) ?? 0 >= 0xC
                default: Hexadecimal.value(of: byte) != nil
                }
            if !isRight { throw JSONError(.surrogate, at: high) }
        }
    }

    private func codeUnit(in bytes: Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for at in start..<start &+ 4 {
            guard at < bytes.count, let digit = Hexadecimal.value(of: bytes[at]) else {
                throw unexpected(at: at, in: bytes)
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
