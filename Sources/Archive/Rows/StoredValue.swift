internal import Bytes
internal import CanonicalJSON
package import Manifest
package import SQLite
internal import Timestamps

// What an archive's values mean: dates that have a timestamp, numbers and texts that canonical JSON can carry, digests.

extension SQLiteValue {
    /// The value as a date that has a timestamp; nil for anything else.
    @inline(__always)
    package var date: Double? {
        let type = storageClass
        guard type == .real || type == .integer else { return nil }
        let seconds = real
        return isTimestamp(seconds) ? seconds : nil
    }

    /// `true` if the value is a TEXT that canonical JSON can carry.
    package var isCarryableText: Bool {
        guard let text else { return false }
        return isCarryable(text)
    }
}

/// Returns `true` if stored text has a JSON string: valid UTF-8 without U+0000.
public func isCarryable(_ text: Span<UInt8>) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101, highs: UInt64 = ones &<< 7
    var seen: UInt64 = 0
    // Its high bits are set where a word has a byte that is zero, whatever stands above it.
    var zeros: UInt64 = 0
    var at = 0
    while text.count &- at >= 8 {
        let word = text.word(at: at)
        seen |= word
        zeros |= (word &- ones) & ~word
        at &+= 8
    }
    while at < text.count {
        let byte = UInt64(text[at])
        seen |= byte
        zeros |= (byte &- 1) & ~byte
        at &+= 1
    }
    if zeros & highs != 0 { return false }
    if seen & highs == 0 { return true }
    return unsafe text.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) != nil }
}

/// Returns `true` if a stored date has a canonical text. A negative zero has none.
func isTimestamp(_ seconds: Double) -> Bool {
    // From 2^23 seconds on a double's unit is coarser than a nanosecond, so nine digits always do.
    if seconds.magnitude >= 8_388_608, seconds >= Double(Calendar.range.lowerBound), seconds < 253_402_300_799 {
        return true
    }
    return (try? TimestampText(seconds)) != nil
}

extension SQLiteStatement {
    /// Returns a column as a date that has a timestamp; `nil` for anything else.
    package func date(_ column: Int32) -> Double? { value(column).date }

    /// Returns a column as a number that canonical JSON has; `nil` for anything else.
    package func number(_ column: Int32) -> Double? {
        guard let value = real(column), value.isFinite, !(value == 0 && value.sign == .minus) else { return nil }
        return value
    }

    /// Returns a column that is TEXT that canonical JSON can carry, in UTF-8; `nil` for anything else.
    package func carryableText(_ column: Int32) -> [UInt8]? { value(column).isCarryableText ? bytes(column) : nil }

    /// Returns `true` if a column is TEXT that consists of the hex digits of a digest.
    package func isHex(_ column: Int32, of digest: Digest) -> Bool {
        let digits = digest.digits
        return value(column).bytes.isSame(as: digits.span)
    }

    /// Binds the 64 hex digits of a digest; nil is NULL.
    package mutating func bind(_ column: some SQLiteColumn, hex digest: Digest?) { bind(column.rawValue, hex: digest) }

    /// Binds the 64 hex digits of a digest; nil is NULL.
    package mutating func bind(_ position: Int32, hex digest: Digest?) {
        guard let digest else { return bindNull(position) }
        let digits = digest.digits
        bind(position, text: digits.span)
    }
}
