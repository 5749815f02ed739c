internal import Bytes
public import Manifest
internal import SQLite

/// The key of the commitments of a history (`Spec/history.md`, "Salt and identity"): 32 bytes that stay in the archive.
public struct HistorySalt: Sendable {
    /// 64 lower-case hex digits.
    package let digits: String

    /// The key in `archive_metadata`.
    package static let key = "history_salt"

    /// A salt from the archive secret.
    public init(_ code: Digest) { digits = code.hex }

    /// A random salt. The system's generator does not fail.
    public init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        digits = String(decoding: Hexadecimal.digits(bytes), as: UTF8.self)
    }

    /// Reads the salt that an archive states; `nil` if there is none, or it is not 64 hex digits.
    static func stated(_ connection: borrowing Connection) throws(ArchiveError) -> HistorySalt? {
        var row = try connection.prepare(
            "SELECT value FROM main.archive_metadata WHERE key = '\(key)' AND typeof(value) = 'text'")
        guard try row.step() else { return nil }
        let bytes = row.bytes(0)
        return Digest(hex: bytes.span).map { HistorySalt($0) }
    }

    /// Returns a keyed hash under the salt.
    var code: HMACSHA256 {
        let key = Hexadecimal.bytes(Array(digits.utf8)[...]) ?? []
        return HMACSHA256(key: key.span)
    }

    /// Returns the identity of the archive whose first entry was made at a moment.
    package func identity(madeAt: String) -> Digest {
        var hasher = ContentHasher()
        return hasher.digest(of: HistoryPreimage.archive(salt: digits, madeAt: madeAt).span, in: .historyArchive)
    }
}
