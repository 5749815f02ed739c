/// Hashes a list of item hashes while it grows (`Spec/hashes.md`, item list hash).
///
///     hp:v2:export_item_list: ["H1",…,"Hn"]
public struct ItemListHasher: ~Copyable {
    private var hash = SHA256()
    private var isEmpty = true

    /// An empty list.
    public init() {
        hash.update(domain: .itemList)
        update(0x5B)
    }

    /// Adds an item hash in its quotes.
    public mutating func add(quotedHash: Span<UInt8>) {
        if !isEmpty { update(0x2C) }
        isEmpty = false
        hash.update(quotedHash)
    }

    /// Ends the list.
    public consuming func finish() -> Digest {
        update(0x5D)
        return hash.finish()
    }

    private mutating func update(_ byte: UInt8) {
        let bytes: InlineArray<1, UInt8> = [byte]
        hash.update(bytes.span)
    }
}
