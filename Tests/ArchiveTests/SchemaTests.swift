import Files
import SQLite
import Scratch
import Testing

@testable import Archive

private func tokens(_ text: String) -> [SchemaTokens.Token] { Array(SchemaTokens(Array(text.utf8))) }

@Suite struct `Statements of a schema` {
    private typealias Token = SchemaTokens.Token

    @Test(
        arguments: [
            ("CREATE/**/VIRTUAL -- x\n\tTABLE", ["create", "virtual", "table"]),
            ("a/b*/c", ["a", "/", "b", "*", "/", "c"]),
            ("x--", ["x"]), ("x/* y", ["x"]), ("x/*/ y", ["x"]), ("x/**/y", ["x", "y"]),
            ("- -5.0e3", ["-", "-", "5.0e3"]),
            ("\"check\" 'on' `a``b` [c]", ["?", "?", "?", "?"]), ("'it''s'CHECK", ["?", "check"]),
            ("[a]]b]", ["?", "]", "b", "]"]),
            ("\u{FEFF}CHECK a\u{FEFF}b", ["check", "a\u{FEFF}b"]),
            ("'open", ["?"]), ("\"a\nb\"(", ["?", "("]), ("é_$1\u{0C}K", ["é_$1", "k"]), ("", []), (" /**/ -- ", []),
        ])
    func `tokens are cut as SQLite cuts them`(text: String, expected: [String]) {
        let found = tokens(text).map { token in
            switch token {
            case .word(let word): word
            case .quoted: "?"
            case .symbol(let byte): String(Unicode.Scalar(byte))
            }
        }
        #expect(found == expected)
    }

    @Test func `only ASCII is brought to lower case, as SQLite does`() {
        #expect("ABZ[É\u{212A}".asciiLowercased == "abz[É\u{212A}")
    }

    /// The examples of the manual, "Datatypes In SQLite", 3.1.1.
    @Test(
        arguments: [
            ("INT", .integer), ("UNSIGNED BIG INT", .integer), ("FLOATING POINT", .integer), ("CHARINT", .integer),
            ("VARCHAR(255)", .text), ("NCHAR(55)", .text),
            ("CLOB", .text), ("text", .text), ("BLOB", .blob), ("", .blob), ("REAL", .real),
            ("DOUBLE PRECISION", .real), ("FLOAT", .real), ("NUMERIC", .numeric),
            ("DECIMAL(10,5)", .numeric), ("BOOLEAN", .numeric), ("DATETIME", .numeric), ("STRING", .numeric),
        ] as [(String, TableShape.Affinity)])
    func `a declared type has the affinity that the manual says`(type: String, expected: TableShape.Affinity) {
        #expect(TableShape.Affinity(declared: type) == expected)
    }
}

@Suite struct `Rows that were meant` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a row that the schema drops without a word is an error`() throws {
        let connection = try Connection.open(Path("test"), mode: .memory, wait: LockWait())
        try connection.execute("CREATE TABLE t(a UNIQUE ON CONFLICT IGNORE, b NOT NULL ON CONFLICT IGNORE)")
        var insert = try connection.prepare("INSERT INTO t(a, b) VALUES (?1, 7)")
        try insert.run([.integer(1)], storing: 1)
        let error = #expect(throws: ArchiveError.self) { try insert.run([.integer(1)], storing: 1) }
        #expect(error?.code == .evidence)
        #expect(error?.description == "test: insert into t: 0 of 1 rows were stored; nothing is kept")
        var update = try connection.prepare("UPDATE t SET b = 8 WHERE a = ?1")
        try update.run([.integer(1)], storing: 1)
        #expect(throws: ArchiveError.self) { try update.run([.integer(2)], storing: 1) }
    }

    /// The schema changes after the archive was opened, which no look at it can see.
    @Test(arguments: ["export_items", "export_manifests"], [false, true])
    func `an export of which a row is not stored is not recorded`(table: String, inStaging: Bool) throws {
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let archive = try Archive.open(path, for: .recording)
        try addStrictColumn(to: table, path)
        let before = try Program.sqlite(path, ".dump")
        try archive.begin(writing: true)
        let error = #expect(throws: ArchiveError.self) {
            var recorder = try archive.recorder(inStaging: inStaging)
            let hash = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
            try recorder.add(sampleID: 1, versionID: 1, hash: hash.span)
            try archive.finish(
                recorder,
                NewExport(
                    exportID: "x", kind: "recovery_bundle", scope: Scope(mode: .pointInTime, observationID: 4),
                    filterJSON: "{}",
                    manifestHash: String(repeating: "b", count: 64), itemCount: 1, createdAt: 1, intents: []))
        }
        // What is written at once has a conflict clause of its own, which goes before that of the schema.
        let words =
            table == "export_items" && !inStaging ? "constraint failed" : "into \(table): 0 of 1 rows were stored"
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "stored")")
        archive.rollBack()
        #expect(try Program.sqlite(path, ".dump") == before)
    }

    /// What a connection that is open already finds at its next statement.
    private func addStrictColumn(to table: String, _ path: Path) throws {
        _ = try Program.sqlite(
            path,
            """
            ALTER TABLE \(table) ADD COLUMN more NOT NULL DEFAULT 1;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL DEFAULT 1', 'NOT NULL ON CONFLICT IGNORE')
            WHERE name = '\(table)';
            PRAGMA writable_schema = RESET;
            CREATE TABLE later(x)
            """)
    }
}
