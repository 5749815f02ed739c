internal import Archive
internal import Codes
internal import Files
internal import SQLite

/// `PRAGMA integrity_check`: pages, b-trees, indexes, NOT NULL and UNIQUE of the file's own schema.
///
/// It says nothing of content: of 6,000 bits that were changed one by one, 6.9 % changed a value without a word.
enum SQLiteCheck {
    /// A damaged file can have a fault on every page; each costs a line.
    private static let limit = 10_000

    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        if let fault = subject.logFault { log.add(.sqliteLog, found: "a -wal that SQLite does not use: \(fault)") }
        var lines = try reader.prepare("PRAGMA integrity_check(\(limit))")
        while try lines.step() {
            log.countRow()
            // The text names tables and indexes of a schema that anybody may have written.
            let line = printable(lines.bytes(0), limit: 200)
            if line != "ok" { log.add(.sqliteIntegrity, found: line) }
        }
    }
}
