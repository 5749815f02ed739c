internal import Bytes

/// Gives equal byte sequences the same index: 0, 1, 2, … in the order in which they come.
///
/// An open table of indices over one buffer of bytes, used again for each page; a dictionary of arrays would
/// allocate for each look.
struct Interner: ~Copyable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    private var hashes: [UInt64] = []
    /// Index + 1, or 0 for a free place; a power of two of places, at most half of them taken.
    private var table = [Int32](repeating: 0, count: 64)

    /// Number of different sequences.
    var count: Int { ranges.count }

    /// Returns the sequence of an index.
    func array(_ index: Int) -> [UInt8] { Array(bytes[ranges[index]]) }

    /// Returns the index of a sequence, and whether it is new. Expected O(length).
    mutating func intern(_ key: Span<UInt8>) -> (index: Int, isNew: Bool) {
        let hash = Self.hash(key)
        var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
        while table[place] != 0 {
            let index = Int(table[place]) - 1
            if hashes[index] == hash, isEqual(index, key) { return (index, false) }
            place = (place + 1) & (table.count - 1)
        }
        table[place] = Int32(ranges.count + 1)
        ranges.append(bytes.count..<bytes.count + key.count)
        hashes.append(hash)
        bytes.append(copying: key)
        if ranges.count * 2 > table.count { grow() }
        return (ranges.count - 1, true)
    }

    /// Returns the index of a sequence that was interned; `nil` for any other. Expected O(length).
    func find(_ key: Span<UInt8>) -> Int? {
        let hash = Self.hash(key)
        var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
        while table[place] != 0 {
            let index = Int(table[place]) - 1
            if hashes[index] == hash, isEqual(index, key) { return index }
            place = (place + 1) & (table.count - 1)
        }
        return nil
    }

    /// Forgets everything and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for place in table.indices { table[place] = 0 }
    }

    private func isEqual(_ index: Int, _ key: Span<UInt8>) -> Bool {
        bytes.span.extracting(ranges[index]).isSame(as: key)
    }

    private mutating func grow() {
        table = [Int32](repeating: 0, count: table.count * 2)
        for (index, hash) in hashes.enumerated() {
            var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
            while table[place] != 0 { place = (place + 1) & (table.count - 1) }
            table[place] = Int32(index + 1)
        }
    }

    /// Seeded anew in each process, so that no file can be made to collide.
    private static let seed = UInt64.random(in: .min ... .max)

    private static func hash(_ key: Span<UInt8>) -> UInt64 {
        var hash = seed
        var index = 0
        while key.count - index >= 8 {
            hash = mix(hash ^ key.word(at: index))
            index &+= 8
        }
        var word = UInt64(key.count) << 56
        var shift: UInt64 = 0
        while index < key.count {
            word ^= UInt64(key[index]) << shift
            shift += 8
            index += 1
        }
        return mix(hash ^ word)
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low &+ 0xD6E8_FEB8_6659_FD93
    }
}
