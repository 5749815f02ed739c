internal import Archive
internal import Files
internal import Manifest
internal import SQLite

/// The state from which a cache is made, and its differences from the archive.
enum CacheState {
    /// Returns the state of an archive now: names and values of the table `CacheState`, except the build.
    static func now(_ archive: borrowing Archive) throws(ArchiveError) -> [String: String] {
        let archiveSchema = try archive.connection.integer("SELECT max(version) FROM schema_migrations").map {
            String($0)
        }
        return [
            "archive": try identity(archive), "archive_schema_version": archiveSchema ?? "",
            "cache_schema_version": String(ReportCache.schemaVersion),
            "aggregates": try hash(aggregates, archive), "repairs": try repairs(archive),
            "exports": try text("SELECT count(*) || ' ' || coalesce(max(id), 0) FROM export_manifests", archive),
            "health": try archive.lastCheck().map { String($0.id) } ?? "",
            "observations": try text("SELECT count(*) || ' ' || coalesce(max(id), 0) FROM observations", archive),
            "types": try hash(
                "SELECT id, type_identifier, category, display_name FROM sample_types ORDER BY id", archive),
        ]
    }

    /// The sources of counts and labels: each summary, and the statement of each run about its type.
    private static let aggregates = """
        SELECT 's', observation_id, sample_type_id, aggregate_hash FROM observation_type_summaries
        UNION ALL SELECT 'r', observation_id, sample_type_id, status || ' ' || coalesce(error_kind, '')
            FROM observation_type_runs
        UNION ALL SELECT 'd', count(*), max(rowid), NULL FROM daily_type_aggregates ORDER BY 1, 2, 3, 4
        """

    /// Returns the newest repair that the context log names: its row id.
    private static func repairs(_ archive: borrowing Archive) throws(ArchiveError) -> String {
        guard try Schema.hasContextLog(archive.connection) else { return "" }
        return try text("SELECT max(id) FROM context_log WHERE event_kind = 'repaired'", archive)
    }

    private static func text(_ sql: String, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        try archive.connection.text(sql) ?? ""
    }

    /// Returns the identity of the history; of an archive that is not sealed, a hash of its chains and its first
    /// observation.
    private static func identity(_ archive: borrowing Archive) throws(ArchiveError) -> String {
        if let head = try archive.historyHead() { return head.archive.hex }
        return try hash(
            "SELECT id, started_at, observed_at, device_chain_id FROM observations ORDER BY id LIMIT 1", archive)
    }

    /// Returns the SHA-256 over the values of a query's rows, each as text with a LF, NULL as `-`.
    private static func hash(_ sql: String, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        var rows = try archive.connection.prepare(sql)
        var hash = SHA256()
        while try rows.step() { update(&hash, rows) }
        return hash.finish().hex
    }

    /// Returns the SHA-256 over the values of a row, each as text with a LF, NULL as `-`.
    static func hash(of row: borrowing Statement) -> String {
        var hash = SHA256()
        update(&hash, row)
        return hash.finish().hex
    }

    /// Returns the SHA-256 over the rows of a cache's table, in the order in which they were written.
    static func hash(of entity: CacheEntity, in connection: borrowing Connection) throws(ArchiveError) -> String {
        let names = (entity.fields.map(\.name) + ["sourceAggregateHash"]).joined(separator: ", ")
        var rows = try connection.prepare("SELECT \(names) FROM \(entity.rawValue) ORDER BY rowid")
        var hash = SHA256()
        while try rows.step() { update(&hash, rows) }
        return hash.finish().hex
    }

    private static func update(_ hash: inout SHA256, _ row: borrowing Statement) {
        for column in 0..<Int32(row.columnCount) {
            let bytes = row.isNull(column) ? [UInt8(ascii: "-")] : row.bytes(column)
            hash.update(bytes.span)
            let end = [UInt8(ascii: "\n")]
            hash.update(end.span)
        }
    }

    /// Returns the hash of what an observation's rows are made of: type and aggregate hash of each of its summaries,
    /// and what its runs state.
    static func sourceHash(of observation: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        var rows = try archive.connection.prepare(
            """
            SELECT 's', sample_type_id, aggregate_hash FROM observation_type_summaries WHERE observation_id = ?1
            UNION ALL SELECT 'r', sample_type_id, status || ' ' || coalesce(error_kind, '')
                FROM observation_type_runs WHERE observation_id = ?1 ORDER BY 1, 2, 3
            """)
        rows.bind(1, observation)
        var hash = SHA256()
        while try rows.step() { update(&hash, rows) }
        return hash.finish().hex
    }

    /// Returns the ids of all observations.
    static func observations(_ archive: borrowing Archive) throws(ArchiveError) -> [Int64] {
        var rows = try archive.connection.prepare(
            "SELECT id FROM observations WHERE typeof(id) = 'integer' ORDER BY id")
        var ids: [Int64] = []
        while try rows.step() { if let id = rows.integer(0) { ids.append(id) } }
        return ids
    }

    // MARK: Health

    /// Returns the fields of the one row on the newest check; all but the version are NULL without one.
    static func health(_ archive: borrowing Archive) throws(ArchiveError) -> [Parameter] {
        let version = Parameter(try archive.connection.integer("SELECT max(version) FROM schema_migrations"))
        guard let check = try archive.lastCheck() else { return [version, .null, .null, .null, .null] }
        func text(_ text: String?) -> Parameter { text.map { .text($0) } ?? .null }
        let row = [version, check.loggedAt.map { .real($0) } ?? .null, text(check.result)]
        guard !check.isGood else { return row + [.null, .null] }
        return row + [text(check.degraded), text(SHA256.digest(of: check.detail.span).hex)]
    }

    // MARK: Comparing

    /// Observations that are looked at in each opening beside the newest two.
    private static let sampleSize = 6

    /// Returns the reasons why a cache cannot be used: the state from which it was made, and a sample of its rows.
    static func reasons(_ cache: borrowing CacheReading, _ archive: borrowing Archive) throws(ArchiveError)
        -> [ReportCache.Reason]
    {
        let now = try now(archive)
        try CacheSources.prepare(archive)
        let known: [(String, ReportCache.Reason)] = [
            ("archive", .archiveReset), ("archive_schema_version", .archiveSchemaVersion),
            ("cache_schema_version", .cacheSchemaVersion), ("exports", .exports), ("health", .health),
            ("observations", .observations), ("repairs", .aggregates), ("types", .types),
        ]
        let reasons = known.filter { now[$0.0] != cache.state[$0.0] }.map(\.1)
        guard reasons.isEmpty else { return reasons.sorted { $0.rawValue < $1.rawValue } }
        guard now["aggregates"] == cache.state["aggregates"] else { return [.aggregates] }
        // Only what was changed in the file itself differs from what was written.
        guard areRowsThere(cache) else { return [.damaged] }
        let all = try observations(archive)
        let others = all.dropLast(2).shuffled().prefix(sampleSize)
        for id in all.suffix(2) + others {
            guard try cache.sourceHash(of: id) == sourceHash(of: id, archive) else { return [.aggregates] }
            guard try areRowsEqual(of: id, cache, archive) else { return [.aggregates] }
        }
        return reasons
    }

    /// Returns `true` if the rows of a cache can be read and are those that were written.
    private static func areRowsThere(_ cache: borrowing CacheReading) -> Bool {
        CacheEntity.allCases.allSatisfy { entity in
            cache.state[entity.rawValue] == (try? hash(of: entity, in: cache.connection))
        }
    }

    /// Returns `true` if an observation's rows are those that the archive gives.
    private static func areRowsEqual(
        of id: Int64, _ cache: borrowing CacheReading, _ archive: borrowing Archive
    ) throws(ArchiveError) -> Bool {
        for entity in CacheEntity.allCases where entity.index != nil {
            guard let source = entity.source(hasFacts: try Schema.hasCaptureFacts(archive.connection)) else { continue }
            if try !areEqual(entity, entity.rows(ofObservation: true), source, id, cache, archive) { return false }
        }
        return true
    }

    private static func areEqual(
        _ entity: CacheEntity, _ cached: String, _ source: String, _ id: Int64?, _ cache: borrowing CacheReading,
        _ archive: borrowing Archive
    ) throws(ArchiveError) -> Bool {
        var ours = try cache.connection.prepare(cached), theirs = try archive.connection.prepare(source)
        if let id {
            ours.bind(1, id)
            theirs.bind(1, id)
        }
        let count = entity.fields.count
        while true {
            let (hasOurs, hasTheirs) = (try ours.step(), try theirs.step())
            guard hasOurs, hasTheirs else { return hasOurs == hasTheirs }
            if !haveEqualValues(ours.parameters(count), theirs.parameters(count)) { return false }
        }
    }

    /// Returns the tables whose rows are not those that the archive gives.
    static func differences(_ cache: borrowing CacheReading, _ archive: borrowing Archive) throws(ArchiveError)
        -> [String]
    {
        var wrong: Set<CacheEntity> = []
        try CacheSources.prepare(archive)
        let all = try observations(archive)
        for entity in CacheEntity.allCases {
            let cached = try cache.connection.integer("SELECT count(*) FROM \(entity.rawValue)") ?? 0
            var count: Int64 = 0
            if entity == .health {
                var row = try cache.connection.prepare(entity.rows(ofObservation: false))
                let expected = try health(archive)
                count = 1
                if try !row.step() || !haveEqualValues(row.parameters(entity.fields.count), expected) {
                    wrong.insert(entity)
                }
            } else if entity == .diffSummary {
                for (from, to) in try archive.neighbours() {
                    let rows = try NeighbourRows.of(from, to, archive)
                    count += Int64(rows.count)
                    var ours = try cache.connection.prepare(entity.rows(ofObservation: true))
                    ours.bind(1, to)
                    for row in rows {
                        let isThere = try ours.step()
                        if !isThere || !haveEqualValues(ours.parameters(entity.fields.count), row) {
                            wrong.insert(entity)
                        }
                    }
                }
            } else if let source = entity.source(hasFacts: try Schema.hasCaptureFacts(archive.connection)) {
                for id in entity.index == nil ? [nil] : all.map({ Optional($0) }) {
                    let rows = entity.rows(ofObservation: id != nil)
                    if try !areEqual(entity, rows, source, id, cache, archive) { wrong.insert(entity) }
                }
                continue
            }
            if cached != count { wrong.insert(entity) }
        }
        return CacheEntity.allCases.filter { wrong.contains($0) }.map(\.rawValue)
    }
}
