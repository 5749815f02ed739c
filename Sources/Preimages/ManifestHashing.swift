/// Hashes a whole export while it streams.
///
/// The preimage is one canonical JSON document behind its domain prefix; its keys sort in streaming order:
///
///     hp:v2:export_manifest: {"export":E,"items":["H1",…,"Hn"],"totals":T}
///                            └ start ──┘└ add ──────────────┘└ finish ──┘
public struct ManifestHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var list = HashList<Function>(.manifest)

    /// Starts with the canonical bytes of the `export` object.
    public init(export: Span<UInt8>) {
        list.append("{\"export\":")
        list.append(export)
        list.append(",\"items\":[")
    }

    /// Adds item hashes in order, as text: `"H1","H2"`, as `appendQuoted` writes it. Empty text adds nothing.
    public mutating func add(quotedHashes text: Span<UInt8>) { list.add(quotedHashes: text) }

    /// Ends with the canonical bytes of the `totals` object.
    public consuming func finish(totals: Span<UInt8>) -> Digest {
        list.append("],\"totals\":")
        list.append(totals)
        list.append("}")
        return list.finish()
    }

    /// Appends an item hash to a list of quoted hashes.
    public static func appendQuoted(_ digest: Digest, to text: inout [UInt8]) {
        if !text.isEmpty { text.append(UInt8(ascii: ",")) }
        text.append(UInt8(ascii: "\""))
        digest.appendHex(to: &text)
        text.append(UInt8(ascii: "\""))
    }
}
