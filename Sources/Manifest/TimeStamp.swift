internal import COpenSSL

/// The answer of a time-stamp service (RFC 3161), and what OpenSSL says of it.
public struct TimeStamp: Sendable, Equatable {
    /// The largest answer, and the largest file of certificates, in bytes.
    public static let limit = 65_536, authorityLimit = 1 << 20

    /// A fault of a time stamp.
    public enum Fault: Error, Sendable, Equatable {
        /// It is not an answer of a service.
        case unreadable
        /// The service did not stamp.
        case refused
        /// A hash function is not accepted.
        case algorithm
        /// It is of other bytes.
        case imprint
        /// The service's signature is not one of the stamp.
        case bad
        /// No authority vouches for the service.
        case untrusted
    }

    /// The time in UTC, with the digits that the service states: `2026-01-31T09:30:00.25Z`.
    public let text: String
    /// Unix seconds, rounded down.
    public let seconds: Int64
    /// The accuracy in microseconds; `nil` if the service states none.
    public let accuracy: Int64?

    /// Returns `true` if a text has a certificate that can be trusted.
    public static func hasAuthority(_ authorities: [UInt8]) -> Bool {
        guard let store = unsafe hp_stamp_authorities(authorities, authorities.count) else { return false }
        unsafe X509_STORE_free(store)
        return true
    }

    /// Checks a time stamp. The service's certificates have to be valid at the time that it states.
    ///
    /// - Parameters:
    ///   - answer: the bytes of the file, in DER.
    ///   - data: the bytes that it has to be of.
    ///   - authorities: certificates in PEM.
    public init(_ answer: [UInt8], of data: [UInt8], authorities: [UInt8]) throws(Fault) {
        guard let store = unsafe hp_stamp_authorities(authorities, authorities.count) else { throw .untrusted }
        defer { unsafe X509_STORE_free(store) }
        var time = hp_stamp_time()
        let outcome = unsafe hp_stamp_check(answer, answer.count, data, data.count, store, &time)
        switch outcome {
        case HP_STAMP_GOOD: break
        case HP_STAMP_REFUSED: throw .refused
        case HP_STAMP_ALGORITHM: throw .algorithm
        case HP_STAMP_IMPRINT: throw .imprint
        case HP_STAMP_BAD: throw .bad
        case HP_STAMP_UNTRUSTED: throw .untrusted
        default: throw .unreadable
        }
        let stated = unsafe withUnsafeBytes(of: &time.text) { unsafe $0.prefix { $0 != 0 }.map(\.self) }
        guard let text = Self.text(of: stated) else { throw .unreadable }
        self.text = text
        seconds = time.seconds
        accuracy = time.accuracy < 0 ? nil : time.accuracy
    }

    /// Writes `YYYYMMDDhhmmss`, a point and a fraction without zeros at its end, or none, and `Z` for people; `nil` for
    /// any other text.
    private static func text(of stated: [UInt8]) -> String? {
        guard stated.count >= 15, stated.last == UInt8(ascii: "Z") else { return nil }
        let (digits, rest) = (stated.prefix(14), stated.dropFirst(14).dropLast())
        guard (digits + rest.dropFirst()).allSatisfy({ (0x30...0x39).contains($0) }),
            rest.isEmpty || (rest.first == UInt8(ascii: ".") && rest.count > 1 && rest.last != UInt8(ascii: "0"))
        else { return nil }
        let parts = zip([0, 4, 6, 8, 10, 12], [4, 6, 8, 10, 12, 14]).map { start, end in
            String(decoding: digits[start..<end], as: UTF8.self)
        }
        let (date, time) = (parts[..<3].joined(separator: "-"), parts[3...].joined(separator: ":"))
        return "\(date)T\(time)\(String(decoding: rest, as: UTF8.self))Z"
    }
}
