import CanonicalJSON

/// `Reader`, `Validator` and `canonicalize` on any bytes.
enum JSONTarget {
    static func check(_ text: [UInt8]) {
        let deviation = Validator.firstDeviation(in: text.span)
        let canonical = form(of: text)
        let read = tokens(of: text, .json)
        switch canonical {
        case .success(let bytes):
            require(read.error == nil, "what is canonicalized was accepted")
            require(
                (deviation == nil) == (bytes == text), "a text is canonical if and only if it is its own canonical form"
            )
            require(Validator.firstDeviation(in: bytes.span) == nil, "a canonical form is canonical")
            require(bytes == text || form(of: bytes) == .success(bytes), "a canonical form is its own canonical form")
        case .failure(let error):
            require(read.error == error, "what is refused is refused in the same place")
            require(deviation != nil, "what is refused is not canonical")
            if let deviation {
                require(
                    deviation.offset <= error.offset || deviation.code == .surrogate,
                    "a deviation comes first in the order of the bytes")
            }
        }
        if let deviation {
            require(deviation.offset >= 0 && deviation.offset <= text.count, "a deviation is in the text")
        }
        require(tokens(of: text, .canonical).error == deviation, "the validator is the reader")
        checkSkipping(text, read)
    }

    private static func form(of text: [UInt8]) -> Swift.Result<[UInt8], JSONError> {
        do { return .success(try canonicalize(text.span)) } catch { return .failure(error) }
    }

    /// Tokens up to the end or the first fault; read twice, as a reader is used again for other texts.
    private static func tokens(of text: [UInt8], _ mode: Reader.Mode) -> (list: [Token], error: JSONError?) {
        var reader = Reader(mode)
        let first = tokens(of: text, &reader)
        reader.restart()
        let second = tokens(of: text, &reader)
        require(first.list == second.list && first.error == second.error, "a reader that is used again reads the same")
        return first
    }

    private static func tokens(of text: [UInt8], _ reader: inout Reader) -> (list: [Token], error: JSONError?) {
        var list: [Token] = []
        do {
            while true {
                let token = try reader.next(in: text.span)
                if token == .end { return (list, nil) }
                list.append(token)
            }
        } catch {
            return (list, error)
        }
    }

    /// A value that is stepped over is as long as its tokens.
    private static func checkSkipping(_ text: [UInt8], _ read: (list: [Token], error: JSONError?)) {
        var reader = Reader(.json)
        do {
            let range = try reader.skipValue(in: text.span)
            require(range != nil && range!.upperBound <= text.count, "a text is a value")
            let end = try reader.next(in: text.span)
            require(end == .end && read.error == nil, "what was stepped over is the whole text")
        } catch {
            require(error == read.error, "stepping over a value finds the same fault")
        }
    }
}
