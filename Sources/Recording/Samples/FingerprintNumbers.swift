internal import Archive
internal import Manifest
internal import SQLite

/// A number for each fingerprint, 0 where none was set: a temporary table.
struct FingerprintNumbers: ~Copyable {
    private var lookup: Statement
    private var assignment: Statement

    /// An empty table under a name of its own.
    static func make(_ name: String, _ connection: borrowing Connection) throws(ArchiveError) -> FingerprintNumbers {
        try connection.execute(
            "DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name)(fingerprint TEXT "
                + "PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        return FingerprintNumbers(
            lookup: try connection.prepare("SELECT number FROM temp.\(name) WHERE fingerprint = ?1"),
            assignment: try connection.prepare(
                "INSERT INTO temp.\(name) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET number = excluded.number"))
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
