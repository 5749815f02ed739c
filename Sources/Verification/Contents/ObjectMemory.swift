internal import Bytes
internal import CanonicalJSON

/// Objects that were read without a fault and are likely to come again: most lines name one of few sources, devices
/// and metadata.
///
/// An object's text is over at its last bracket, so that the same bytes in the same place are the same object: it
/// is right again, and holds the same values.
struct ObjectMemory {
    /// What an object is read as.
    struct Place: Equatable {
        /// The number of its shape; nil for metadata, which has none.
        let object: Int?
        let slot: Slot?
    }

    /// An object that was read before.
    struct Known {
        fileprivate let number: Int
        /// The bytes of its text.
        let length: Int
        let valueCount: Int
    }

    /// What the objects are read as, where their texts stand, and what was taken from them, whose places count from the
    /// first byte.
    private var places = [Place?](repeating: nil, count: 1024)
    private var ranges = [Range<Int>](repeating: 0..<0, count: 1024)
    private var values = [[(slot: Slot, value: Captured)]](repeating: [], count: 1024)
    /// The texts, one behind the other.
    private var texts: [UInt8] = []
    private static let longest = 1024, most = 1 << 20
    /// Which bytes tell objects apart: the first ones are mostly the first key.
    private static let telling = 16..<80

    /// The object at `start`, if it was read as the same before. O(its length).
    func entry(at start: Int, in line: Span<UInt8>, as place: Place) -> Known? {
        let number = Self.number(start, line)
        guard places[number] == place else { return nil }
        let range = ranges[number], length = range.count
        guard line.count - start >= length else { return nil }
        guard texts.span.extracting(range).isSame(as: line.extracting(start..<start + length)) else { return nil }
        return Known(number: number, length: length, valueCount: values[number].count)
    }

    /// One of the values that were taken from an object, until another one is remembered.
    func value(_ index: Int, of known: Known) -> (slot: Slot, value: Captured) {
        values[known.number][index]
    }

    /// Remembers an object in place of one that shares its number.
    mutating func remember(
        _ object: Range<Int>, in line: Span<UInt8>, as place: Place, _ values: [(slot: Slot, value: Captured)]
    ) {
        guard object.count <= Self.longest else { return }
        let number = Self.number(object.lowerBound, line)
        if texts.count > Self.most { forget() }
        places[number] = place
        ranges[number] = texts.count..<texts.count + object.count
        texts.append(copying: line.extracting(object))
        self.values[number] = values.map { ($0.slot, $0.value.moved(by: -object.lowerBound)) }
    }

    private mutating func forget() {
        for number in places.indices { places[number] = nil }
        texts.removeAll(keepingCapacity: true)
    }

    /// The place of an object in the table, from some of its bytes and those behind it.
    private static func number(_ start: Int, _ line: Span<UInt8>) -> Int {
        var hash: UInt64 = 0
        var offset = start + telling.lowerBound
        let end = min(start + telling.upperBound, line.count - 7)
        while offset < end {
            hash = (hash ^ line.word(at: offset)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            offset += 8
        }
        return Int(truncatingIfNeeded: hash & 1023)
    }
}
