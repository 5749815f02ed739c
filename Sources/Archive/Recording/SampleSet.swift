internal import Manifest

/// A set of sample ids, or of the samples of a type that have something in common, that need not fit into memory: a temporary table.
///
/// What a transaction that is undone inserted is gone from the table, too.
struct SampleSet: ~Copyable {
    /// How many were inserted and not removed again.
    private(set) var count = 0
    private var insertion: Statement
    private var lookup: Statement
    private var removal: Statement

    /// An empty set under a name of its own.
    static func make(_ name: String, _ connection: borrowing Connection) throws(ArchiveError) -> SampleSet {
        try connection.execute("DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name)(sample_id INTEGER PRIMARY KEY)")
        return SampleSet(
            insertion: try connection.prepare("INSERT OR IGNORE INTO temp.\(name) VALUES (?1)"), lookup: try connection.prepare("SELECT 1 FROM temp.\(name) WHERE sample_id = ?1"),
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

    /// Whether a sample is there. O(log n); at once where nothing is.
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

/// A number for each fingerprint, 0 where none was set: a temporary table.
struct FingerprintNumbers: ~Copyable {
    private var lookup: Statement
    private var assignment: Statement

    /// An empty table under a name of its own.
    static func make(_ name: String, _ connection: borrowing Connection) throws(ArchiveError) -> FingerprintNumbers {
        try connection.execute("DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name)(fingerprint TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        return FingerprintNumbers(
            lookup: try connection.prepare("SELECT number FROM temp.\(name) WHERE fingerprint = ?1"),
            assignment: try connection.prepare("INSERT INTO temp.\(name) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET number = excluded.number"))
    }

    private init(lookup: consuming Statement, assignment: consuming Statement) {
        self.lookup = lookup
        self.assignment = assignment
    }

    /// The number of a fingerprint.
    mutating func number(of fingerprint: Digest) throws(ArchiveError) -> Int {
        lookup.bind(1, hex: fingerprint)
        return Int(try lookup.firstInteger() ?? 0)
    }

    /// Sets the number of a fingerprint.
    mutating func set(_ number: Int, for fingerprint: Digest) throws(ArchiveError) {
        assignment.bind(1, hex: fingerprint)
        assignment.bind(2, Int64(number))
        try assignment.run()
    }
}
