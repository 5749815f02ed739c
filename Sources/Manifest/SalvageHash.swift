/// Hashes a salvage while its items stream; the header comes last, when it is known.
///
///     hp:v2:salvage: {"items":["H1",…,"Hn"],"salvage":S,"totals":T}
///                    └ add ───────────────┘└ finish ───────────┘
public struct SalvageHasher: ~Copyable {
    private var hash = SHA256()
    private var isEmpty = true

    /// Starts a salvage.
    public init() {
        hash.update(domain: .salvage)
        update("{\"items\":[")
    }

    /// Adds item hashes in order, as text: `"H1","H2"`. Empty text adds nothing.
    public mutating func add(quotedHashes text: Span<UInt8>) {
        guard !text.isEmpty else { return }
        if !isEmpty { update(",") }
        isEmpty = false
        hash.update(text)
    }

    /// Ends with the canonical bytes of `salvage` and `totals`.
    public consuming func finish(salvage: Span<UInt8>, totals: Span<UInt8>) -> Digest {
        update("],\"salvage\":")
        hash.update(salvage)
        update(",\"totals\":")
        hash.update(totals)
        update("}")
        return hash.finish()
    }

    private mutating func update(_ text: String) {
        let bytes = Array(text.utf8)
        hash.update(bytes.span)
    }
}
