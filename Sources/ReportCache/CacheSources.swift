internal import Archive
internal import SQLite

/// The sources of a cache's rows that no query of the archive has as they are: temporary tables of its connection.
///
///     temp.cached_totals     what each observation comes to, as lists show it
///     temp.cached_sources    a hash for each source revision, by which days are told apart
enum CacheSources {
    /// Fills the tables.
    static func prepare(_ archive: borrowing Archive) throws(ArchiveError) {
        try archive.connection.execute(
            """
            DROP TABLE IF EXISTS temp.cached_totals; DROP TABLE IF EXISTS temp.cached_sources;
            CREATE TEMP TABLE cached_totals(observation_id INTEGER PRIMARY KEY, visible INTEGER, appeared INTEGER,
                disappeared INTEGER, representation_changed INTEGER, unknown_types INTEGER);
            CREATE TEMP TABLE cached_sources(source_revision_id INTEGER PRIMARY KEY, display_hash TEXT)
            """)
        var insert = try archive.connection.prepare("INSERT INTO temp.cached_totals VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        for (id, totals) in try archive.observationTotals() {
            try insert.run([
                .integer(id), totals.visible.map { .integer($0) } ?? .null, .integer(totals.appeared),
                .integer(totals.disappeared), .integer(totals.representationChanged),
                totals.unknownTypes.map { .integer($0) } ?? .null,
            ])
        }
        var revisions = try archive.connection.prepare(
            """
            SELECT r.id, c.source_name_hash, c.bundle_identifier, r.product_type, r.version, r.operating_system_version
            FROM source_revisions r LEFT JOIN sources c ON c.id = r.source_id WHERE typeof(r.id) = 'integer'
            """)
        var source = try archive.connection.prepare("INSERT OR IGNORE INTO temp.cached_sources VALUES (?1, ?2)")
        while try revisions.step() {
            try source.run([.integer(revisions.integer(0) ?? 0), .text(CacheState.hash(of: revisions))])
        }
    }
}
