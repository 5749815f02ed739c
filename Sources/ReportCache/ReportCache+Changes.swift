public import Archive
public import Changes
internal import Manifest
internal import SQLite

extension ReportCache {
    /// The changes of a sample type between two observations.
    public struct Changes: Sendable {
        /// The identifier; nil for types without one.
        public let type: String?
        public let appeared, disappeared, representationChanged: Int64
        /// Relationships of its records that appeared, changed, and are no longer seen.
        public let linksAppeared, linksChanged, linksDisappeared: Int64
        /// `true` if a window looks like a consolidation.
        public let isConsolidationLikely: Bool
        /// Why windows are uncertain, sorted.
        public let reasons: [String]
    }

    /// Returns the changes between each pair of observations, by type. They come from the cache if it is current, has
    /// every pair as one of neighbours, and is made of what the archive has. Otherwise they come from the archive.
    ///
    /// - Complexity: from the cache, in proportion to the rows; from the archive, that of `Archive.changeSummary`.
    public static func changes(of pairs: [(from: Int64, to: Int64)], in archive: borrowing Archive)
        throws(ArchiveError) -> (byPair: [[Changes]], isCached: Bool)
    {
        if case .current = try status(of: archive), let cache = try CacheReading.open(beside: archive) {
            let neighbours = try archive.neighbours()
            var found: [[Changes]] = []
            for (from, to) in pairs {
                guard neighbours.contains(where: { $0 == (from, to) }),
                    let rows = try changes(from, to, cache, hash: NeighbourRows.hash(from, to, archive))
                else { break }
                found.append(rows)
            }
            if found.count == pairs.count { return (found, true) }
        }
        var found: [[Changes]] = []
        for (from, to) in pairs {
            let scope = Scope(changesFrom: from, to: to, kinds: nil, labels: nil, filter: Filter())
            found.append(try archive.changeSummary(of: scope).map { Changes($0) })
        }
        return (found, false)
    }

    /// Returns the rows of a pair; `nil` if one was made of something else.
    private static func changes(_ from: Int64, _ to: Int64, _ cache: borrowing CacheReading, hash: String)
        throws(ArchiveError) -> [Changes]?
    {
        var rows = try cache.connection.prepare(
            "SELECT sampleTypeIdentifier, appearedCount, disappearedCount, representationChangedCount, "
                + "consolidationLikely, uncertaintyReason, sourceAggregateHash, fromObservationID, "
                + "relationshipAppearedCount, relationshipChangedCount, relationshipDisappearedCount "
                + "FROM CachedDiffSummary WHERE toObservationID IS ?1 ORDER BY rowid")
        rows.bind(1, to)
        var found: [Changes] = []
        while try rows.step() {
            guard rows.text(6) == hash, rows.integer(7) == from else { return nil }
            found.append(
                Changes(
                    type: rows.text(0), appeared: rows.integer(1) ?? 0, disappeared: rows.integer(2) ?? 0,
                    representationChanged: rows.integer(3) ?? 0, linksAppeared: rows.integer(8) ?? 0,
                    linksChanged: rows.integer(9) ?? 0, linksDisappeared: rows.integer(10) ?? 0,
                    isConsolidationLikely: rows.integer(4) == 1,
                    reasons: (rows.text(5) ?? "").split(separator: " ").map(String.init)))
        }
        return found
    }
}

extension ReportCache.Changes {
    /// Creates the changes from those of the archive.
    public init(_ changes: TypeChanges) {
        self.init(
            type: changes.type, appeared: Int64(changes.appeared), disappeared: Int64(changes.disappeared),
            representationChanged: Int64(changes.representationChanged),
            linksAppeared: Int64(changes.links.appeared), linksChanged: Int64(changes.links.changed),
            linksDisappeared: Int64(changes.links.disappeared), isConsolidationLikely: changes.isConsolidationLikely,
            reasons: changes.reasons.map(\.rawValue).sorted())
    }
}
