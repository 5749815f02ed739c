/// Hashes a salvage while its items stream; the header comes last, when it is known.
///
///     hp:v2:salvage: {"items":["H1",…,"Hn"],"salvage":S,"totals":T}
///                    └ add ───────────────┘└ finish ───────────┘
public struct SalvageHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var list = HashList<Function>(.salvage)

    /// Starts a salvage.
    public init() { list.append("{\"items\":[") }

    /// Adds item hashes in order, as text: `"H1","H2"`. Empty text adds nothing.
    public mutating func add(quotedHashes text: Span<UInt8>) { list.add(quotedHashes: text) }

    /// Ends with the canonical bytes of `salvage` and `totals`.
    public consuming func finish(salvage: Span<UInt8>, totals: Span<UInt8>) -> Digest {
        list.append("],\"salvage\":")
        list.append(salvage)
        list.append(",\"totals\":")
        list.append(totals)
        list.append("}")
        return list.finish()
    }
}
