/// What an item, or a row, adds to the sums that a bundle and an archive are compared by (`KeyedHash`).
struct ItemElement: Sendable {
    /// The hash of sample type, identity and version hash: items of one key are looked for together.
    var key: UInt128
    /// The hash of what is recorded of an exported item; nil where items of the kind are not recorded one by one.
    var recorded: UInt128?
    /// The sum over everything that the item says; nil where the evidence of its kind is not looked at.
    var evidence: UInt128?
    /// Whether the item is not what its own hash says.
    var isHashWrong = false
}

/// Sums of hashes, in buckets by the keys of what was added, so that a difference is looked for only where it is.
struct BucketSums: Sendable {
    private var sums = [UInt128](repeating: 0, count: Self.count)
    /// A power of two.
    private static let count = 1 << 14

    /// The bucket of a key.
    @inline(__always)
    static func bucket(_ key: UInt128) -> Int { Int(truncatingIfNeeded: key) & (count - 1) }

    /// Adds a hash.
    @inline(__always)
    mutating func add(_ hash: UInt128, key: UInt128) { sums[Self.bucket(key)] &+= hash }

    /// The buckets in which these sums are not those of others; empty where all agree.
    func differing(from other: BucketSums) -> Set<Int> {
        Set(sums.indices.filter { sums[$0] != other.sums[$0] })
    }
}
