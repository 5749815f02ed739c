extension Reader {
    mutating func advance(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        switch expectation {
        case .separatorOrEnd: return try afterValue(in: bytes)
        case .value: return try value(in: bytes)
        case .keyOrEnd:
            if let end = try endOr(UInt8(ascii: "}"), in: bytes) { return end }
            return try key(in: bytes)
        case .valueOrEnd:
            if let end = try endOr(UInt8(ascii: "]"), in: bytes) { return end }
            return try value(in: bytes)
        case .text:
            try refuseByteOrderMark(in: bytes)
            return try value(in: bytes)
        case .nothing: return .end
        case .failure: throw failure ?? JSONError(.syntax, at: position)
        }
    }

    /// Reads what stands between a value and the next token, and that token.
    private mutating func afterValue(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        try skipWhiteSpace(in: bytes)
        guard depth > 0 else {
            if position < bytes.count { throw unexpected(at: position, in: bytes) }
            tokenStart = position
            expectation = .nothing
            return .end
        }
        guard position < bytes.count else { throw JSONError(.syntax, at: position) }
        if bytes[position] == UInt8(ascii: ",") {
            position &+= 1
            return try container.isObject ? key(in: bytes) : value(in: bytes)
        }
        if let end = try endOr(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), in: bytes) { return end }
        throw unexpected(at: position, in: bytes)
    }

    /// Reads `bracket` and ends the innermost container, or reads nothing.
    @inline(__always)
    private mutating func endOr(_ bracket: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Token? {
        try skipWhiteSpace(in: bytes)
        guard position < bytes.count, bytes[position] == bracket else { return nil }
        tokenStart = position
        position &+= 1
        if mode == .json, container.isObject { keys.removeKeys(ofObjectAt: depth) }
        let wasObject = container.isObject
        container = outer.removeLast()
        expectation = .separatorOrEnd
        return wasObject ? .endObject : .endArray
    }

    private mutating func value(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        try skipWhiteSpace(in: bytes)
        guard position < bytes.count else { throw JSONError(.syntax, at: position) }
        tokenStart = position
        expectation = .separatorOrEnd
        switch bytes[position] {
        case UInt8(ascii: "\""): return .string(try string(in: bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(in: bytes))
        case UInt8(ascii: "{"): return try begin(.beginObject, isObject: true, .keyOrEnd)
        case UInt8(ascii: "["): return try begin(.beginArray, isObject: false, .valueOrEnd)
        case UInt8(ascii: "t"): return try literal("true", .true, in: bytes)
        case UInt8(ascii: "f"): return try literal("false", .false, in: bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, in: bytes)
        default: throw unexpected(at: position, in: bytes)
        }
    }

    private mutating func begin(_ token: Token, isObject: Bool, _ next: Expectation) throws(JSONError) -> Token {
        guard depth < nestingLimit else { throw JSONError(.depth, at: position) }
        position &+= 1
        outer.append(container)
        container = Container(isObject: isObject)
        expectation = next
        return token
    }

    private mutating func literal(_ name: StaticString, _ token: Token, in bytes: Span<UInt8>) throws(JSONError)
        -> Token
    {
        for byte in name.description.utf8 {
            guard position < bytes.count, bytes[position] == byte else { throw unexpected(at: position, in: bytes) }
            position &+= 1
        }
        return token
    }

    @inline(__always)
    mutating func skipWhiteSpace(in bytes: Span<UInt8>) throws(JSONError) {
        while position < bytes.count, bytes[position] <= UInt8(ascii: " ") {
            let byte = bytes[position]
            guard
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                    || byte == UInt8(ascii: "\t")
            else { return }
            if mode == .canonical { throw JSONError(.whiteSpace, at: position) }
            position &+= 1
        }
    }

    private func refuseByteOrderMark(in bytes: Span<UInt8>) throws(JSONError) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError(.byteOrderMark, at: 0)
        }
    }

    /// Returns the fault of a byte, or of the end of the text, if something else has to be there.
    func unexpected(at offset: Int, in bytes: Span<UInt8>) -> JSONError {
        let isUTF8 = offset >= bytes.count || UTF8Sequence.length(in: bytes, at: offset) > 0
        return JSONError(isUTF8 ? .syntax : .utf8, at: offset)
    }
}
