internal import Archive
internal import Changes
internal import Manifest
internal import SQLite

/// The rows of `CachedDiffSummary`: what changed from one finished observation of a chain to the next.
enum NeighbourRows {
    /// Returns the hash of what a pair's rows are made of.
    static func hash(_ from: Int64, _ to: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        let hashes = try CacheState.sourceHash(of: from, archive) + CacheState.sourceHash(of: to, archive)
        return SHA256.digest(of: Array(hashes.utf8).span).hex
    }

    /// Returns the derived fields of a pair's rows, a row for each type with a change.
    static func of(_ from: Int64, _ to: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> [[Parameter]] {
        let scope = Scope(changesFrom: from, to: to, kinds: nil, labels: nil, filter: Filter())
        let version = Parameter(try archive.connection.integer("SELECT max(version) FROM schema_migrations"))
        return try archive.changeSummary(of: scope).map { type in
            [
                .integer(from), .integer(to), type.type.map { .text($0) } ?? .null, .integer(Int64(type.appeared)),
                .integer(Int64(type.disappeared)), .integer(Int64(type.representationChanged)),
                .integer(type.isConsolidationLikely ? 1 : 0),
                type.reasons.isEmpty ? .null : .text(type.reasons.map(\.rawValue).sorted().joined(separator: " ")),
                .integer(Int64(type.links.appeared)), .integer(Int64(type.links.changed)),
                .integer(Int64(type.links.disappeared)), version,
            ]
        }
    }
}
