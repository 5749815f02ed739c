internal import Bytes

/// Hashes items: SHA-256 over the domain prefix and the item's canonical bytes.
public struct ItemHasher: ~Copyable {
    private var hash = SHA256()
    // A copy of its own: hashers on several threads would otherwise count references to one array.
    private let prefix = Domain.item.prefix.map { $0 }

    /// Creates a hasher that can be used for any number of items.
    public init() {}

    /// The item hash of canonical bytes. Complexity: O(n).
    public mutating func hash(ofItem bytes: Span<UInt8>) -> Digest {
        let prefix = prefix
        hash.update(prefix.span)
        hash.update(bytes)
        return hash.finish()
    }
}

/// The identity of an export: a UUID of version 8 (RFC 9562, 5.8) from the header without its `export_id`.
public enum ExportID {
    /// The UUID's text for the canonical bytes of an `export` object that has no member `export_id`.
    public static func text(forHeader bytes: Span<UInt8>) -> String {
        var hash = SHA256()
        hash.update(domain: .exportID)
        hash.update(bytes)
        let digest = hash.finish()
        var text = ""
        for index in 0..<16 {
            var byte = digest[index]
            if index == 6 { byte = byte & 0x0F | 0x80 }
            if index == 8 { byte = byte & 0x3F | 0x80 }
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Hexadecimal.text(CollectionOfOne(byte))
        }
        return text
    }
}
