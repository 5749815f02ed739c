// Canonical JSON (RFC 8785) on bytes; the contract is Spec/canonical-json.md.
//
//     Writer       writes canonical text as a stream, from members that come in order
//     Key          a member's key, prepared once for Writer
//     Reader       reads any JSON, or only canonical JSON, token by token
//     Validator    names the first deviation of a text from the canonical form
//     canonicalize brings any JSON text into the canonical form
//     JSONError    what is wrong with a text, and at which byte
//
// Reader and Writer are apart on purpose: neither calls the other, and each knows numbers and escapes in its own
// way, so that what one gets wrong the other does not repeat. They share what UTF-8 and plain text are, and how
// keys are ordered.

/// Returns the canonical form of a JSON text.
///
/// Throws what `Reader` finds in `.json` mode. O(n log n) time, memory proportional to the text, no recursion.
public func canonicalize(
    _ text: Span<UInt8>,
    nestingLimit: Int = Reader.defaultNestingLimit
) throws(JSONError) -> [UInt8] {
    let tree = try Tree(text, nestingLimit: nestingLimit)
    var writer = Writer(capacity: text.count)
    try tree.write(from: text, to: &writer)
    return writer.bytes
}
