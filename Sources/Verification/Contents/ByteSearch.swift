internal import Bytes

/// Searching bytes.
extension Span where Element == UInt8 {
    /// Returns `true` if the bytes are those of a text.
    func isText(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var index = 0
        for byte in text.utf8 {
            if self[index] != byte { return false }
            index &+= 1
        }
        return true
    }

    /// Returns `true` if these bytes begin with others.
    func begins(with other: [UInt8]) -> Bool {
        count >= other.count && extracting(first: other.count).isSame(as: other.span)
    }

    /// Returns the index of the first LF from `start` on.
    package func firstLineEnd(from start: Int) -> Int? { firstIndex(of: UInt8(ascii: "\n"), from: start) }
}
