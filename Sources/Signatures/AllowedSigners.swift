internal import Bytes
internal import Timestamps

/// A file of allowed signers (ssh-keygen(1), "ALLOWED SIGNERS"): which keys a person accepts, and what each is called.
struct AllowedSigners {
    /// The largest file, in bytes.
    static let fileLimit = 1 << 20

    /// A line: names, and the key that they belong to.
    struct Signer {
        /// The number of the line, from 1.
        let line: Int
        /// Patterns of identities.
        let principals: [UInt8]
        /// The key, as signatures carry it.
        let keyBlob: [UInt8]
        let options: Options
    }

    /// The options that a line states for its key.
    struct Options {
        /// `true` if the key signs certificates.
        var isAuthority = false
        /// Patterns of purposes; `nil` if all are accepted.
        var namespaces: [UInt8]?
        var validAfter, validBefore: Limit?
    }

    /// An end of a validity period.
    enum Limit {
        /// Unix seconds.
        case utc(Int64)
        /// A time of an unknown zone: that of whatever machine reads the file.
        case local
    }

    let signers: [Signer]

    /// Reads a file, every line of it.
    init(_ file: [UInt8]) throws(SignatureError) {
        var signers: [Signer] = []
        for (index, line) in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            var scanner = LineScanner(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number: index + 1)
            if let signer = try scanner.signer() { signers.append(signer) }
        }
        self.signers = signers
    }
}

/// Reads a line of a file of allowed signers, front to back.
private struct LineScanner {
    private var rest: ArraySlice<UInt8>
    private let number: Int

    init(_ line: ArraySlice<UInt8>, number: Int) { (rest, self.number) = (line, number) }

    private func unreadable(_ what: String) -> SignatureError { .unreadable("line \(number): \(what)") }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

    /// Reads the line; `nil` if it is empty or a comment.
    mutating func signer() throws(SignatureError) -> AllowedSigners.Signer? {
        skipBlanks()
        if rest.isEmpty || rest.first == UInt8(ascii: "#") { return nil }
        let principals = try principals()
        skipBlanks()
        var options = AllowedSigners.Options()
        var key = readKey()
        if key == nil {
            options = try readOptions()
            skipBlanks()
            key = readKey()
        }
        guard let key else { throw unreadable("not a public key after the names and options") }
        return AllowedSigners.Signer(line: number, principals: principals, keyBlob: key, options: options)
    }

    /// Reads the first field, which may be quoted.
    private mutating func principals() throws(SignatureError) -> [UInt8] {
        let isQuoted = rest.first == UInt8(ascii: "\"")
        if isQuoted { rest = rest.dropFirst() }
        let field = rest.prefix { isQuoted ? $0 != UInt8(ascii: "\"") : !Self.isBlank($0) }
        rest = rest.dropFirst(field.count)
        if isQuoted {
            guard !rest.isEmpty else { throw unreadable("a quote is not closed") }
            rest = rest.dropFirst()
        }
        guard !field.isEmpty else { throw unreadable("no name before the key") }
        return Array(field)
    }

    /// Reads a type and the key of that type; takes nothing and returns `nil` if they are not there.
    private mutating func readKey() -> [UInt8]? {
        let type = rest.prefix { !Self.isBlank($0) }
        let text = rest.dropFirst(type.count).drop(while: Self.isBlank).prefix { !Self.isBlank($0) }
        guard let blob = Base64.bytes(of: Array(text)) else { return nil }
        var reader = SSHReader(blob)
        guard let name = reader.string(), !name.isEmpty, name.elementsEqual(type) else { return nil }
        rest = rest[text.endIndex...]
        return blob
    }

    /// Reads options, separated by commas, up to a blank outside of quotes.
    private mutating func readOptions() throws(SignatureError) -> AllowedSigners.Options {
        var options = AllowedSigners.Options()
        var seen: Set<String> = []
        while true {
            let letters = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") && !Self.isBlank($0) }
            let name = String(decoding: letters, as: UTF8.self).lowercased()
            rest = rest.dropFirst(letters.count)
            guard ["cert-authority", "namespaces", "valid-after", "valid-before"].contains(name) else {
                throw unreadable("neither a public key nor a known option")
            }
            guard seen.insert(name).inserted else { throw unreadable("\(name) is given twice") }
            switch name {
            case "cert-authority": options.isAuthority = true
            case "namespaces": options.namespaces = try value(of: name)
            case "valid-after": options.validAfter = try limit(name)
            default: options.validBefore = try limit(name)
            }
            guard rest.first == UInt8(ascii: ",") else { break }
            rest = rest.dropFirst()
        }
        guard let next = rest.first, Self.isBlank(next) else { throw unreadable("no public key after the options") }
        if case .utc(let after) = options.validAfter, case .utc(let before) = options.validBefore, before <= after {
            throw unreadable("valid-before is not after valid-after")
        }
        return options
    }

    /// Reads `="VALUE"`, in which `\"` is a quote.
    private mutating func value(of name: String) throws(SignatureError) -> [UInt8] {
        guard rest.starts(with: "=\"".utf8) else { throw unreadable("\(name) needs a value in quotes") }
        rest = rest.dropFirst(2)
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "\"") {
                value.append(rest.removeFirst())
            } else {
                value.append(byte)
            }
        }
        throw unreadable("a quote is not closed")
    }

    /// Reads a time: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with or without Z.
    private mutating func limit(_ name: String) throws(SignatureError) -> AllowedSigners.Limit {
        var text = try value(of: name)
        let isUTC = text.last == UInt8(ascii: "Z") || text.last == UInt8(ascii: "z")
        if isUTC { text.removeLast() }
        let digits = text.compactMap { (0x30...0x39).contains($0) ? Int($0) - 0x30 : nil }
        func number(_ start: Int, _ count: Int) -> Int {
            digits.dropFirst(start).prefix(count).reduce(0) { 10 * $0 + $1 }
        }
        let (hour, minute, second) = (number(8, 2), number(10, 2), number(12, 2))
        guard digits.count == text.count, [8, 12, 14].contains(digits.count),
            let days = Calendar.days(year: number(0, 4), month: number(4, 2), day: number(6, 2)),
            hour < 24, minute < 60, second < 60
        else { throw unreadable("\(name) is not a date or a time") }
        return isUTC ? .utc(86_400 * days + Int64(3600 * hour + 60 * minute + second)) : .local
    }
}

/// Lists of patterns (ssh_config(5), "PATTERNS").
enum Patterns {
    /// Returns `true` if a pattern matches a text, and no pattern with `!` does.
    static func match(_ text: [UInt8], _ list: [UInt8]) -> Bool {
        var isMatched = false
        for pattern in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let isNegated = pattern.first == UInt8(ascii: "!")
            guard matches(text, Array(isNegated ? pattern.dropFirst() : pattern)) else { continue }
            if isNegated { return false }
            isMatched = true
        }
        return isMatched
    }

    /// Returns `true` if a pattern matches a whole text: `*` any characters, `?` one. O(text × pattern).
    private static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var (place, next) = (0, 0)
        // Where the latest `*` is, and how far it reaches.
        var star: (next: Int, place: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == UInt8(ascii: "?") || pattern[next] == text[place] {
                place += 1
                next += 1
            } else if let last = star {
                star = (last.next, last.place + 1)
                (place, next) = (last.place + 1, last.next + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
