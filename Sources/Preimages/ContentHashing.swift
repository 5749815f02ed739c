/// Content hashes: the hash of a domain prefix and bytes. One function is used again and again.
public struct ContentHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var hash = Function()

    /// A hasher.
    public init() {}

    /// Returns the hash of bytes in a domain. Complexity: O(n).
    public mutating func digest(of bytes: Span<UInt8>, in domain: Domain) -> Digest {
        hash.update(domain: domain)
        hash.update(bytes)
        return hash.finish()
    }

    /// Returns the hash of bytes that begin with the prefix of their domain. Complexity: O(n).
    public mutating func digest(ofPreimage bytes: Span<UInt8>) -> Digest {
        hash.update(bytes)
        return hash.finish()
    }
}
