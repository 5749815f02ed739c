/// Hashes items: the hash of the domain prefix and the item's canonical bytes.
public struct ItemHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    @usableFromInline var hash = Function()
    // A copy of its own: hashers on several threads would otherwise count references to one array.
    @usableFromInline let prefix = Domain.item.prefix.map { $0 }

    /// Creates a hasher that can be used for any number of items.
    public init() {}

    /// Returns the item hash of canonical bytes. Complexity: O(n).
    @inlinable public mutating func hash(ofItem bytes: Span<UInt8>) -> Digest {
        let prefix = prefix
        hash.update(prefix.span)
        hash.update(bytes)
        return hash.finish()
    }
}
