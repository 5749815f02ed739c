internal import Archive
internal import SQLite

/// A set of sample ids, or of the samples of a type that have something in common, that need not fit into memory: a
/// temporary table.
///
/// What a transaction that is undone inserted is gone from the table, too.
struct SampleSet: ~Copyable {
    /// The number of samples that were inserted and not removed again.
    private(set) var count = 0
    private var insertion: Statement
    private var lookup: Statement
    private var removal: Statement

    /// Creates an empty set under a name of its own.
    static func make(_ name: String, _ connection: borrowing Connection) throws(ArchiveError) -> SampleSet {
        try connection.execute(
            "DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name)(sample_id INTEGER PRIMARY KEY)")
        return SampleSet(
            insertion: try connection.prepare("INSERT OR IGNORE INTO temp.\(name) VALUES (?1)"),
            lookup: try connection.prepare("SELECT 1 FROM temp.\(name) WHERE sample_id = ?1"),
            removal: try connection.prepare("DELETE FROM temp.\(name) WHERE sample_id = ?1"))
    }

    private init(insertion: consuming Statement, lookup: consuming Statement, removal: consuming Statement) {
        self.insertion = insertion
        self.lookup = lookup
        self.removal = removal
    }

    /// Inserts a sample; false where it was there. O(log n).
    mutating func insert(_ sample: Int64) throws(ArchiveError) -> Bool {
        insertion.bind(1, sample)
        try insertion.run()
        guard insertion.changes > 0 else { return false }
        count += 1
        return true
    }

    /// Returns `true` if a sample is in the set. O(log n); at once if the set is empty.
    mutating func contains(_ sample: Int64) throws(ArchiveError) -> Bool {
        guard count > 0 else { return false }
        lookup.bind(1, sample)
        return try lookup.firstInteger() != nil
    }

    /// Removes a sample; false where it was not there. O(log n); at once where nothing is.
    mutating func remove(_ sample: Int64) throws(ArchiveError) -> Bool {
        guard count > 0 else { return false }
        removal.bind(1, sample)
        try removal.run()
        guard removal.changes > 0 else { return false }
        count -= 1
        return true
    }
}
