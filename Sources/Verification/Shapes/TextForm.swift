internal import Bytes

/// Forms of texts.
enum TextForm {
    /// Whether a text without escapes is 64 hex digits.
    static func isHash(_ text: Span<UInt8>) -> Bool { text.count == 64 && text.hasDigest(at: 0) }

    /// Whether a text without escapes is a UUID of version 8.
    static func isUUID(_ text: Span<UInt8>) -> Bool {
        func isHex(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        let hyphens = [8, 13, 18, 23]
        return text.count == 36
            && text.indices.allSatisfy { hyphens.contains($0) ? text[$0] == UInt8(ascii: "-") : isHex(text[$0]) }
            && text[14] == UInt8(ascii: "8")
            && [UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")].contains(text[19])
    }

    /// RFC 6901: one or more reference tokens, `~` only as `~0` or `~1`.
    static func isPointer(_ text: [UInt8]) -> Bool {
        guard text.first == UInt8(ascii: "/") else { return false }
        return text.indices.allSatisfy {
            text[$0] != UInt8(ascii: "~")
                || ($0 + 1 < text.count && (text[$0 + 1] == UInt8(ascii: "0") || text[$0 + 1] == UInt8(ascii: "1")))
        }
    }
}
