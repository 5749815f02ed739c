internal import CanonicalJSON

/// The values of some members of an item, found in its canonical bytes by their paths.
///
/// The bytes are this module's own, so the values are not checked again.
struct ItemCells: ~Copyable {
    /// A value in an item.
    enum Cell {
        case absent
        case text(StringContents)
        /// Anything but a string, as it stands in the item.
        case json(Range<Int>)
    }

    private let members: MemberTree
    private var cells: [Cell]
    private var reader = Reader(.canonical)

    /// - Parameter paths: keys separated by dots. That of an object is found where the object has no member.
    init(_ paths: [String]) {
        members = MemberTree(paths)
        cells = [Cell](repeating: .absent, count: paths.count)
    }

    /// How many there are.
    var count: Int { cells.count }

    /// The value of a path, by its number.
    subscript(index: Int) -> Cell { cells[index] }

    /// Finds the values in an item.
    mutating func read(_ item: Span<UInt8>) {
        for index in cells.indices { cells[index] = .absent }
        reader.restart()
        do {
            _ = try reader.next(in: item)
            try find(0, in: item)
        } catch {
            preconditionFailure("an item is canonical")
        }
    }

    /// Appends a string's text.
    func unescape(_ text: StringContents, in item: Span<UInt8>, into bytes: inout [UInt8]) {
        reader.unescape(text, in: item, into: &bytes)
    }

    /// Finds the cells in the object that the reader has just entered.
    private mutating func find(_ object: Int, in item: Span<UInt8>) throws(JSONError) {
        let start = reader.tokenStart
        var next = members.objects[object].members.lowerBound
        // Our own keys have no escapes.
        while let key = reader.passKey(inTrusted: item) {
            let target = members.target(of: item.extracting(key), in: object, after: &next)
            if let target, target < 0, item[reader.position] == UInt8(ascii: "{") {
                _ = try reader.next(in: item)
                try find(-target, in: item)
            } else {
                let value = reader.passValue(inTrusted: item)
                if let target, target >= 0 { cells[target] = value.string.map(Cell.text) ?? .json(value.range) }
            }
        }
        let isEmpty = reader.position == start + 2
        if isEmpty, let own = members.objects[object].ownColumn { cells[own] = .json(start..<reader.position) }
    }
}
