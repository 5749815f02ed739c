internal import Bytes

extension Shape.Form {
    /// Whether a text without escapes has the form; pointers, which may have some, are `isPointer`.
    func isForm(of text: Span<UInt8>) -> Bool {
        func isHex(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        switch self {
        case .hash: return text.count == 64 && text.indices.allSatisfy { isHex(text[$0]) }
        case .uuid8:
            let hyphens = [8, 13, 18, 23]
            return text.count == 36
                && text.indices.allSatisfy { hyphens.contains($0) ? text[$0] == 0x2D : isHex(text[$0]) }
                && text[14] == 0x38 && [0x38, 0x39, 0x61, 0x62].contains(text[19])
        case .pointer: return true
        }
    }

    /// RFC 6901: one or more reference tokens, `~` only as `~0` or `~1`.
    static func isPointer(_ text: [UInt8]) -> Bool {
        guard text.first == 0x2F else { return false }
        return text.indices.allSatisfy {
            text[$0] != 0x7E || ($0 + 1 < text.count && (text[$0 + 1] == 0x30 || text[$0 + 1] == 0x31))
        }
    }
}
