/// Hashes a list of item hashes while it grows (`Spec/hashes.md`, item list hash).
///
///     hp:v2:export_item_list: ["H1",…,"Hn"]
public struct ItemListHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var list = HashList<Function>(.itemList)

    /// An empty list.
    public init() { list.append("[") }

    /// Adds item hashes in order, as text: `"H1","H2"`. Empty text adds nothing.
    public mutating func add(quotedHashes text: Span<UInt8>) { list.add(quotedHashes: text) }

    /// Ends the list.
    public consuming func finish() -> Digest {
        list.append("]")
        return list.finish()
    }
}
