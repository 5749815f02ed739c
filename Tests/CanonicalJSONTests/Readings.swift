@testable import CanonicalJSON

// The calls under test on arrays, because an expectation cannot hold a span.

/// Reads a text in a mode and writes what was read, in the order it came.
func copy(_ text: [UInt8], _ mode: Reader.Mode = .canonical) throws(JSONError) -> [UInt8] {
    var reader = Reader(mode)
    var writer = Writer()
    var scratch: [UInt8] = []
    while true {
        let token = try reader.next(in: text.span)
        switch token {
        case .beginObject: writer.beginObject()
        case .endObject: writer.endObject()
        case .beginArray: writer.beginArray()
        case .endArray: writer.endArray()
        case .key(let contents), .string(let contents):
            scratch.removeAll()
            reader.unescape(contents, in: text.span, into: &scratch)
            if case .key = token { try writer.key(scratch.span) } else { try writer.string(scratch.span) }
        case .number(let range): writer.number(reader.double(range, in: text.span))
        case .true: writer.bool(true)
        case .false: writer.bool(false)
        case .null: writer.null()
        case .end: return writer.bytes
        }
    }
}

/// What reading a whole text in a mode throws, as `CODE OFFSET`, or nil.
func fault(of text: [UInt8], _ mode: Reader.Mode, nestingLimit: Int = Reader.defaultNestingLimit) -> String? {
    var reader = Reader(mode, nestingLimit: nestingLimit)
    do {
        while try reader.next(in: text.span) != .end {}
        return nil
    } catch {
        return "\(error.code) \(error.offset)"
    }
}

/// Whether the validator accepts the text.
func isCanonical(_ text: [UInt8]) -> Bool {
    Validator.isCanonical(text.span)
}

/// The canonical form of the text.
func canonicalForm(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
    try canonicalize(text.span)
}

/// The double that the reader finds in the text of a number.
func double(_ text: [UInt8]) -> Double {
    Reader(.json).double(0..<text.count, in: text.span)
}

/// The integer that the reader finds in the text of a number.
func integer(_ text: [UInt8]) -> Int64? {
    Reader(.json).integer(0..<text.count, in: text.span)
}
