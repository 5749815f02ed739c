internal import Pipeline
internal import SQLite
internal import Archive

/// Goes through what is visible at either observation, sample by sample: all of it, or slices of the samples.
protocol SlicedScan: ~Copyable, SendableMetatype {
    /// The result of the scan.
    associatedtype Found

    /// Binds the next slice, if one is left.
    mutating func take(_ slices: RowSlices) -> Bool

    /// Reads the rows of the statement.
    mutating func readRows() throws(ArchiveError)

    /// Returns the result, after the last row.
    mutating func finish() throws(ArchiveError) -> Found

    /// The result, once everything is read.
    var found: Result<Found, ArchiveError> { get set }
}

extension SlicedScan where Self: ~Copyable {
    /// Reads everything, or slices while there are any. `found` says how that went.
    mutating func read(_ slices: RowSlices?) {
        do throws(ArchiveError) {
            if let slices {
                while take(slices) { try readRows() }
            } else {
                try readRows()
            }
            found = .success(try finish())
        } catch {
            found = .failure(error)
        }
    }
}

/// Runs a scan on one connection, or two of them on two where that is worth it.
enum ScanRunner {
    /// Runs the scans, and returns the result of each.
    ///
    /// - Parameters:
    ///   - other: a second connection that sees the same archive.
    ///   - make: makes a scan of a connection; it says whether that reads slices.
    static func run<Scan: SlicedScan & ~Copyable>(
        _ connection: borrowing Connection, _ other: consuming Connection?,
        _ make: (borrowing Connection, Bool) throws(ArchiveError) -> Scan
    ) throws(ArchiveError) -> [Scan.Found] {
        let slices = try slices(connection)
        guard let slices, let other = other.take() else {
            var scan = try make(connection, false)
            scan.read(nil)
            return [try scan.found.get()]
        }
        try other.noteEncoding()
        var scan = try make(connection, true)
        let second = Handed(ScanBeside(scan: try make(other, true), connection: other))
        sideBySide({ scan.read(slices) }, { second.value.scan.read(slices) })
        return [try scan.found.get(), try second.value.scan.found.get()]
    }

    /// Returns the samples in slices; `nil` if they are few, or an id is no integer.
    private static func slices(_ connection: borrowing Connection) throws(ArchiveError) -> RowSlices? {
        var row = try connection.prepare(
            """
            SELECT (SELECT min(sample_id) FROM sample_visibility_ranges),
                (SELECT max(sample_id) FROM sample_visibility_ranges),
                EXISTS (SELECT 1 FROM sample_visibility_ranges WHERE sample_id IS NULL)
            """)
        // Text and blobs are greater than every number.
        guard try row.step(), let first = row.exactInteger(0), let last = row.exactInteger(1), row.integer(2) == 0
        else { return nil }
        let (count, overflow) = last.subtractingReportingOverflow(first)
        return !overflow && count >= 50_000 ? RowSlices(first...last) : nil
    }
}

/// A scan with the connection of its own, which is open as long as its statements.
private struct ScanBeside<Scan: SlicedScan & ~Copyable>: ~Copyable {
    var scan: Scan
    let connection: Connection
}
