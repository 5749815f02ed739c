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

    /// The number of cells.
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

/// The columns of an item's members: a tree of objects in flat arrays, so that walking it counts no references.
struct MemberTree {
    /// The members of an object, and the column that says that it is there without a member.
    struct Object {
        var members: Range<Int>
        var ownColumn: Int?
    }

    /// A key, as a range of all keys' bytes, and where its value goes: a column, or an object as a number below 0.
    struct Member {
        let key: Range<Int>
        let target: Int
    }

    /// The first is the item.
    private(set) var objects: [Object] = []
    private var members: [Member] = []
    private var keys: [UInt8] = []

    /// A tree for columns that are named by the path of their member.
    init(_ names: [String]) {
        _ = add(names.enumerated().map { (Array($1.split(separator: ".")), $0) })
    }

    private mutating func add(_ columns: [(path: [Substring], column: Int)]) -> Int {
        let number = objects.count
        objects.append(Object(members: 0..<0, ownColumn: columns.first { $0.path.isEmpty }?.column))
        let groups = Dictionary(grouping: columns.filter { !$0.path.isEmpty }) { $0.path[0] }
        var own: [Member] = []
        for (key, inside) in groups.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let isObject = inside.contains { $0.path.count > 1 }
            let target = isObject ? -add(inside.map { (Array($0.path.dropFirst()), $0.column) }) : inside[0].column
            own.append(Member(key: keys.count..<keys.count + key.utf8.count, target: target))
            keys += Array(key.utf8)
        }
        objects[number].members = members.count..<members.count + own.count
        members += own
        return number
    }

    /// Returns the target of a key's value; `nil` for `item_kind`, which has no column. Keys come sorted, so the search
    /// continues where it ended.
    func target(of key: Span<UInt8>, in object: Int, after next: inout Int) -> Int? {
        var index = next
        while index < objects[object].members.upperBound {
            if isEqual(members[index].key, key) {
                next = index + 1
                return members[index].target
            }
            index += 1
        }
        return nil
    }

    private func isEqual(_ range: Range<Int>, _ key: Span<UInt8>) -> Bool {
        guard range.count == key.count else { return false }
        // The last byte differs more often than the first.
        for index in key.indices.reversed() where keys[range.lowerBound + index] != key[index] { return false }
        return true
    }
}
