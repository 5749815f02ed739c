/// Which member of an item goes into which column: a tree of objects in flat arrays, so that walking it counts no
/// references.
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

    /// Where the value of a key goes; nil for `item_kind`, which has no column. Keys come sorted, so the search
    /// goes on where it ended.
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
