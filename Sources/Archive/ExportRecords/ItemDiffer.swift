package import Bytes
package import Files

/// Finds the items that two sides do not have alike: one external sort by key and item hash, and one reading of it.
///
/// A key says which items are the same thing on both sides; items of one key with other hashes are changed. Memory does
/// not grow with the items, be they all of one key.
package final class ItemDiffer {
    /// The side that an item comes from.
    package enum Side: UInt8 {
        case left, right
    }

    /// An item of one side: its hash, and where it is.
    package struct Item: Sendable {
        package let hash: [UInt8]
        package let place: Place
    }

    /// A line, or the rows of an archive.
    package struct Place: Sendable {
        package let first: Int64
        package let second: Int64?

        /// A place of one or two numbers.
        package init(_ first: Int64, _ second: Int64? = nil) { (self.first, self.second) = (first, second) }
    }

    /// An item that is not alike on both sides: on one side alone, or changed.
    package struct Difference: Sendable {
        package enum Kind: Sendable {
            case leftOnly, rightOnly, changed
        }

        package let kind: Kind
        package let key: [UInt8]
        /// Its items; `nil` beyond the limit of items that are kept of a key.
        package let left, right: Item?
        /// `true` if the left item was excused when it was added.
        package let isExcused: Bool
    }

    private var sorter: RowSorter
    private var row = ByteBuffer(capacity: 256)
    private var companion = ByteBuffer(capacity: 32)

    /// - Parameter path: what errors of temporary files call them.
    package init(of path: Path) { sorter = RowSorter(of: path) }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - key: bytes of which none are the beginning of those of another key.
    ///   - isExcused: `true` if a difference of this item, which is on the left, is known for another reason.
    package func add(
        _ side: Side, key: Span<UInt8>, hash: Span<UInt8>, _ place: Place, isExcused: Bool = false
    ) throws(ArchiveError) {
        row.removeAll()
        row.append(copying: key)
        row.append(copying: hash)
        companion.removeAll()
        companion.append(side.rawValue)
        companion.append(isExcused ? 1 : 0)
        companion.append(bigEndian: UInt64(key.count))
        companion.append(bigEndian: UInt64(bitPattern: place.first))
        companion.append(place.second == nil ? 0 : 1)
        companion.append(bigEndian: UInt64(bitPattern: place.second ?? 0))
        try Self.add(row, companion, to: &sorter)
    }

    private static func add(
        _ row: borrowing ByteBuffer, _ companion: borrowing ByteBuffer, to sorter: inout RowSorter
    ) throws(ArchiveError) {
        try sorter.add(row.span, companion: companion.span)
    }

    /// Reports the items that differ, by key, and returns how many are alike. Called once.
    ///
    /// - Parameters:
    ///   - limit: so many items of a key and side are kept.
    ///   - ignoringRepeats: `true` if the same item more than once on the left is one.
    package func finish(
        limit: Int, ignoringRepeats: Bool = false, _ report: (Difference) -> Void
    ) throws(ArchiveError) -> Int {
        var merge = try RowMerge(sorter.finish())
        var row = ByteBuffer(), companion = ByteBuffer()
        var meeting = Meeting(limit: limit, ignoringRepeats: ignoringRepeats)
        while try merge.next(into: &row, companion: &companion) { meeting.add(row.span, companion.span, report) }
        meeting.endKey(report)
        return meeting.sameCount
    }

    /// Meets the items of one key, which come in the order of their hashes.
    private struct Meeting {
        let limit: Int
        let ignoringRepeats: Bool
        private(set) var sameCount = 0
        private var key: [UInt8] = []
        private var hash: [UInt8] = []
        /// Items of one hash, then those that the other side does not have. Excused ones come last.
        private var open = [Items(), Items()], left = [Items(), Items()], excused = Items()
        /// The number of the open items on the left that are excused.
        private var openExcused = 0

        /// So many items, of which the first are kept.
        private struct Items {
            var count = 0
            var first: [Item] = []

            /// Adds so many items, of which some are kept.
            mutating func add(_ more: Int, _ items: ArraySlice<Item>, _ limit: Int) {
                count += more
                first += items.prefix(max(0, limit - first.count))
            }
        }

        init(limit: Int, ignoringRepeats: Bool) {
            (self.limit, self.ignoringRepeats) = (limit, ignoringRepeats)
        }

        mutating func add(_ row: Span<UInt8>, _ companion: Span<UInt8>, _ report: (Difference) -> Void) {
            let keyCount = Int(Self.number(companion, at: 2))
            if !row.extracting(first: keyCount).isSame(as: key.span) {
                endKey(report)
                key = (0..<keyCount).map { row[$0] }
            }
            if !row.extracting(droppingFirst: keyCount).isSame(as: hash.span) {
                endHash()
                hash = (keyCount..<row.count).map { row[$0] }
            }
            let side = Int(companion[0])
            if ignoringRepeats, side == 0, open[0].count > 0 { return }
            open[side].count += 1
            if side == 0, companion[1] == 1 { openExcused += 1 }
            guard open[side].first.count < limit else { return }
            let second = companion[18] == 0 ? nil : Int64(bitPattern: Self.number(companion, at: 19))
            let place = Place(Int64(bitPattern: Self.number(companion, at: 10)), second)
            open[side].first.append(Item(hash: hash, place: place))
        }

        /// Returns eight bytes as a number, the highest first.
        private static func number(_ bytes: Span<UInt8>, at start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }

        private mutating func endHash() {
            let same = min(open[0].count, open[1].count)
            sameCount += same
            let rest = open.map { $0.first.dropFirst(same) }
            // Those that are excused come behind the others.
            let excusedCount = min(openExcused, open[0].count - same)
            let plainCount = open[0].count - same - excusedCount
            left[0].add(plainCount, rest[0].prefix(plainCount), limit)
            excused.add(excusedCount, rest[0].dropFirst(plainCount), limit)
            left[1].add(open[1].count - same, rest[1], limit)
            open = [Items(), Items()]
            openExcused = 0
        }

        mutating func endKey(_ report: (Difference) -> Void) {
            endHash()
            hash = []
            let (own, others) = (left[0].count + excused.count, left[1].count)
            for index in 0..<max(own, others) {
                let isExcused = index >= left[0].count && index < own
                let ownItem =
                    isExcused ? Self.item(index - left[0].count, of: excused) : Self.item(index, of: left[0])
                report(
                    Difference(
                        kind: index >= others ? .leftOnly : index >= own ? .rightOnly : .changed, key: key,
                        left: ownItem, right: Self.item(index, of: left[1]), isExcused: isExcused))
            }
            left = [Items(), Items()]
            excused = Items()
        }

        private static func item(_ index: Int, of items: Items) -> Item? {
            index < items.first.count ? items.first[index] : nil
        }
    }
}

/// The key by which an item is found in an archive: sample type, identity hash and version hash; empty if there is
/// none.
package enum ItemKey {
    /// Appends a text of a key. Texts end with two zeros, so that keys sort as their texts do.
    package static func append(_ text: Span<UInt8>, to key: inout ByteBuffer) {
        for index in text.indices {
            key.append(text[index])
            if text[index] == 0 { key.append(1) }
        }
        key.append(0)
        key.append(0)
    }

    /// Makes a key of texts; what is absent is empty.
    package static func set(_ key: inout ByteBuffer, to texts: [[UInt8]?]) {
        key.removeAll()
        for text in texts {
            let text = text ?? []
            append(text.span, to: &key)
        }
    }

    /// Returns the texts of a key.
    package static func texts(of key: [UInt8]) -> [[UInt8]] {
        var texts: [[UInt8]] = [[]]
        var index = 0
        while index < key.count {
            let isZero = key[index] == 0
            if isZero, key[index + 1] == 0 { texts.append([]) } else { texts[texts.count - 1].append(key[index]) }
            index += isZero ? 2 : 1
        }
        return texts.dropLast()
    }
}
