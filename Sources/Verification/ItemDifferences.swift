internal import Archive
internal import Bytes
public import Files

/// Takes the items of an export as they are verified, in order.
protocol ItemSink: AnyObject {
    /// The header of the export, before its items.
    func begin(_ header: HeaderFacts)
    /// - Parameter lines: lines before the run; nil where lines have no numbers.
    func add(_ run: ItemRun, lines: Int?)
}

extension ItemSink {
    func begin(_ header: HeaderFacts) {}
}

/// How two exports differ, item by item.
public struct ItemDifferences: Sendable {
    /// What became of an item.
    public enum Kind: String, Sendable {
        case added, changed, removed
    }

    /// An item that is not the same in both.
    public struct Difference: Sendable {
        public let kind: Kind
        /// nil where the item has none.
        public let sampleType: String?
        /// Its line in the first file; nil where it is added, or lines have no numbers.
        public internal(set) var line: Int64?
        /// Its line in the second.
        public internal(set) var otherLine: Int64?
    }

    /// The first of them, by sample type and identity.
    public internal(set) var listed: [Difference] = []
    /// How many there are of each kind.
    public internal(set) var counts: [Kind: Int] = [:]
    /// Items that both have.
    public internal(set) var sameCount = 0
    /// Whether the headers say the same; nil where one of them could not be read.
    public internal(set) var hasSameHeader: Bool?
    /// Whether the manifests have the same hash; nil where one of them could not be read.
    public internal(set) var hasSameManifest: Bool?

    /// Items that differ.
    public var total: Int { counts.values.reduce(0, +) }
}

/// Compares two bundles or reports item by item (`Spec/command-line.md`, `compare`).
///
/// The items of both go through one external sort by sample type, identity and item hash, and are met there.
public enum ExportsDifference {
    /// Verifies both, and says how their items differ.
    ///
    /// - Parameters:
    ///   - limit: so many differences are listed.
    /// - Complexity: O(n log n) in the items of both; memory does not grow with them.
    /// - Throws: `FileError`, `ArchiveError` where temporary files cannot be written.
    public static func find(
        _ first: borrowing Descriptor, _ second: borrowing Descriptor, options: VerificationOptions, limit: Int,
        progress: @escaping @Sendable (Int) -> Void, shouldStop: @escaping @Sendable () -> Bool
    ) async throws -> (first: Report, second: Report, differences: ItemDifferences) {
        let items = SortedItems(of: first.path)
        let one = try await BundleVerifier.verify(
            first, options: options, sink: items, progress: progress, shouldStop: shouldStop)
        items.isOfSecond = true
        let count = one.report.itemCount
        let two = try await BundleVerifier.verify(
            second, options: options, sink: items, progress: { progress(count + $0) }, shouldStop: shouldStop)
        var differences = try items.differences(limit: limit)
        if let left = one.header, let right = two.header { differences.hasSameHeader = left.bytes == right.bytes }
        if let left = one.manifest, let right = two.manifest { differences.hasSameManifest = left.hash == right.hash }
        return (one.report, two.report, differences)
    }
}

/// The items of two exports, sorted.
private final class SortedItems: ItemSink {
    var isOfSecond = false
    private var sorter: RowSorter
    private var failure: ArchiveError?
    private var row = ByteBuffer(capacity: 256)
    private var companion = ByteBuffer(capacity: 16)

    init(of path: Path) { sorter = RowSorter(of: path) }

    /// A row: the sample type, the identity, and the item hash, with their lengths in two bytes each, so that items
    /// of one identity stand together. What is of no sample is identified by its hash.
    func add(_ run: ItemRun, lines: Int?) {
        guard failure == nil else { return }
        do {
            for item in run.identities {
                row.removeAll()
                append(item.type)
                append(item.isOfSample ? item.identity : item.hash)
                row.append(copying: item.hash.span)
                companion.removeAll()
                companion.append(isOfSecond ? 1 : 0)
                let line = UInt64(lines.map { $0 + item.line + 1 } ?? 0)
                for shift in stride(from: 56, through: 0, by: -8) {
                    companion.append(UInt8(truncatingIfNeeded: line >> UInt64(shift)))
                }
                try sorter.add(row.span, companion: companion.span)
            }
        } catch {
            failure = error
        }
    }

    private func append(_ text: [UInt8]?) {
        let text = text.map { Array($0.prefix(1 << 15)) }
        let count = text.map { $0.count + 1 } ?? 0
        row.append(UInt8(count >> 8))
        row.append(UInt8(count & 0xFF))
        if let text { row.append(copying: text.span) }
    }

    func differences(limit: Int) throws(ArchiveError) -> ItemDifferences {
        if let failure { throw failure }
        var merge = try RowMerge(sorter.finish())
        var meeting = ItemMeeting(limit: limit)
        while try merge.next(into: &row, companion: &companion) { meeting.add(row.array, companion.array) }
        return meeting.finish()
    }
}

/// Meets the sorted items of two exports.
private struct ItemMeeting {
    private var differences = ItemDifferences()
    private let limit: Int
    /// Type and identity of the items that are being met.
    private var key: [UInt8] = []
    private var hash: [UInt8] = []
    /// Lines of the items of one hash, of both sides, as long as the other side may have the same item.
    private var open = [Lines(), Lines()]
    /// Those that the other side does not have.
    private var left = [Lines(), Lines()]

    /// So many lines, of which the first are kept.
    private struct Lines {
        var count = 0
        var first: [Int64] = []
    }

    init(limit: Int) { self.limit = limit }

    mutating func add(_ row: [UInt8], _ companion: [UInt8]) {
        let border = row.count - 64
        if !row[..<border].elementsEqual(key) {
            endIdentity()
            key = Array(row[..<border])
        }
        if !row[border...].elementsEqual(hash) {
            endHash()
            hash = Array(row[border...])
        }
        var line: Int64 = 0
        for index in 1..<companion.count { line = line << 8 | Int64(companion[index]) }
        let side = Int(companion[0])
        open[side].count += 1
        if open[side].first.count < limit { open[side].first.append(line) }
    }

    mutating func finish() -> ItemDifferences {
        endIdentity()
        return differences
    }

    private mutating func endHash() {
        let same = min(open[0].count, open[1].count)
        differences.sameCount += same
        for side in 0...1 {
            left[side].count += open[side].count - same
            left[side].first += open[side].first.dropFirst(same).prefix(max(0, limit - left[side].first.count))
            open[side] = Lines()
        }
    }

    private mutating func endIdentity() {
        endHash()
        hash = []
        let changed = min(left[0].count, left[1].count)
        add(.changed, changed, left[0].first.prefix(changed), left[1].first.prefix(changed))
        add(.removed, left[0].count - changed, left[0].first.dropFirst(changed), [])
        add(.added, left[1].count - changed, [], left[1].first.dropFirst(changed))
        left = [Lines(), Lines()]
    }

    private mutating func add(
        _ kind: ItemDifferences.Kind, _ count: Int, _ lines: ArraySlice<Int64>, _ others: ArraySlice<Int64>
    ) {
        guard count > 0 else { return }
        differences.counts[kind, default: 0] += count
        for index in 0..<max(lines.count, others.count) where differences.listed.count < limit {
            var difference = ItemDifferences.Difference(kind: kind, sampleType: sampleType)
            difference.line = Self.line(lines, index)
            difference.otherLine = Self.line(others, index)
            differences.listed.append(difference)
        }
    }

    /// A line of a side; nil where it has none, or lines have no numbers.
    private static func line(_ lines: ArraySlice<Int64>, _ index: Int) -> Int64? {
        let place = lines.startIndex + index
        guard place < lines.endIndex, lines[place] > 0 else { return nil }
        return lines[place]
    }

    private var sampleType: String? {
        let count = Int(key[0]) << 8 | Int(key[1])
        return count == 0 ? nil : String(decoding: key[2..<count + 1], as: UTF8.self)
    }
}
