internal import Archive
internal import SQLite

/// The rows of `CachedDiffSummary`: what changed from one finished observation of a chain to the next.
enum NeighbourRows {
    /// Neighbouring observations, by the later one.
    static func pairs(_ archive: borrowing Archive) throws(ArchiveError) -> [(from: Int64, to: Int64)] {
        var rows = try archive.connection.prepare(
            """
            SELECT previous, id FROM (SELECT id, lag(id) OVER (PARTITION BY device_chain_id ORDER BY id) AS previous \
            FROM observations WHERE \(Archive.isFinished)) WHERE previous IS NOT NULL ORDER BY id
            """)
        var pairs: [(Int64, Int64)] = []
        while try rows.step() {
            if let from = rows.integer(0), let to = rows.integer(1) { pairs.append((from, to)) }
        }
        return pairs
    }

    /// The derived fields of a pair's rows, a row for each type with a change.
    static func of(_ from: Int64, _ to: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> [[Parameter]] {
        let scope = Scope(changesFrom: from, to: to, kinds: nil, labels: nil, filter: Filter())
        return try archive.changeSummary(of: scope).map { type in
            [
                .integer(from), .integer(to), type.type.map { .text($0) } ?? .null, .integer(Int64(type.appeared)),
                .integer(Int64(type.disappeared)), .integer(Int64(type.representationChanged)),
                .integer(type.isConsolidationLikely ? 1 : 0),
                type.reasons.isEmpty ? .null : .text(type.reasons.map(\.rawValue).sorted().joined(separator: " ")),
            ]
        }
    }
}
