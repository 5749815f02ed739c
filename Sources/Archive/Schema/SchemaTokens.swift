/// The tokens of a statement as `sqlite_schema` keeps it, as SQLite cuts them (`tokenize.c`). Comments and white space
/// are left out, and a keyword is told from a name in quotes.
///
///     CREATE/**/TABLE "check"(a CHECK(a > 'x'))
///     word   word  quoted  symbol word word symbol word symbol quoted symbol symbol
struct SchemaTokens: Sequence, IteratorProtocol {
    /// One token.
    enum Token: Equatable {
        /// A keyword, a number or a name without quotes, in lower case.
        case word(String)
        /// A text, a blob, or a name in quotes of any of the four kinds.
        case quoted
        /// Any other byte.
        case symbol(UInt8)
    }

    private let bytes: [UInt8]
    private var place = 0

    /// - Parameter bytes: UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next token; `nil` at the end. A comment or a text that is begun and not ended goes to the end.
    mutating func next() -> Token? {
        skipBlanks()
        guard let byte = peek() else { return nil }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(until: byte, canDouble: true)
        case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"), canDouble: false)
        case _ where Self.isPartOfWord(byte): return word()
        default:
            place += 1
            return .symbol(byte)
        }
    }

    private func peek(_ offset: Int = 0) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    /// The mark U+FEFF in UTF-8: a blank where a token begins, and a part of a word within one.
    private static let byteOrderMark: [UInt8] = Array("\u{FEFF}".utf8)

    private mutating func skipBlanks() {
        while let byte = peek() {
            if bytes[place...].starts(with: Self.byteOrderMark) {
                place += Self.byteOrderMark.count
                continue
            }
            switch (byte, peek(1)) {
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\t")...UInt8(ascii: "\r"), _): place += 1
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                while let next = peek(), next != UInt8(ascii: "\n") { place += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                place += 2
                while place < bytes.count, !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) { place += 1 }
                place = Swift.min(place + 2, bytes.count)
            default: return
            }
        }
    }

    private mutating func quoted(until end: UInt8, canDouble: Bool) -> Token {
        place += 1
        while let byte = peek() {
            place += 1
            guard byte == end else { continue }
            // Two quotes stand for one.
            if canDouble, peek() == end { place += 1 } else { break }
        }
        return .quoted
    }

    private mutating func word() -> Token {
        let start = place
        while let byte = peek(), Self.isPartOfWord(byte) { place += 1 }
        return .word(String(decoding: bytes[start..<place], as: UTF8.self).asciiLowercased)
    }

    /// Names may hold any byte beyond ASCII; a point is a part of a number, and harms no keyword.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."): true
        default: byte >= 128
        }
    }
}

extension String {
    /// The text with A to Z as a to z and nothing else changed: SQLite compares names so.
    var asciiLowercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
