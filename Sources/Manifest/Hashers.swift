@_exported public import Preimages

/// Hashes items with SHA-256.
public typealias ItemHasher = ItemHashing<SHA256>
/// Hashes whole exports with SHA-256.
public typealias ManifestHasher = ManifestHashing<SHA256>
/// Hashes salvages with SHA-256.
public typealias SalvageHasher = SalvageHashing<SHA256>
/// Hashes lists of item hashes with SHA-256.
public typealias ItemListHasher = ItemListHashing<SHA256>
/// Hashes content with SHA-256.
public typealias ContentHasher = ContentHashing<SHA256>

extension SHA256: DigestFunction {}
extension HMACSHA256: MessageDigest {}

extension ExportID {
    /// Returns the UUID's text for the canonical bytes of an `export` object that has no member `export_id`.
    public static func text(forHeader bytes: Span<UInt8>) -> String {
        var hash = SHA256()
        return text(forHeader: bytes, &hash)
    }
}
