internal import CanonicalJSON

/// Objects that were read without a fault and are likely to come again: most lines name one of few sources, devices
/// and metadata.
///
/// An object's text is over at its last bracket, so that the same bytes in the same place are the same object: it
/// is right again, and holds the same values.
struct ObjectMemory {
    /// The form as which an object is read.
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

    private var texts = RecentTexts()
    /// The forms as which the objects are read, and the values taken from them. The places of values count from the
    /// first byte.
    private var places = [Place?](repeating: nil, count: RecentTexts.count)
    private var values = [[(slot: Slot, value: Captured)]](repeating: [], count: RecentTexts.count)

    /// Returns the object at `start`, if it was read as the same before. O(its length).
    func entry(at start: Int, in line: Span<UInt8>, as place: Place) -> Known? {
        let number = RecentTexts.number(start, in: line)
        guard places[number] == place, let length = texts.length(of: number, at: start, in: line) else { return nil }
        return Known(number: number, length: length, valueCount: values[number].count)
    }

    /// Returns one of the values that were taken from an object, until another one is remembered.
    func value(_ index: Int, of known: Known) -> (slot: Slot, value: Captured) {
        values[known.number][index]
    }

    /// Remembers an object in place of one that shares its number.
    mutating func remember(
        _ object: Range<Int>, in line: Span<UInt8>, as place: Place, _ values: [(slot: Slot, value: Captured)]
    ) {
        let number = RecentTexts.number(object.lowerBound, in: line)
        guard texts.keep(object, as: number, in: line) else { return }
        places[number] = place
        self.values[number] = values.map { ($0.slot, $0.value.moved(by: -object.lowerBound)) }
    }
}
