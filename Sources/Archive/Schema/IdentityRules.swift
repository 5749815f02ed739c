internal import SQLite

/// The rules that a capture's hashes and aggregates follow, as `archive_metadata` states them
/// (`Spec/identity.md`, "Rules").
public enum IdentityRules: Int64, Sendable {
    case two = 2

    /// The rules of a new archive.
    package static let newest = IdentityRules.two

    /// The rules as they stand in `archive_metadata`.
    package var text: String { String(rawValue) }

    /// Returns the rules that an archive states; `nil` if it states none, or some that are not known.
    package static func stated(in connection: borrowing Connection) throws(ArchiveError) -> IdentityRules? {
        try connection.integer(
            "SELECT CAST(value AS INTEGER) FROM archive_metadata WHERE key = 'identity_rules' "
                + "AND value = '\(newest.text)'"
        ).flatMap(IdentityRules.init)
    }
}

extension Archive {
    /// Returns the archive's patterns of metadata keys whose values are private, in addition to those of the rules. It
    /// is a canonical array, fixed when it is made; `nil` if there are none.
    public func privateMetadata() throws(ArchiveError) -> [UInt8]? {
        var stated = try connection.prepare("SELECT value FROM archive_metadata WHERE key = 'private_metadata'")
        return try stated.step() ? stated.bytes(0) : nil
    }
}
