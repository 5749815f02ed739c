/// The keys that an object's members may have, in canonical order, prepared once and written many times.
///
/// The order is checked when the list is made. Within an object `Writer` then only compares places in the list.
public struct KeyList: Sendable {
    /// `,"key":` of all keys, one after the other, and some bytes more: a key is copied faster where 32 follow its
    /// beginning.
    let text: [UInt8]
    let entries: [Entry]
    private let names: [String]

    struct Entry {
        /// `,"key":`, as a range of the list's text.
        let text: Range<Int>
        /// The key between its quotes, as a place in the list's text.
        let place: KeyOrder.Place
    }

    /// Prepares keys, which must sort one after the other. O(length).
    public init(_ names: [String]) {
        var text: [UInt8] = []
        var entries: [Entry] = []
        for name in names {
            let key = Key(name)
            let shift = text.count
            text += key.text
            let entry = Entry(text: shift..<text.count, place: key.place.moved(by: shift))
            precondition(
                entries.last.map { KeyOrder.compare(text.span, $0.place, text.span, entry.place) < 0 } ?? true,
                "the key does not sort after the key before it")
            entries.append(entry)
        }
        self.text = text + [UInt8](repeating: 0, count: 32)
        self.entries = entries
        self.names = names
    }

    /// Number of keys.
    public var count: Int { entries.count }

    /// A key as it was given.
    public func name(_ index: Int) -> String { names[index] }

    /// Returns the place of a key, which must be there.
    public func index(of name: String) -> Int {
        guard let index = names.firstIndex(of: name) else { preconditionFailure("the list has no such key") }
        return index
    }
}
