internal import Format
internal import Manifest

/// Follows what is read in a page, byte by byte: whether it begins with the head that is prescribed, and whether no
/// `<meta` stands behind that (`Spec/report-page.md`, Head).
///
///     toHash  hash  toTitle  title  toStyle  style  toBody  words
///     └ fixed       └ fixed         └ fixed         └ fixed
///
/// Title and style end before the first `<`. Memory does not grow with what is read.
final class PagePolicy {
    private enum Part { case toHash, hash, toTitle, title, toStyle, style, toBody, words }

    private static let toHash = Array(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-
        """.utf8)
    private static let toTitle = Array(
        """
        '; base-uri 'none'; form-action 'none'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>
        """.utf8)
    private static let toStyle = Array("</title>\n<style>".utf8)
    private static let toBody = Array("</style>\n</head>\n<body>\n".utf8)
    private static let meta = Array("<meta".utf8)
    /// Bytes of a SHA-256 in base64.
    private static let hashSize = 44

    private var part = Part.toHash
    /// Bytes of a fixed part, or of `<meta`, that came.
    private var matched = 0
    private var offset: Int64 = 0
    /// What the policy states as the hash of the style.
    private var stated: [UInt8] = []
    private var style = SHA256()
    /// Bytes of the style that are not hashed yet.
    private var pending: [UInt8] = []
    private var found: Int64?

    /// Where it deviates: the first byte that differs from the head, the stated hash where the style has another, or a
    /// `<meta` behind the head; nil where it does not. All that is read has come.
    var deviation: Int64? { found ?? (part == .words ? nil : offset) }

    /// Takes what comes next.
    func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices {
            guard found == nil else { return }
            add(bytes[index])
            offset += 1
        }
    }

    private func add(_ byte: UInt8) {
        switch part {
        case .toHash: match(byte, Self.toHash, then: .hash)
        case .hash:
            stated.append(byte)
            if stated.count == Self.hashSize { part = .toTitle }
        case .toTitle: match(byte, Self.toTitle, then: .title)
        case .title where byte == UInt8(ascii: "<"): begin(.toStyle, byte, Self.toStyle)
        case .title: break
        case .toStyle: match(byte, Self.toStyle, then: .style)
        case .style where byte == UInt8(ascii: "<"): begin(.toBody, byte, Self.toBody)
        case .style:
            pending.append(byte)
            if pending.count >= 4096 { hashPending() }
        case .toBody:
            match(byte, Self.toBody, then: .words)
            if part == .words { compareStyle() }
        case .words: search(byte)
        }
    }

    private func begin(_ next: Part, _ byte: UInt8, _ text: [UInt8]) {
        part = next
        match(byte, text, then: next)
    }

    private func match(_ byte: UInt8, _ text: [UInt8], then next: Part) {
        guard byte == text[matched] else { return found = offset }
        matched += 1
        if matched == text.count { (part, matched) = (next, 0) }
    }

    private func hashPending() {
        style.update(pending.span)
        pending.removeAll(keepingCapacity: true)
    }

    private func compareStyle() {
        hashPending()
        if Self.base64(style.finish()) != stated { found = Int64(Self.toHash.count) }
    }

    /// Looks for `<meta` in letters of either case. A `<` stands at its beginning alone.
    private func search(_ byte: UInt8) {
        let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        if (isLetter ? byte | 0x20 : byte) == Self.meta[matched] {
            matched += 1
        } else {
            matched = byte == Self.meta[0] ? 1 : 0
        }
        if matched == Self.meta.count { found = offset - Int64(matched - 1) }
    }

    /// The base64 text (RFC 4648, 4) of a digest of 32 bytes: ten groups of three bytes, and one of two.
    private static func base64(_ digest: Digest) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: 32, by: 3) {
            var group = 0
            for index in start..<start + 3 { group = group << 8 | (index < 32 ? Int(digest[index]) : 0) }
            for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
        }
        text[text.count - 1] = UInt8(ascii: "=")
        return text
    }
}
