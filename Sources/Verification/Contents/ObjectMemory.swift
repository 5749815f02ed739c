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
        /// The table; nil for metadata, which has none.
        private let shape: ObjectIdentifier?
        private let slot: Slot?

        /// The place of a value that is likely to come again; nil for any other.
        init?(_ shape: Shape, _ slot: Slot?) {
            switch shape {
            case .object(let shape) where shape.comesAgain: self.shape = ObjectIdentifier(shape)
            case .metadata: self.shape = nil
            default: return nil
            }
            self.slot = slot
        }
    }

    /// An object, and what was taken from it; places count from its first byte.
    struct Entry {
        fileprivate let place: Place
        let text: [UInt8]
        let values: [(slot: Slot, value: Captured)]
    }

    private var entries = [Entry?](repeating: nil, count: 1024)
    private static let longest = 1024
    /// Which bytes tell objects apart: the first ones are mostly the first key.
    private static let telling = 16..<80

    /// The object at `start`, if it was read as the same before. O(its length).
    func entry(at start: Int, in line: Span<UInt8>, as place: Place) -> Entry? {
        guard let entry = entries[Self.number(start, line)], entry.place == place,
            line.count - start >= entry.text.count,
            line.extracting(start..<start + entry.text.count).isSame(as: entry.text.span)
        else { return nil }
        return entry
    }

    /// Remembers an object in place of one that shares its number.
    mutating func remember(
        _ object: Range<Int>, in line: Span<UInt8>, as place: Place, _ values: [(slot: Slot, value: Captured)]
    ) {
        guard object.count <= Self.longest else { return }
        var text: [UInt8] = []
        text.append(copying: line.extracting(object))
        entries[Self.number(object.lowerBound, line)] = Entry(
            place: place, text: text, values: values.map { ($0.slot, $0.value.moved(by: -object.lowerBound)) })
    }

    /// The place of an object in the table, from some of its bytes and those behind it.
    private static func number(_ start: Int, _ line: Span<UInt8>) -> Int {
        var hash: UInt64 = 0
        var offset = start + telling.lowerBound
        let end = min(start + telling.upperBound, line.count - 7)
        while offset < end {
            hash = (hash ^ PlainRun.word(in: line, at: offset)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            offset += 8
        }
        return Int(truncatingIfNeeded: hash & 1023)
    }
}
