internal import Archive
internal import Bytes
public import Files
public import Verification

/// The differences of two exports, item by item.
public struct ItemDifferences: Sendable {
    /// The kind of a difference of an item.
    public enum Kind: String, Sendable {
        case added, changed, removed
    }

    /// An item that is not the same in both.
    public struct Difference: Sendable {
        public let kind: Kind
        /// nil where the item has none.
        public let sampleType: String?
        /// Its line in the first file; nil where it is added, or lines have no numbers.
        public let line: Int64?
        /// Its line in the second.
        public let otherLine: Int64?
    }

    /// The first of them, by sample type and identity.
    public internal(set) var listed: [Difference] = []
    /// The number of differences of each kind.
    public internal(set) var counts: [Kind: Int] = [:]
    /// Items that both have.
    public internal(set) var sameCount = 0
    /// `true` if the headers have the same content; `nil` if one of them could not be read.
    public internal(set) var hasSameHeader: Bool?
    /// `true` if the manifests have the same hash; `nil` if one of them could not be read.
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
        let items = ItemsOfTwo(of: first.path)
        let wants = ItemWants(identities: true)
        let one = try await BundleVerifier.read(
            first, options: options, sink: items, wanting: wants, progress: progress, shouldStop: shouldStop)
        items.side = .right
        let count = one.report.itemCount
        let two = try await BundleVerifier.read(
            second, options: options, sink: items, wanting: wants, progress: { progress(count + $0) },
            shouldStop: shouldStop)
        var differences = try items.differences(limit: limit)
        if let left = one.header, let right = two.header { differences.hasSameHeader = left.bytes == right.bytes }
        if let left = one.manifest, let right = two.manifest { differences.hasSameManifest = left.hash == right.hash }
        return (one.report, two.report, differences)
    }
}

/// The items of two exports, which are met by sample type and identity.
private final class ItemsOfTwo: ItemSink {
    var side = ItemDiffer.Side.left
    private let differ: ItemDiffer
    private var failure: ArchiveError?

    init(of path: Path) { differ = ItemDiffer(of: path) }

    /// Adds a run. A key is the sample type and the identity, with their lengths in two bytes each. What is of no
    /// sample is identified by its hash.
    func add(_ run: ItemRun, lines: Int?) {
        guard failure == nil else { return }
        var key = ByteBuffer(capacity: 256)
        do throws(ArchiveError) {
            for item in run.identities {
                key.removeAll()
                Self.append(item.type, to: &key)
                Self.append(item.isOfSample ? item.identity : item.hash, to: &key)
                let line = Int64(lines.map { $0 + item.line + 1 } ?? 0)
                try differ.add(side, key: key.span, hash: item.hash.span, ItemDiffer.Place(line))
            }
        } catch {
            failure = error
        }
    }

    private static func append(_ text: [UInt8]?, to key: inout ByteBuffer) {
        let text = text.map { Array($0.prefix(1 << 15)) }
        key.append(bigEndian: UInt64(text.map { $0.count + 1 } ?? 0), count: 2)
        if let text { key.append(copying: text.span) }
    }

    func differences(limit: Int) throws(ArchiveError) -> ItemDifferences {
        if let failure { throw failure }
        var differences = ItemDifferences()
        let sameCount = try differ.finish(limit: limit) { found in
            let kind: ItemDifferences.Kind =
                switch found.kind {
                case .leftOnly: .removed
                case .rightOnly: .added
                case .changed: .changed
                }
            differences.counts[kind, default: 0] += 1
            guard differences.listed.count < limit else { return }
            // Lines without a number are 0.
            func line(_ item: ItemDiffer.Item?) -> Int64? { item.flatMap { $0.place.first > 0 ? $0.place.first : nil } }
            differences.listed.append(
                ItemDifferences.Difference(
                    kind: kind, sampleType: Self.sampleType(of: found.key), line: line(found.left),
                    otherLine: line(found.right)))
        }
        differences.sameCount = sameCount
        return differences
    }

    private static func sampleType(of key: [UInt8]) -> String? {
        let count = Int(key[0]) << 8 | Int(key[1])
        return count == 0 ? nil : String(decoding: key[2..<count + 1], as: UTF8.self)
    }
}
