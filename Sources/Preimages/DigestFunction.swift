/// A hash or a keyed hash, as those who build preimages need it: bytes in, a digest out, and then the next one.
public protocol MessageDigest: ~Copyable {
    /// Adds bytes. O(n).
    mutating func update(_ bytes: Span<UInt8>)

    /// Returns the digest of everything since the last one.
    mutating func finish() -> Digest
}

/// A hash function without a key.
///
/// It is passed in, so that this module needs no library: the tools give SHA-256 of OpenSSL (`Manifest`), others what
/// their system has.
public protocol DigestFunction: MessageDigest, ~Copyable {
    /// A function that was given nothing yet.
    init()
}

extension DigestFunction where Self: ~Copyable {
    /// Adds the prefix of a domain.
    mutating func update(domain: Domain) {
        let prefix = domain.prefix
        update(prefix.span)
    }
}
