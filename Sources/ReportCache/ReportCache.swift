public import Archive
internal import Files
internal import Manifest
internal import SQLite

/// The report cache: figures of an archive that screens show, in a second SQLite file beside it (`Spec/cache.md`).
///
///     CacheEntity    what each table has, as a query of the archive
///     CacheReading   what a cache file holds; one that is no cache of ours is damaged
///     CacheState     what a cache was made of, and what the archive has now
///     CacheBuilder   a new file, or a copy of the old one with the rows of some observations made anew
///
/// Everything in it is derived: deleting it loses nothing, and where it and the archive disagree, the archive is right.

/// The cache beside an archive.
public enum ReportCache {
    /// The version of its tables.
    public static let schemaVersion: Int64 = 1

    /// Why a cache is not used (seed 003, section 4, and what befalls a file).
    public enum Reason: String, Sendable, CaseIterable {
        case aggregates
        case archiveReset = "archive_reset"
        case archiveSchemaVersion = "archive_schema_version"
        case cacheSchemaVersion = "cache_schema_version"
        case damaged
        case exports
        case health
        case observations
        case types
    }

    /// The state of a cache, as far as it is known.
    public enum Status: Sendable, Equatable {
        case absent
        /// Nothing that was looked at differs from the archive.
        case current(buildID: String)
        case outdated([Reason])
    }

    /// The result of a rebuild.
    public struct Report: Sendable {
        /// `true` if every row was made again.
        public let isWhole: Bool
        /// Why; nothing where it was asked for, or there was no cache.
        public let reasons: [Reason]
        /// Rows by entity.
        public let rows: [(entity: String, count: Int)]
        /// Observations whose rows were made anew.
        public let observationCount: Int
        /// The name of the build.
        public let buildID: String
    }

    /// Looks whether a cache can be used: what it was made of, whether its rows are those that were written, and
    /// whether those of the newest observations and of a few others are what the archive gives.
    ///
    /// - Parameter archive: opened for reading.
    /// - Complexity: one pass over the cache, and one over the summaries and runs of the archive.
    public static func status(of archive: borrowing Archive) throws(ArchiveError) -> Status {
        guard FileStatus.exists(Archive.cachePath(of: archive.file)) else { return .absent }
        guard let cache = try CacheReading.open(beside: archive) else { return .outdated([.damaged]) }
        let reasons = try CacheState.reasons(cache, archive)
        return reasons.isEmpty ? .current(buildID: cache.state["build_id"] ?? "") : .outdated(reasons)
    }

    /// Compares all rows with the archive.
    ///
    /// - Returns: the tables that differ; nil where there is no cache. A damaged one differs in all.
    /// - Complexity: one pass over the aggregates, and one over the changes of neighbouring observations.
    public static func differences(from archive: borrowing Archive) throws(ArchiveError) -> [String]? {
        guard FileStatus.exists(Archive.cachePath(of: archive.file)) else { return nil }
        guard let cache = try CacheReading.open(beside: archive) else { return CacheEntity.allCases.map(\.rawValue) }
        return try CacheState.differences(cache, archive)
    }

    /// Makes a cache, or brings one up to date: the rows of observations that are new or have other aggregates, and
    /// of exports and health. Where it was made of something else, or is asked for, every row is made anew.
    ///
    /// The file appears complete or not at all. The archive is only read.
    ///
    /// - Parameter now: Unix seconds.
    /// - Complexity: one pass over the aggregates and changes of the observations whose rows are made; memory does not
    ///   grow with them.
    public static func rebuild(_ archive: borrowing Archive, isWhole: Bool, now: Double) throws(ArchiveError) -> Report
    {
        try CacheBuilder.run(archive, isWhole: isWhole, now: now)
    }

    /// Removes the cache; false where there is none.
    public static func drop(_ archive: borrowing Archive) throws(ArchiveError) -> Bool {
        let path = Archive.cachePath(of: archive.file)
        guard FileStatus.exists(path) else { return false }
        try ArchiveError.storing { () throws(FileError) in try remove(path) }
        return true
    }
}

/// Writes a cache: a new file, or a copy of the old one in which the rows of some observations are made anew. It gets
/// its name when it is complete.
struct CacheBuilder: ~Copyable {
    private let connection: Connection
    private let buildID: String
    private let now: Double

    static func run(_ archive: borrowing Archive, isWhole: Bool, now: Double) throws(ArchiveError)
        -> ReportCache.Report
    {
        let path = Archive.cachePath(of: archive.file)
        let status = try ReportCache.status(of: archive)
        var reasons: [ReportCache.Reason] = []
        if case .outdated(let found) = status { reasons = found }
        let keeps = !isWhole && status != .absent && Set(reasons).isSubset(of: [.observations, .exports, .health])
        try ArchiveError.storing { () throws(FileError) in try PendingFile.removeAbandoned(destination: path) }
        var file = try ArchiveError.storing { () throws(FileError) in
            try PendingFile(destination: path, token: PendingFile.token(of: 0))
        }
        if keeps { try ArchiveError.storing { () throws(FileError) in try copy(path, to: &file) } }
        let affected = keeps ? try affected(archive) : try CacheState.observations(archive)
        let digest = SHA256.digest(of: Array("\(now) \(UInt64.random(in: .min ... .max))".utf8).span)
        let rows: [(String, Int)]
        do {
            let connection = try Connection.open(file.temporary, named: path, mode: .readWrite, wait: LockWait())
            try connection.execute(
                "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
            let builder = CacheBuilder(
                connection: connection, buildID: String(digest.hex.prefix(32)), now: now)
            if !keeps { for sql in CacheReading.schema { try builder.connection.execute(sql) } }
            rows = try builder.build(archive, affected, keeps: keeps)
        }
        try ArchiveError.storing { () throws(FileError) in
            try file.synchronize()
            try file.publish(replacing: true)
        }
        return ReportCache.Report(
            isWhole: !keeps, reasons: reasons, rows: rows, observationCount: affected.count,
            buildID: String(digest.hex.prefix(32)))
    }

    private static func copy(_ path: Path, to file: inout PendingFile) throws(FileError) {
        let source = try Descriptor.reading(path)
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let count = try source.read(into: &piece, at: offset, count: piece.count)
            if count == 0 { return }
            try file.write(piece.span.extracting(first: count))
            offset += Int64(count)
        }
    }

    /// Observations that are new, gone, or have other aggregates than their rows were made of; and the next of the
    /// chain after each of these, whose changes are against it, or were.
    private static func affected(_ archive: borrowing Archive) throws(ArchiveError) -> [Int64] {
        guard let cache = try CacheReading.open(beside: archive) else { return [] }
        let all = try CacheState.observations(archive)
        var changed: Set<Int64> = []
        for id in all where try cache.sourceHash(of: id) != CacheState.sourceHash(of: id, archive) {
            changed.insert(id)
        }
        var rows = try cache.connection.prepare("SELECT observationID FROM CachedObservationRow")
        let known = Set(all)
        var gone: [Int64] = []
        while try rows.step() { if let id = rows.integer(0), !known.contains(id) { gone.append(id) } }
        var affected = changed.union(gone)
        // Of which chain one was that is gone is not known: whoever stands next after it is made anew.
        for (from, to) in try archive.neighbours()
        where changed.contains(from) || gone.contains(where: { from < $0 && $0 < to }) {
            affected.insert(to)
        }
        return affected.sorted()
    }

    // MARK: Rows

    private func build(_ archive: borrowing Archive, _ observations: [Int64], keeps: Bool) throws(ArchiveError)
        -> [(String, Int)]
    {
        if keeps { try forget(observations) }
        try CacheSources.prepare(archive)
        let hasFacts = try Schema.hasCaptureFacts(archive.connection)
        var counts: [(String, Int)] = []
        let pairs = try archive.neighbours()
        let wanted = Set(observations)
        for entity in CacheEntity.allCases {
            var insert = try connection.prepare(entity.insert)
            var count = 0
            if entity == .health {
                try add(CacheState.health(archive), nil, &insert, &count)
            } else if entity == .diffSummary {
                for (from, to) in pairs where wanted.contains(to) {
                    try checkStop(archive)
                    let hash = try NeighbourRows.hash(from, to, archive)
                    for row in try NeighbourRows.of(from, to, archive) { try add(row, hash, &insert, &count) }
                }
            } else if let source = entity.source(hasFacts: hasFacts) {
                // What is visible at an observation depends on all before it.
                let ids = entity == .observation ? try CacheState.observations(archive) : observations
                for id in entity.index == nil ? [nil] : ids.map({ Optional($0) }) {
                    try checkStop(archive)
                    var rows = try archive.connection.prepare(source)
                    if let id { rows.bind(1, id) }
                    let hash = try id.map { id throws(ArchiveError) in try CacheState.sourceHash(of: id, archive) }
                    while try rows.step() {
                        try add(rows.parameters(entity.fields.count), hash, &insert, &count)
                    }
                }
            }
            counts.append((entity.rawValue, count))
        }
        var state = try CacheState.now(archive)
        for entity in CacheEntity.allCases { state[entity.rawValue] = try CacheState.hash(of: entity, in: connection) }
        try note(state)
        try connection.commit()
        return counts
    }

    private func checkStop(_ archive: borrowing Archive) throws(ArchiveError) {
        if archive.isAskedToStop { throw ArchiveError(.interrupted, "stopped; the cache is as it was") }
    }

    private func add(_ row: [Parameter], _ hash: String?, _ insert: inout Statement, _ count: inout Int)
        throws(ArchiveError)
    {
        try insert.run(
            row + [
                .integer(ReportCache.schemaVersion), .text(buildID), hash.map { .text($0) } ?? .null, .real(now),
            ])
        count += 1
    }

    /// Removes the rows that are made anew.
    private func forget(_ observations: [Int64]) throws(ArchiveError) {
        for entity in CacheEntity.allCases {
            guard entity.index != nil, entity != .observation else {
                try connection.execute("DELETE FROM \(entity.rawValue)")
                continue
            }
            let key = entity == .diffSummary ? "toObservationID" : "observationID"
            var delete = try connection.prepare("DELETE FROM \(entity.rawValue) WHERE \(key) IS ?1")
            for id in observations { try delete.run([.integer(id)]) }
        }
    }

    private func note(_ state: [String: String]) throws(ArchiveError) {
        var insert = try connection.prepare("INSERT OR REPLACE INTO CacheState VALUES (?1, ?2)")
        for (name, value) in state.merging(["build_id": buildID], uniquingKeysWith: { $1 }).sorted(by: {
            $0.key < $1.key
        }) {
            try insert.run([.text(name), .text(value)])
        }
    }
}
