/// The report cache: figures of an archive that screens show, in a second SQLite file beside it (`Spec/cache.md`).
///
///     CacheEntity    what each table has, as a query of the archive
///     CacheReading   what a cache file holds; one that is no cache of ours is damaged
///     CacheState     what a cache was made of, and what the archive has now
///     CacheBuilder   a new file, or a copy of the old one with the rows of some observations made anew
///
/// Everything in it is derived: deleting it loses nothing, and where it and the archive disagree, the archive is right.

public import Archive
internal import Files
internal import Manifest
internal import SQLite

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

    /// What is known of a cache.
    public enum Status: Sendable, Equatable {
        case absent
        /// Nothing that was looked at differs from the archive.
        case current(buildID: String)
        case outdated([Reason])
    }

    /// What a rebuild did.
    public struct Report: Sendable {
        /// Whether every row was made anew.
        public let isWhole: Bool
        /// Why; nothing where it was asked for, or there was no cache.
        public let reasons: [Reason]
        /// Rows by entity.
        public let rows: [(entity: String, count: Int)]
        /// Observations whose rows were made anew.
        public let observationCount: Int
        /// What the build is called.
        public let buildID: String
    }

    /// Looks whether a cache can be used: what it was made of, and all rows of the newest observations and of a few
    /// others.
    ///
    /// - Parameter archive: opened for reading.
    /// - Complexity: in proportion to the rows of a few observations.
    public static func status(of archive: borrowing Archive) throws(ArchiveError) -> Status {
        guard FileStatus.exists(Archive.cachePath(of: archive.file)) else { return .absent }
        guard let cache = try CacheReading.open(beside: archive) else { return .outdated([.damaged]) }
        let reasons = try CacheState.reasons(cache, archive)
        return reasons.isEmpty ? .current(buildID: cache.state["build_id"] ?? "") : .outdated(reasons)
    }

    /// What an observation's summaries count.
    public struct Counts: Sendable {
        /// Records.
        public let visible, appeared, disappeared, representationChanged: Int64
    }

    /// The counts of all observations by id: from the cache where it is current, else from the archive.
    public static func counts(of archive: borrowing Archive) throws(ArchiveError) -> (
        byObservation: [Int64: Counts], isCached: Bool
    ) {
        var found: [Int64: Counts] = [:]
        func take(_ rows: inout Statement) throws(ArchiveError) {
            while try rows.step() {
                let values = (0..<5).map { rows.integer(Int32($0)) ?? 0 }
                found[values[0]] = Counts(
                    visible: values[1], appeared: values[2], disappeared: values[3], representationChanged: values[4])
            }
        }
        if case .current = try status(of: archive), let cache = try CacheReading.open(beside: archive) {
            var rows = try cache.connection.prepare(
                "SELECT observationID, visibleRecordCount, appearedCount, disappearedCount, "
                    + "representationChangedCount FROM CachedObservationRow")
            try take(&rows)
            return (found, true)
        }
        var rows = try archive.connection.prepare(
            """
            SELECT observation_id, sum(visible_record_count), sum(appeared_count), sum(disappeared_count), \
            sum(representation_changed_count) FROM observation_type_summaries GROUP BY observation_id
            """)
        try take(&rows)
        return (found, false)
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
