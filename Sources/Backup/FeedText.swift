internal import Bytes
internal import Timestamps

/// JSON values of a feed line, as a health database has them.
enum FeedText {
    /// Returns a string of the feed.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns a number; one that no double has is written beyond the range of doubles, and a capture rejects its
    /// record.
    static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : value > 0 ? "1e999" : "-1e999" }

    /// Returns a moment that is stored as seconds since 2001, rounded half to even to whole microseconds. Others become
    /// a text that names no moment, and a capture rejects their record.
    static func moment(_ seconds: Double?) -> String {
        guard let (unix, micros) = seconds.flatMap(split) else { return "\"0000-00-00T00:00:00Z\"" }
        return "\"\(date(unix)).\(padded(micros, 6))Z\""
    }

    /// Returns the same moment in Unix microseconds; `nil` if it cannot be stored.
    static func microseconds(_ seconds: Double) -> Int64? { split(seconds).map { $0.unix * 1_000_000 + $0.micros } }

    private static func split(_ seconds: Double) -> (unix: Int64, micros: Int64)? {
        guard seconds.magnitude < 1e12 else { return nil }
        let whole = seconds.rounded(.down)
        let (unix, micros) = carried(Int64(whole) + 978_307_200, microseconds(of: seconds - whole))
        return Calendar.range.contains(unix) ? (unix, micros) : nil
    }

    /// Microseconds of a fraction of a second, by its exact value: a product that is rounded to a tie is no tie.
    private static func microseconds(of fraction: Double) -> Int64 {
        let product = fraction * 1e6
        let rest = (-product).addingProduct(fraction, 1e6)
        guard product - product.rounded(.down) == 0.5, rest != 0 else {
            return Int64(product.rounded(.toNearestOrEven))
        }
        return Int64(product.rounded(rest > 0 ? .up : .down))
    }

    private static func carried(_ seconds: Int64, _ micros: Int64) -> (Int64, Int64) {
        micros < 1_000_000 ? (seconds, micros) : (seconds + 1, micros - 1_000_000)
    }

    /// Returns the date and time of Unix seconds, without a zone.
    static func date(_ unix: Int64) -> String {
        let days = unix >= 0 ? unix / 86_400 : (unix - 86_399) / 86_400
        let second = unix - days * 86_400
        let (year, month, day) = Calendar.date(days: days)
        let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(padded(Int64(year), 4))-\(padded(Int64(month), 2))-\(padded(Int64(day), 2))T\(time)"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Returns the text of a UUID of 16 bytes; `nil` for other lengths.
    static func uuid(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += Hexadecimal.digits([byte])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns base64 with padding.
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            for place in 0..<4 {
                let digit = alphabet[Int(word >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= part.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
