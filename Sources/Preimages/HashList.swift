/// A hash over a JSON text that has a list of item hashes in it, as that text streams.
///
/// What manifests, salvages and item lists have in common; what stands around the list is theirs.
struct HashList<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var hash = Function()
    private var isEmpty = true

    /// Starts a preimage.
    init(_ domain: Domain) { hash.update(domain: domain) }

    /// Adds item hashes in order, as text: `"H1","H2"`. Empty text adds nothing.
    mutating func add(quotedHashes text: Span<UInt8>) {
        guard !text.isEmpty else { return }
        if !isEmpty { append(",") }
        isEmpty = false
        hash.update(text)
    }

    /// Adds what stands around the list.
    mutating func append(_ text: StaticString) {
        unsafe hash.update(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
    }

    /// Adds canonical bytes around the list.
    mutating func append(_ text: Span<UInt8>) { hash.update(text) }

    /// Returns the hash over everything.
    consuming func finish() -> Digest { hash.finish() }
}
