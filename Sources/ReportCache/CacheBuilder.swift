internal import Archive
internal import Files
internal import Manifest
internal import SQLite

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
        var counts: [(String, Int)] = []
        let pairs = try archive.neighbours()
        let wanted = Set(observations)
        for entity in CacheEntity.allCases {
            var insert = try connection.prepare(entity.insert)
            var count = 0
            if entity == .health {
                try add(CacheState.health(archive).row, nil, &insert, &count)
            } else if entity == .diffSummary {
                for (from, to) in pairs where wanted.contains(to) {
                    try checkStop(archive)
                    let hash = try NeighbourRows.hash(from, to, archive)
                    for row in try NeighbourRows.of(from, to, archive) { try add(row, hash, &insert, &count) }
                }
            } else if let source = entity.source {
                for id in entity.index == nil ? [nil] : observations.map({ Optional($0) }) {
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
        try note(CacheState.now(archive))
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
            guard entity.index != nil else {
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
