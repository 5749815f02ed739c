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
    /// How a manifest begins, and how it states the hash of the page. No text of JSON can hold either.
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
    /// Where the line that is read begins in `text`.
    private var lineStart = 0
    private var isPassing = false
    private var isTooLong = false
    /// Said behind the lines: where they end the examination, it is not looked at.
    private var isHashWrong = false
    private(set) var isEndLost = false
    let isPage = true

    /// Whether a file begins like a page.
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
            guard try readPage() else { return lose(report) }
            if let byte = policy.deviation { report(Finding(.containerPagePolicy, byte: byte)) }
            place = .lines
        }
        while place == .lines, !isTooLong, lineStart < pieceSize {
            guard let byte = try feed.peek() else { return lose(report) }
            if byte == UInt8(ascii: "<") {
                guard try feed.pass(Self.closing), try feed.peek() == nil else { return lose(report) }
                if text.count > lineStart { stated = Self.stated(in: text[lineStart...]) }
                isHashWrong = hash.finish() != stated
                place = .end
                lineStart = text.count
            } else {
                guard try readByte(byte) else { return lose(report) }
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
            if isHashWrong { report(Finding(.containerPageHash)) }
            return nil
        }
        isTooLong = false
        return .piece(.tooLong)
    }

    /// Says where the page deviates. Whole lines before that are given.
    private mutating func lose(_ report: (Finding) -> Void) -> Part? {
        report(Finding(.containerPage, byte: feed.offset))
        isEndLost = true
        place = .end
        defer {
            text = []
            lineStart = 0
        }
        return lineStart > 0 ? .piece(.lines(Array(text[..<lineStart]))) : nil
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

    /// The hash that a line states, where it is a manifest that does.
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
