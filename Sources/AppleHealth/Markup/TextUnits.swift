internal import Bytes

/// Brings a text into UTF-8 where it is UTF-16, before anything else looks at it (`Spec/apple-health.md`, "Reading").
///
/// What it is shows in its first bytes: a byte order mark, or `<` with a zero byte beside it (XML 1.0, appendix F).
struct TextUnits {
    private enum Encoding {
        /// Fewer than four bytes were seen.
        case unknown
        case utf8
        case utf16(isBigEndian: Bool)
    }

    /// Halves of surrogate pairs and of units that had no other half; U+FFFD stands for each.
    private(set) var invalidCount = 0
    private var encoding = Encoding.unknown
    /// Bytes that wait for more.
    private var held: [UInt8] = []
    private var text: [UInt8] = []

    /// Reads the next bytes and passes on what is complete as UTF-8, or what is not known to be UTF-16 as it is.
    mutating func read(_ bytes: Span<UInt8>, isLast: Bool, _ pass: (Span<UInt8>) -> Void) {
        if case .utf8 = encoding { return pass(bytes) }
        held.append(copying: bytes)
        if case .unknown = encoding {
            guard held.count >= 4 || isLast else { return }
            encoding = Self.encoding(of: held)
        }
        guard case .utf16(let isBigEndian) = encoding else {
            pass(held.span)
            held = []
            return
        }
        text.removeAll(keepingCapacity: true)
        convert(isBigEndian, isLast: isLast)
        pass(text.span)
    }

    private static func encoding(of front: [UInt8]) -> Encoding {
        let (less, none) = (UInt8(ascii: "<"), UInt8(0))
        if front.starts(with: [0xFE, 0xFF]) || front.starts(with: [none, less]) { return .utf16(isBigEndian: true) }
        if front.starts(with: [0xFF, 0xFE]) || front.starts(with: [less, none]) { return .utf16(isBigEndian: false) }
        return .utf8
    }

    private mutating func convert(_ isBigEndian: Bool, isLast: Bool) {
        func unit(_ at: Int) -> UInt32 {
            let (high, low) = isBigEndian ? (held[at], held[at + 1]) : (held[at + 1], held[at])
            return UInt32(high) << 8 | UInt32(low)
        }
        var at = 0
        while held.count - at >= 2 {
            let first = unit(at)
            guard first & 0xF800 == 0xD800 else {
                append(first)
                at += 2
                continue
            }
            guard first < 0xDC00 else {
                appendInvalid()
                at += 2
                continue
            }
            guard held.count - at >= 4 else { break }
            let second = unit(at + 2)
            if second & 0xFC00 == 0xDC00 {
                append(0x1_0000 + (first & 0x3FF) << 10 + second & 0x3FF)
                at += 4
            } else {
                appendInvalid()
                at += 2
            }
        }
        held.removeFirst(at)
        guard isLast, !held.isEmpty else { return }
        for _ in 0..<(held.count + 1) / 2 { appendInvalid() }
        held = []
    }

    private mutating func appendInvalid() {
        invalidCount += 1
        append(0xFFFD)
    }

    private mutating func append(_ scalar: UInt32) {
        switch scalar {
        case 0..<0x80: text.append(UInt8(scalar))
        case 0x80..<0x800:
            text.append(0xC0 | UInt8(scalar >> 6))
            text.append(0x80 | UInt8(scalar & 0x3F))
        case 0x800..<0x1_0000:
            text.append(0xE0 | UInt8(scalar >> 12))
            text.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            text.append(0x80 | UInt8(scalar & 0x3F))
        default:
            text.append(0xF0 | UInt8(scalar >> 18))
            text.append(0x80 | UInt8(scalar >> 12 & 0x3F))
            text.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            text.append(0x80 | UInt8(scalar & 0x3F))
        }
    }
}
