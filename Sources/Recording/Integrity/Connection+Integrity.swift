internal import Archive
internal import Bytes
internal import Files
internal import Pipeline
internal import SQLite
internal import Synchronization

extension Connection {
    /// Returns `true` if `PRAGMA integrity_check` finds nothing. O(n log n).
    ///
    /// For each row, that pragma searches its entry in each index. Those of samples stand in the order of hashes: of
    /// many samples, each search reads another page. Then `quick_check`, which makes all other checks (manual,
    /// "PRAGMA quick_check"), and `integrity_check` of each other table take its place, and the indexes of samples are
    /// compared in their own order. Where these are not certainly intact, the whole is asked.
    ///
    /// - Parameters:
    ///   - many: how many samples are many. The check of fewer takes about a second.
    ///   - second: gives another connection that sees the same, for a second thread. It is asked of many samples only.
    func isIntact(many: Int64 = 200_000, beside second: () -> Connection? = { nil }) throws(ArchiveError) -> Bool {
        // What cannot be read here is not intact, which `integrity_check` says without an error.
        if let most = try? integer("SELECT ifnull(max(id), 0) FROM main.samples"), most >= many,
            let indexes = try SampleIndexes.ofPlainColumns(self)
        {
            let found =
                if let other = second(), (try? other.noteEncoding()) != nil {
                    try findings(indexes, beside: other)
                } else {
                    try findings(indexes)
                }
            switch found {
            case .none: return true
            case .damage: return false
            case .doubt: break
            }
        }
        return try text("PRAGMA integrity_check(1)") == "ok"
    }

    /// Returns the findings of a file with many samples.
    private func findings(_ indexes: SampleIndexes) throws(ArchiveError) -> IntegrityFindings {
        let found = try findingsOfPages(indexes)
        guard found != .damage, try areOtherTablesIntact() else { return .damage }
        return found
    }

    /// Returns the same findings, with half of the work on another connection and its own thread.
    private func findings(_ indexes: SampleIndexes, beside other: consuming Connection) throws(ArchiveError)
        -> IntegrityFindings
    {
        let beside = Handed(FindingsBeside(connection: other, indexes: indexes))
        let damage = FoundDamage()
        var areOthersIntact = Result<Bool, ArchiveError>.success(false)
        sideBySide(
            {
                areOthersIntact = Result { () throws(ArchiveError) in
                    try areOtherTablesIntact(until: { damage.isFound.load(ordering: .relaxed) })
                }
            }, { beside.value.run(damage) })
        let found = beside.value.found
        guard found != .damage, try areOthersIntact.get() else { return .damage }
        return found
    }

    /// Returns the findings of all pages, and of the indexes of samples.
    fileprivate func findingsOfPages(_ indexes: SampleIndexes) throws(ArchiveError) -> IntegrityFindings {
        guard try text("PRAGMA main.quick_check(1)") == "ok" else { return .damage }
        return (try? indexes.areIntact(self)) == true ? .none : .doubt
    }

    /// - Parameter isOver: asked before each table.
    private func areOtherTablesIntact(until isOver: () -> Bool = { false }) throws(ArchiveError) -> Bool {
        // The pragma is a table of SQLite's own in temp, whatever the file calls its tables.
        var lines = try prepare(
            """
            SELECT i.integrity_check FROM main.sqlite_schema t, temp.pragma_integrity_check(t.name, 'main') i
            WHERE t.type = 'table' AND t.name <> 'samples' COLLATE NOCASE
            """)
        while !isOver(), try lines.step() {
            guard lines.text(0) == "ok" else { return false }
        }
        return true
    }
}

extension Archive {
    /// Throws if `integrity_check` finds anything, or would compute expressions of the file's author: neither repair
    /// nor undo is a recovery of files. Nothing was written yet in the transaction.
    func checkIntegrity() throws(ArchiveError) {
        try requireNoExpressions()
        guard try connection.isIntact(beside: { secondConnection() }) else {
            try checkReading()
            throw ArchiveError(
                .unreadable, "\(path.display): the file itself is damaged, and nothing is written",
                hint: "hp-verify archive names what is damaged")
        }
    }
}

private enum IntegrityFindings: Sendable {
    case none, damage
    /// The indexes of samples are not certainly intact.
    case doubt
}

/// A flag that one of two threads found damage: the other thread need not continue.
private final class FoundDamage: Sendable {
    let isFound = Atomic(false)
}

/// A connection that is another thread's for a while, and what it found. Where it cannot read, that is a doubt.
private struct FindingsBeside: ~Copyable {
    let connection: Connection
    let indexes: SampleIndexes
    var found = IntegrityFindings.doubt

    mutating func run(_ damage: FoundDamage) {
        found = (try? connection.findingsOfPages(indexes)) ?? .doubt
        if found == .damage { damage.isFound.store(true, ordering: .relaxed) }
    }
}

/// The indexes of `samples`, all on plain columns that are compared as bytes.
///
/// An index is intact where three things hold; each is decided in the order in which its entries stand.
///
///     rows      its entries, as they are read, are those of the rows: their keyed hashes have the same sum
///     search    a search for what is read of an entry finds that entry, so that the entries ascend
///     unique    no two that stand side by side have the same key, where that must not be
struct SampleIndexes {
    private struct Index {
        let name: String
        let isUnique: Bool
        var columns: [String] = []
    }

    private var indexes: [Index] = []
    /// The columns of all indexes, each once.
    private var columns: [String] { Set(indexes.flatMap(\.columns)).sorted() }

    /// Returns the indexes of `samples` in a file with texts in UTF-8; `nil` if one is of another kind, has the row's
    /// id in its key, or a name that could be taken for another.
    static func ofPlainColumns(_ connection: borrowing Connection) throws(ArchiveError) -> SampleIndexes? {
        guard try connection.text("PRAGMA main.encoding") == "UTF-8" else { return nil }
        try connection.noteEncoding()
        // The pragmas are tables of SQLite's own in temp, whatever the file calls its tables.
        var rows = try connection.prepare(
            """
            SELECT l.name, l."unique", x.name,
                l.partial OR x.key AND (x.cid < 0 OR x.desc OR x.coll <> 'BINARY') OR NOT x.key AND x.cid <> -1
                OR l.name GLOB '*[^a-zA-Z0-9_]*' OR ifnull(x.name, '') GLOB '*[^a-zA-Z0-9_]*'
                OR x.key AND x.cid IN (SELECT cid FROM temp.pragma_table_info('samples', 'main')
                    WHERE pk AND type = 'INTEGER' COLLATE NOCASE)
                OR EXISTS (SELECT 1 FROM temp.pragma_table_xinfo('samples', 'main') WHERE name = 'rowid' COLLATE NOCASE)
            FROM temp.pragma_index_list('samples', 'main') l, temp.pragma_index_xinfo(l.name, 'main') x
            ORDER BY l.seq, x.seqno
            """)
        var found = SampleIndexes()
        while try rows.step() {
            guard let name = rows.text(0), rows.integer(3) == 0 else { return nil }
            if found.indexes.last?.name != name {
                found.indexes.append(Index(name: name, isUnique: rows.integer(1) == 1))
            }
            // The last one has no name: it is the row's id.
            if let column = rows.text(2) { found.indexes[found.indexes.count - 1].columns.append("\"\(column)\"") }
        }
        return found
    }

    /// Returns `true` if each index is certainly intact. O(n log n), and most of it in the cache.
    func areIntact(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let hash = KeyedHash()
        for (index, sum) in zip(indexes, try sumsOfRows(hash, connection)) {
            guard let sum, try self.sum(of: index, hash, connection) == sum else { return false }
        }
        return true
    }

    /// Returns the expected sums of each index's entries; `nil` if a row has a value that is not compared here.
    private func sumsOfRows(_ hash: KeyedHash, _ connection: borrowing Connection) throws(ArchiveError) -> [UInt128?] {
        let columns = columns
        let names = (["rowid"] + columns).joined(separator: ", ")
        var rows = try connection.prepare("SELECT \(names) FROM main.samples NOT INDEXED")
        let places = indexes.map { $0.columns.map { Int32(columns.firstIndex(of: $0)! + 1) } }
        var sums = [UInt128?](repeating: 0, count: indexes.count)
        var entry = SampleIndexEntry()
        while try rows.step() {
            for index in indexes.indices {
                entry.removeAll()
                for place in places[index] { entry.append(rows.value(place)) }
                entry.end(rowID: rows.value(0).integer)
                sums[index] = entry.isComparable ? sums[index].map { $0 &+ hash.hash(entry.bytes) } : nil
            }
        }
        return sums
    }

    /// Returns the sum of an index's entries that a search finds; `nil` if a unique key occurs twice.
    private func sum(of index: Index, _ hash: KeyedHash, _ connection: borrowing Connection) throws(ArchiveError)
        -> UInt128?
    {
        func samples(_ name: String) -> String { "main.samples AS \(name) INDEXED BY \"\(index.name)\"" }
        let values = index.columns.map { ", a.\($0)" }.joined()
        let isSame = index.columns.map { "b.\($0) IS a.\($0) AND " }.joined()
        // A cross join goes along its first table (manual, "The SQLite Query Optimizer Overview", 7.2).
        var rows = try connection.prepare(
            "SELECT a.rowid, b.rowid\(values) FROM \(samples("a")) CROSS JOIN \(samples("b")) "
                + "WHERE \(isSame)b.rowid = a.rowid")
        let places = Int32(2)..<Int32(rows.columnCount)
        var sum: UInt128 = 0
        var entry = SampleIndexEntry()
        var before = SampleIndexEntry()
        while try rows.step() {
            swap(&entry, &before)
            entry.removeAll()
            for place in places { entry.append(rows.value(place)) }
            entry.end(rowID: rows.value(0).integer)
            guard rows.value(1).integer == rows.value(0).integer, entry.isComparable else { return nil }
            if index.isUnique, entry.hasKey(of: before) { return nil }
            sum &+= hash.hash(entry.bytes)
        }
        return sum
    }
}

/// An entry of an index as bytes: two are the same bytes where all their values are stored alike.
///
///     NULL      00
///     integer   01 and its 8 bytes
///     text      02, the 8 bytes of its length, and its bytes
struct SampleIndexEntry: ~Copyable {
    private var buffer = ByteBuffer(capacity: 256)
    /// The number of bytes before the row's id.
    private var keyCount = 0
    private var hasNull = false
    /// `true` if all values are NULL, integers or texts. An integer and a real can be equal and are stored differently.
    private(set) var isComparable = true

    /// The entry so far.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { buffer.span }
    }

    /// Takes everything back.
    mutating func removeAll() {
        buffer.removeAll()
        keyCount = 0
        hasNull = false
        isComparable = true
    }

    /// Appends a value of the key.
    mutating func append(_ value: borrowing SQLiteValue) {
        switch value.storageClass {
        case .null:
            buffer.append(0)
            hasNull = true
        case .integer:
            buffer.append(1)
            buffer.append(bytesOf: value.integer)
        case .text:
            let text = value.bytes(of: .text)
            buffer.append(2)
            buffer.append(bytesOf: text.count)
            buffer.append(copying: text)
        case .real, .blob: isComparable = false
        }
    }

    /// Appends the row's id behind the key.
    mutating func end(rowID: Int64) {
        keyCount = buffer.count
        buffer.append(bytesOf: rowID)
    }

    /// Returns `true` if it has the key of another entry. A NULL is like no other.
    func hasKey(of other: borrowing SampleIndexEntry) -> Bool {
        keyCount == other.keyCount && !hasNull
            && bytes.extracting(first: keyCount).isSame(as: other.bytes.extracting(first: keyCount))
    }
}
