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
        let (computed, others) = try reader.tablesByExpressions()
        guard let first = computed.first else {
            return try add(reader.prepare("PRAGMA integrity_check(\(limit))"), &log)
        }
        // Each of the others is checked by itself. What is free, and what no table uses, is not looked at then.
        let more = computed.count == 1 ? "" : " and \(computed.count - 1) more"
        let name = printable(first.utf8, limit: 60)
        log.withhold("not made to its end: table \(name)\(more) has an expression in an index or a column")
        for table in others {
            var lines = try reader.prepare("SELECT integrity_check FROM temp.pragma_integrity_check(?1, 'main')")
            lines.bind(1, text: Array(table.utf8))
            try add(lines, &log)
        }
    }

    private static func add(_ rows: consuming Statement, _ log: inout CheckLog) throws(ArchiveError) {
        var lines = rows
        // A page that is used twice ends the check: what follows would go through it again and again.
        defer { if let fault = lines.pageFault { log.add(.sqliteIntegrity, found: fault) } }
        while try lines.step() {
            log.countRow()
            // The text names tables and indexes of a schema that anybody may have written.
            let line = printable(lines.bytes(0), limit: 200)
            if line != "ok" { log.add(.sqliteIntegrity, found: line) }
        }
    }
}
