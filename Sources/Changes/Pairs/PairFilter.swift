internal import Bytes
internal import Archive

/// The hashes of the keys of the side with fewer records. A record of the other side that has none of these keys is in
/// no pair, and need not be sorted to find that.
///
/// - Complexity: 32 bytes a record and level, at most.
struct PairFilter {
    /// So many records are noted at most.
    static let greatestCount: Int64 = 200_000

    /// `true` if the side with fewer is the one before.
    let isBefore: Bool
    private var keys: [PairLevel: Set<Int>] = [:]
    private var groups: Set<Int> = []

    init(isBefore: Bool) { self.isBefore = isBefore }

    mutating func note(_ key: borrowing ByteBuffer, at level: PairLevel) { keys[level, default: []].insert(hash(key)) }

    mutating func note(group: borrowing ByteBuffer) { groups.insert(hash(group)) }

    /// Returns `true` if a record may have this key in common with one that was noted.
    func holds(_ key: borrowing ByteBuffer, at level: PairLevel) -> Bool { keys[level]?.contains(hash(key)) ?? false }

    /// Returns `true` if one that was noted may be of this group.
    func holds(group: borrowing ByteBuffer) -> Bool { groups.contains(hash(group)) }

    private func hash(_ key: borrowing ByteBuffer) -> Int {
        var hasher = Hasher()
        unsafe key.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
