internal import Bytes

/// Bytes from outside as text for people: what is not printable becomes `\xNN`, and what is longer than `limit`
/// bytes is cut and says so.
///
/// A build server takes a line that begins with `::`, or has `##[` anywhere, for a command; so these are escaped too.
public func printable(_ bytes: some Sequence<UInt8>, limit: Int = 120) -> String {
    var text = ""
    let all = Array(bytes)
    let shown = all.prefix(limit)
    guard let valid = String(validating: all.count > limit ? shown.dropLast(cutScalar(shown)) : shown, as: UTF8.self)
    else {
        // Not text: every byte that is not printable ASCII is escaped.
        for byte in shown {
            text += (UInt8(ascii: " ")..<0x7F).contains(byte) ? String(Unicode.Scalar(byte)) : escaped(byte)
        }
        return withoutCommand(all.count > limit ? text + "… (\(all.count) bytes)" : text)
    }
    for scalar in valid.unicodeScalars {
        if isPrintable(scalar) {
            text.unicodeScalars.append(scalar)
        } else {
            for byte in String(scalar).utf8 { text += escaped(byte) }
        }
    }
    return withoutCommand(all.count > limit ? text + "… (\(all.count) bytes)" : text)
}

/// Returns text of our own that may hold text from outside, as one line: what is not printable becomes `\xNN`.
public func oneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !isPrintable($0) }) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
        if isPrintable(scalar) {
            line.unicodeScalars.append(scalar)
        } else {
            for byte in String(scalar).utf8 { line += escaped(byte) }
        }
    }
    return line
}

/// Bytes of a result as a terminal may show them: control characters, and characters that reorder or hide text, become
/// `\xNN`, as does what is not UTF-8. LF and CR LF stay.
public struct TerminalText {
    private let keepsColours: Bool
    /// The beginning of a character, or a CR, until it is known what follows.
    private var pending: [UInt8] = []

    /// - Parameter keepsColours: whether the colours of `StatusWord` stay, which text from outside cannot have: it is
    ///   `printable` or JSON before it comes here.
    public init(keepsColours: Bool = false) { self.keepsColours = keepsColours }

    /// Returns the next bytes; `isEnd` states that none follow that belong to them.
    public mutating func text(of bytes: Span<UInt8>, isEnd: Bool) -> [UInt8] {
        var all = pending
        pending = []
        for index in bytes.indices { all.append(bytes[index]) }
        var shown: [UInt8] = []
        shown.reserveCapacity(all.count)
        var at = 0
        while at < all.count {
            let size = size(all, at, isEnd)
            guard size != 0 else {
                pending = Array(all[at...])
                break
            }
            if size > 0 {
                shown += all[at..<(at + size)]
            } else {
                for byte in all[at..<(at - size)] { shown += escaped(byte).utf8 }
            }
            at += abs(size)
        }
        return shown
    }

    /// Returns the number of bytes at a place that belong together: positive if they are shown, negative if they are
    /// escaped, 0 if that cannot be known yet.
    private func size(_ bytes: [UInt8], _ at: Int, _ isEnd: Bool) -> Int {
        let byte = bytes[at]
        switch byte {
        case UInt8(ascii: "\n"), 0x20..<0x7F: return 1
        case UInt8(ascii: "\r"):
            guard at + 1 < bytes.count else { return isEnd ? -1 : 0 }
            return bytes[at + 1] == UInt8(ascii: "\n") ? 2 : -1
        case 0x1B where keepsColours:
            return Self.colours.first { bytes[at...].starts(with: $0) }?.count ?? -1
        case 0xC2...0xF4:
            let count = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            guard at + count <= bytes.count else {
                let isBegun = bytes[(at + 1)...].allSatisfy { $0 & 0xC0 == 0x80 }
                return isBegun && !isEnd ? 0 : -1
            }
            guard let text = String(validating: bytes[at..<(at + count)], as: UTF8.self) else { return -1 }
            return text.unicodeScalars.allSatisfy(isPrintable) ? count : -count
        default: return -1
        }
    }

    private static let colours = ["31", "32", "33", "0"].map { Array("\u{1B}[\($0)m".utf8) }
}

/// Returns `true` for a scalar that takes its place on a line and nothing more.
private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
}

private func escaped(_ byte: UInt8) -> String { "\\x" + Hexadecimal.text(CollectionOfOne(byte)) }

/// Returns the text with `\x3a` and `\x23` in the places in which a build server would see a command. Blanks before one
/// do not matter to it.
private func withoutCommand(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "#") }) else { return text }
    var scalars = Array(text.unicodeScalars)
    if let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
        scalars[first...].starts(with: "::".unicodeScalars)
    {
        scalars.replaceSubrange(first...first, with: escaped(UInt8(ascii: ":")).unicodeScalars)
    }
    var found = String(String.UnicodeScalarView(scalars))
    if found.utf8.contains(UInt8(ascii: "#")) {
        found = found.split(separator: "##[", omittingEmptySubsequences: false).joined(separator: "#\\x23[")
    }
    return found
}

/// Bytes at the end that begin a character and do not end it, as the cut may have left them.
private func cutScalar(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let lead = bytes.suffix(3).lastIndex(where: { $0 >= 0xC0 }) else { return 0 }
    let size = bytes[lead] >= 0xF0 ? 4 : bytes[lead] >= 0xE0 ? 3 : 2
    return bytes.endIndex - lead < size ? bytes.endIndex - lead : 0
}
