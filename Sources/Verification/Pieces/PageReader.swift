internal import Codes
internal import Format
internal import Manifest

/// Takes the lines out of a page, and hashes what is read in it (`Spec/report-containers.md`, Page).
///
///     <!DOCTYPE html>⏎ … ⏎<template id="healthprobe-evidence">⏎ lines </template>⏎</body>⏎</html>⏎
///     └ hashed; PagePolicy ┘                                   └ & < > escaped; the last states the hash
///
/// What stands behind the lines is fixed. Memory does not grow with the page.
struct PageReader: PieceReader {
    private enum Place { case page, lines, end }

    private static let beginning = "<!DOCTYPE html>\n"
    private static let opening = Array("\n<template id=\"healthprobe-evidence\">\n".utf8)
    /// The beginning of a manifest, and the member with the hash of the page. No text of JSON can hold either.
    private static let manifest = Array("{\"manifest_hash\":".utf8)
    private static let member = Array("\"page_sha256\":\"".utf8)
    private static let closing = "</template>\n</body>\n</html>\n"

    private var feed: ByteFeed
    private let limit: Int
    private let pieceSize: Int
    private let hash = PageHash()
    private let policy = PagePolicy()
    private var place = Place.page
    /// The hash that the latest line states.
    private var stated: String?
    private var text: [UInt8] = []
    /// The index in `text` at which the line that is read begins.
    private var lineStart = 0
    private var isPassing = false
    private var isTooLong = false
    /// The place where the page deviates; `isHashWrong` is `true` if its hash is another. Both are reported after the
    /// lines. If the lines end the examination, neither is looked at.
    private var lostAt: Int64?
    private var isHashWrong = false
    private(set) var isEndLost = false
    let isPage = true

    /// Returns `true` if a file begins like a page.
    static func begins(_ source: FileSource) throws -> Bool {
        try source.read(at: 0, count: beginning.utf8.count) == Array(beginning.utf8)
    }

    init(_ source: FileSource, limits: ContainerLimits) {
        feed = ByteFeed(source)
        limit = limits.line
        pieceSize = source.pieceSize
    }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        if place == .page {
            if try readPage() {
                if let byte = policy.deviation { report(Finding(.containerPagePolicy, byte: byte)) }
                place = .lines
            } else {
                lose()
            }
        }
        while place == .lines, !isTooLong, lineStart < pieceSize {
            guard let byte = try feed.peek() else {
                lose()
                break
            }
            if byte == UInt8(ascii: "<") {
                guard try feed.pass(Self.closing), try feed.peek() == nil else {
                    lose()
                    break
                }
                if text.count > lineStart { stated = Self.stated(in: text[lineStart...]) }
                isHashWrong = hash.finish() != stated
                place = .end
                lineStart = text.count
            } else if try !readByte(byte) {
                lose()
            }
        }
        if lineStart > 0 {
            defer {
                text.removeFirst(lineStart)
                lineStart = 0
            }
            return .piece(.lines(Array(text[..<lineStart])))
        }
        guard isTooLong else {
            if let lostAt { report(Finding(.containerPage, byte: lostAt)) }
            if isHashWrong { report(Finding(.containerPageHash)) }
            return nil
        }
        isTooLong = false
        return .piece(.tooLong)
    }

    /// Notes that the page deviates here. Whole lines before that are given first.
    private mutating func lose() {
        lostAt = feed.offset
        isEndLost = true
        place = .end
    }

    /// Hashes what is read; false where the lines do not follow.
    private mutating func readPage() throws -> Bool {
        var matched = 0
        var bytes: [UInt8] = []
        while matched < Self.opening.count {
            guard let byte = try feed.peek() else { return false }
            feed.step()
            // The opening begins with a line feed, and has another only at its end: a deviation can only begin it anew.
            if byte == Self.opening[matched] {
                matched += 1
                continue
            }
            bytes += Self.opening[..<matched]
            matched = byte == Self.opening[0] ? 1 : 0
            if matched == 0 { bytes.append(byte) }
            if bytes.count >= 1 << 16 { flush(&bytes) }
        }
        bytes.append(UInt8(ascii: "\n"))
        flush(&bytes)
        return true
    }

    /// Returns the hash that a line states, if it is a manifest that does.
    private static func stated(in line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: manifest) else { return nil }
        var index = line.startIndex
        while index + member.count + 65 <= line.endIndex {
            if line[index...].starts(with: member) {
                return String(decoding: line[index + member.count..<index + member.count + 64], as: UTF8.self)
            }
            index += 1
        }
        return nil
    }

    private func flush(_ bytes: inout [UInt8]) {
        hash.update(bytes.span)
        policy.add(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Takes a byte of the lines, or what stands for one; false at a deviation.
    private mutating func readByte(_ byte: UInt8) throws -> Bool {
        var byte = byte
        if byte == UInt8(ascii: ">") { return false }
        if byte == UInt8(ascii: "&") {
            guard let meant = try readEscape() else { return false }
            byte = meant
        } else {
            feed.step()
        }
        if isPassing {
            guard byte == UInt8(ascii: "\n") else { return true }
            (isPassing, isTooLong, stated) = (false, true, nil)
            return true
        }
        text.append(byte)
        if byte == UInt8(ascii: "\n") {
            stated = Self.stated(in: text[lineStart...])
            lineStart = text.count
        } else if text.count - lineStart > limit {
            text.removeLast(text.count - lineStart)
            isPassing = true
        }
        return true
    }

    private mutating func readEscape() throws -> UInt8? {
        guard try feed.pass("&") else { return nil }
        switch try feed.peek() {
        case UInt8(ascii: "a"): return try feed.pass("amp;") ? UInt8(ascii: "&") : nil
        case UInt8(ascii: "l"): return try feed.pass("lt;") ? UInt8(ascii: "<") : nil
        case UInt8(ascii: "g"): return try feed.pass("gt;") ? UInt8(ascii: ">") : nil
        default: return nil
        }
    }
}

/// The hash of a page that is being read.
private final class PageHash {
    private var hash = SHA256()

    func update(_ bytes: Span<UInt8>) { hash.update(bytes) }
    func finish() -> String { hash.finish().hex }
}

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
    /// The hash of the style that the policy states.
    private var stated: [UInt8] = []
    private var style = SHA256()
    /// Bytes of the style that are not hashed yet.
    private var pending: [UInt8] = []
    private var found: Int64?

    /// The place of the deviation: the first byte that differs from the head, the stated hash if the style has another,
    /// or a `<meta` after the head. It is `nil` if there is none. All that is read has come.
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

    /// Returns the base64 text (RFC 4648, 4) of a digest of 32 bytes: ten groups of three bytes, and one of two.
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
