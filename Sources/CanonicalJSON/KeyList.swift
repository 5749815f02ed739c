/// The keys that an object's members may have, in canonical order, prepared once and written many times.
///
/// The order is checked when the list is made. Within an object `Writer` then only compares places in the list.
public struct KeyList: Sendable {
    /// `,"key":` of all keys, one after the other.
    let text: [UInt8]
    /// Where each key's text begins; one more than there are keys.
    let starts: [Int]
    /// The keys between their quotes, as places in `text`.
    let places: [KeyOrder.Place]
    private let names: [String]

    /// Prepares keys, which must sort one after the other. O(length).
    public init(_ names: [String]) {
        var text: [UInt8] = []
        var starts = [0]
        var places: [KeyOrder.Place] = []
        for name in names {
            let key = Key(name)
            let shift = text.count
            text += key.text
            starts.append(text.count)
            places.append(KeyOrder.Place(range: key.place.range.lowerBound + shift..<key.place.range.upperBound + shift, hasEscapes: key.place.hasEscapes))
            let count = places.count
            precondition(count < 2 || KeyOrder.compare(text.span, places[count - 2], text.span, places[count - 1]) < 0, "the key does not sort after the key before it")
        }
        self.text = text
        self.starts = starts
        self.places = places
        self.names = names
    }

    /// Number of keys.
    public var count: Int { places.count }

    /// A key as it was given.
    public func name(_ index: Int) -> String { names[index] }

    /// The place of a key, which must be there.
    public func index(of name: String) -> Int {
        guard let index = names.firstIndex(of: name) else { preconditionFailure("the list has no such key") }
        return index
    }
}
