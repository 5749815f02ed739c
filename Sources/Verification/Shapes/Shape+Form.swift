internal import Bytes

extension Shape.Form {
    /// Whether a text without escapes has the form; pointers, which may have some, are `isPointer`.
    func isForm(of text: Span<UInt8>) -> Bool {
        func isHex(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        switch self {
        case .hash: return text.count == 64 && text.hasDigest(at: 0)
        case .uuid8:
            let hyphens = [8, 13, 18, 23]
            return text.count == 36
                && text.indices.allSatisfy { hyphens.contains($0) ? text[$0] == UInt8(ascii: "-") : isHex(text[$0]) }
                && text[14] == UInt8(ascii: "8")
                && [UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")].contains(text[19])
        case .pointer: return true
        }
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
