internal import Bytes

/// The keys of all open objects, to find one that repeats.
///
/// An open-addressing hash table over places in the text. Keys leave in the reverse order of their arrival, with their
/// object, so a key that leaves was the last one to take its slot and the slot can simply be emptied.
struct KeyTable: Sendable {
    private struct Entry {
        let hash: Int
        let depth: Int
        let key: StringContents
    }

    private var entries: [Entry] = []
    /// Index of an entry plus one, or 0 for an empty slot. The count is zero or a power of two.
    private var slots: [Int] = []

    /// Adds a key of the innermost open object, `depth` containers deep; returns false where the object has it already.
    mutating func insert(_ key: StringContents, ofObjectAt depth: Int, in bytes: Span<UInt8>) -> Bool {
        if entries.count &* 2 >= slots.count { grow() }
        let hash = Self.hash(of: key, depth: depth, in: bytes)
        var slot = hash & (slots.count &- 1)
        while slots[slot] != 0 {
            let entry = entries[slots[slot] &- 1]
            if entry.hash == hash, entry.depth == depth, KeyOrder.compare(bytes, entry.key, bytes, key) == 0 {
                return false
            }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        entries.append(Entry(hash: hash, depth: depth, key: key))
        slots[slot] = entries.count
        return true
    }

    /// Removes the keys of the innermost open object when it ends.
    mutating func removeKeys(ofObjectAt depth: Int) {
        while let last = entries.last, last.depth == depth {
            var slot = last.hash & (slots.count &- 1)
            while slots[slot] != entries.count { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = 0
            entries.removeLast()
        }
    }

    /// Forgets all keys and keeps the memory.
    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    /// Doubles the slots. The entries take theirs in the order of their arrival, so that leaving stays as simple.
    private mutating func grow() {
        slots = [Int](repeating: 0, count: max(16, slots.count &* 2))
        for index in entries.indices {
            var slot = entries[index].hash & (slots.count &- 1)
            while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = index &+ 1
        }
    }

    /// Seeded anew in each process, so that no text can be made to collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// A hash of the unescaped key: words of eight bytes and the rest of fewer, so that equal keys have equal words
    /// however they are spelled.
    private static func hash(of key: StringContents, depth: Int, in bytes: Span<UInt8>) -> Int {
        var hash = mix(seed ^ UInt64(truncatingIfNeeded: depth))
        guard key.hasEscapes else {
            var at = key.range.lowerBound
            let end = key.range.upperBound
            while end &- at >= 8 {
                hash = mix(hash ^ bytes.word(at: at))
                at &+= 8
            }
            var rest: UInt64 = 1
            while at < end {
                rest = rest << 8 | UInt64(bytes[at])
                at &+= 1
            }
            return Int(truncatingIfNeeded: mix(hash ^ rest))
        }
        var cursor = ContentsCursor(key.range)
        var word: UInt64 = 0
        var count: UInt64 = 0
        var rest: UInt64 = 1
        while let byte = cursor.next(in: bytes) {
            word |= UInt64(byte) << (8 &* count)
            rest = rest << 8 | UInt64(byte)
            count &+= 1
            guard count == 8 else { continue }
            hash = mix(hash ^ word)
            (word, count, rest) = (0, 0, 1)
        }
        return Int(truncatingIfNeeded: mix(hash ^ rest))
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low &+ 0xD6E8_FEB8_6659_FD93
    }
}
