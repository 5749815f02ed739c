internal import Bytes

/// Finds names in a list that is known beforehand, on bytes and without allocating.
struct NameIndex: Sendable {
    private let bytes: [UInt8]
    private let starts: [Int]
    /// Index + 1, or 0 for a free place; a power of two of places, at most a quarter of them taken.
    private let places: [UInt16]

    /// Prepares a list of different names.
    init(_ names: [String]) {
        var bytes: [UInt8] = []
        var starts = [0]
        var size = 64
        while size < names.count * 4 { size *= 2 }
        var places = [UInt16](repeating: 0, count: size)
        for (index, name) in names.enumerated() {
            bytes += Array(name.utf8)
            starts.append(bytes.count)
            var place = Self.hash(name.utf8Span.span) & (size - 1)
            while places[place] != 0 { place = (place + 1) & (size - 1) }
            places[place] = UInt16(index + 1)
        }
        self.bytes = bytes
        self.starts = starts
        self.places = places
    }

    /// Returns the place of a name in the list, or `nil`. O(length).
    func index(of name: Span<UInt8>) -> Int? {
        var place = Self.hash(name) & (places.count - 1)
        while places[place] != 0 {
            let index = Int(places[place]) - 1
            if name.isEqual(to: bytes.span.extracting(starts[index]..<starts[index + 1])) { return index }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// Hashes a name. The lists are our own, so nobody can make names collide; both ends of a name tell most of them
    /// apart.
    private static func hash(_ name: Span<UInt8>) -> Int {
        guard !name.isEmpty else { return 0 }
        let middle = name[name.count / 2]
        let ends =
            UInt32(name[0]) | UInt32(name[name.count - 1]) << 8 | UInt32(middle) << 16 | UInt32(
                truncatingIfNeeded: name.count) << 24
        return Int((ends &* 0x9E37_79B1) >> 12)
    }
}

extension Span<UInt8> {
    /// Returns `true` if two stretches hold the same bytes.
    @inline(__always)
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for at in indices where self[at] != other[at] { return false }
        return true
    }

    /// Returns `true` if it begins with these bytes.
    func hasPrefix(_ other: Span<UInt8>) -> Bool {
        count >= other.count && extracting(0..<other.count).isEqual(to: other)
    }
}
