internal import SQLite
internal import Archive

/// The contents of source revisions, by id, and their order. There are few of them.
struct SourceNames: ~Copyable {
    private var statement: Statement
    /// Numbers of revisions by id.
    private var numbers: [Int64: Int] = [:]
    /// The contents of ids, each once, by number; the first is empty.
    private var revisions = [SourceRevision()]
    /// The place of each in their order, and the numbers in that order.
    private var ranks = [0]
    private var order = [0]

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        statement = try connection.prepare(SourceColumn.sql)
    }

    /// Returns the number of what a revision says; one that does not exist says nothing.
    mutating func number(of id: Int64?) throws(ArchiveError) -> Int {
        guard let id else { return 0 }
        if let number = numbers[id] { return number }
        var revision = SourceRevision()
        statement.bind(1, id)
        if try statement.step() {
            revision.bundleIdentifier = statement.carryableText(Int32(SourceColumn.bundleIdentifier.rawValue))
            revision.operatingSystemVersion = statement.carryableText(
                Int32(SourceColumn.operatingSystemVersion.rawValue))
            revision.productType = statement.carryableText(Int32(SourceColumn.productType.rawValue))
            revision.sourceNameHash = statement.carryableText(Int32(SourceColumn.sourceNameHash.rawValue))
            revision.version = statement.carryableText(Int32(SourceColumn.version.rawValue))
        }
        statement.reset()
        let number = number(of: revision)
        numbers[id] = number
        return number
    }

    private mutating func number(of revision: SourceRevision) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            let precedes = SourceRevision.precedes(revisions[order[middle]], revision)
            if precedes { low = middle + 1 } else { high = middle }
        }
        if low < order.count, revisions[order[low]] == revision { return order[low] }
        order.insert(revisions.count, at: low)
        revisions.append(revision)
        ranks.append(low)
        for place in low..<order.count { ranks[order[place]] = place }
        return revisions.count - 1
    }

    /// Returns the content of the revision of a number.
    func revision(_ number: Int) -> SourceRevision { revisions[number] }

    /// Returns `true` if one comes before another.
    func precedes(_ left: Int, _ right: Int) -> Bool { ranks[left] < ranks[right] }
}
