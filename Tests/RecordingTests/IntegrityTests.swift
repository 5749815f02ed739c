import Archive
import Files
import SQLite
import Scratch
import Synchronization
import Testing

@testable import Recording

/// The truth is `PRAGMA integrity_check`.
@Suite struct `Whether a file is intact` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened(_ name: String) throws -> Connection {
        try Connection.open(folder.path(name), mode: .readWrite, wait: LockWait())
    }

    private func made(_ sql: String) throws -> Connection {
        _ = try Program.sqlite(folder.path("test.sqlite"), sql)
        return try opened("test.sqlite")
    }

    /// What SQLite finds first; what it cannot even read is damaged, too.
    private func found(_ connection: borrowing Connection) -> String {
        (try? connection.text("PRAGMA integrity_check(1)")) ?? "unreadable"
    }

    /// What is said of it: by `integrity_check`, with its indexes of samples compared, and by these alone.
    private func said(_ connection: borrowing Connection) -> (found: String, isIntact: Bool, areIntact: Bool) {
        let areIntact = try? SampleIndexes.ofPlainColumns(connection)?.areIntact(connection)
        let isIntact = (try? connection.isIntact(many: 0)) == true
        let ofTwo = (try? connection.isIntact(many: 0, beside: { other(connection) })) == true
        #expect(ofTwo == isIntact)
        return (found(connection), isIntact, areIntact == true)
    }

    private func other(_ connection: borrowing Connection, wait: LockWait = LockWait()) -> Connection? {
        try? Connection.open(connection.path, mode: .readWrite, wait: wait)
    }

    @Test func `what the second connection cannot read is neither damage nor an error`() throws {
        let connection = try made(
            """
            CREATE TABLE samples(id INTEGER PRIMARY KEY, k UNIQUE);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
            INSERT INTO samples SELECT i, i FROM n
            """)
        let isStopped = Mutex(false)
        let wait = LockWait(shouldStop: { isStopped.withLock { $0 } })
        var quick: String?
        let isIntact = try connection.isIntact(many: 0) {
            let second = other(connection, wait: wait)
            isStopped.withLock { $0 = true }
            quick = try? second?.text("PRAGMA quick_check")
            return second
        }
        #expect(isIntact && quick == nil)
    }

    @Test func `a second connection is asked for where samples are many`() throws {
        let connection = try made("CREATE TABLE samples(id INTEGER PRIMARY KEY); INSERT INTO samples VALUES (9)")
        var asked: [Int64] = []
        for many in [Int64(9), 10] {
            let isIntact = try connection.isIntact(many: many) {
                asked.append(many)
                return other(connection)
            }
            #expect(isIntact)
        }
        #expect(asked == [9])
    }

    /// Tables of 500 rows with indexes of each kind, and whether their entries are compared here.
    private static let kinds: [(sql: String, areCompared: Bool)] = [
        (
            """
            CREATE TABLE samples(id INTEGER PRIMARY KEY, k INT NOT NULL, x, hash TEXT, UNIQUE(k, hash));
            CREATE INDEX x ON samples(x); CREATE INDEX kh ON samples(k, hash)
            """, true
        ),
        ("CREATE TABLE samples(id INTEGER PRIMARY KEY, k INT, hash UNIQUE, x AS (k + 1) UNIQUE)", true),
        ("CREATE TABLE samples(id, k PRIMARY KEY, hash); CREATE INDEX \"order\" ON samples(hash)", true),
        ("CREATE TABLE samples(id, k, hash PRIMARY KEY) WITHOUT ROWID; CREATE INDEX k ON samples(k)", false),
        ("CREATE TABLE samples(id, k, hash); CREATE INDEX k ON samples(hash) WHERE k > 100", false),
        ("CREATE TABLE samples(id, k, hash); CREATE INDEX k ON samples(hash DESC)", false),
        ("CREATE TABLE samples(id, k, hash TEXT COLLATE NOCASE); CREATE INDEX k ON samples(hash)", false),
        ("CREATE TABLE samples(id, k, hash); CREATE INDEX k ON samples(k + 1)", false),
        ("CREATE TABLE samples(id INTEGER PRIMARY KEY, k, hash); CREATE INDEX k ON samples(hash, id)", false),
        ("CREATE TABLE samples(id, k, hash, rowid); CREATE INDEX k ON samples(hash)", false),
        ("CREATE TABLE samples(id, k, hash, \"é\"); CREATE INDEX k ON samples(\"é\")", false),
        ("CREATE TABLE samples(id, k, hash); CREATE INDEX \"a \"\"b\" ON samples(hash)", false),
        ("PRAGMA encoding = 'UTF-16le'; CREATE TABLE samples(id, k, hash); CREATE INDEX k ON samples(hash)", false),
        // A value that is neither an integer nor a text.
        ("CREATE TABLE samples(id, k, hash, x DEFAULT 1.5); CREATE INDEX x ON samples(x)", false),
        ("CREATE TABLE samples(id, k, hash, x DEFAULT x'00'); CREATE INDEX x ON samples(x)", false),
    ]

    @Test(arguments: kinds.indices)
    func `of bits that are changed at random, each is found that SQLite finds`(kind: Int) throws {
        let (sql, areCompared) = Self.kinds[kind]
        do {
            let connection = try made(
                """
                \(sql);
                CREATE TABLE "it's"(k UNIQUE, hash);
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO samples(id, k, hash) SELECT i, i, printf('%08x%08x', i * 2654435761 % 4294967296, i) FROM n;
                INSERT INTO "it's" SELECT k, hash FROM samples
                """)
            let said = said(connection)
            #expect(said == ("ok", true, areCompared))
        }
        let bytes = try folder.bytes("test.sqlite")
        var random = SeededGenerator(seed: UInt64(kind))
        var damaged = 0
        var ofEntries = 0
        for _ in 0..<150 {
            var changed = bytes
            // Behind the schema's page.
            changed[Int.random(in: 4096..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            try folder.write(changed, as: "changed.sqlite")
            let connection = try opened("changed.sqlite")
            let (found, isIntact, _) = said(connection)
            #expect(isIntact == (found == "ok"), "\(found), \(random)")
            damaged += found == "ok" ? 0 : 1
            if found != "ok", (try? connection.text("PRAGMA quick_check(1)")) == "ok" { ofEntries += 1 }
        }
        // Of those that say nothing of entries there would be no test.
        #expect(damaged > 20 && ofEntries > 10, "\(damaged), \(ofEntries), \(random)")
    }

    @Test func `a page of samples that cannot be read is damage, and no error`() throws {
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'samples'"
        let page: Int
        do {
            let connection = try made("CREATE TABLE samples(id INTEGER PRIMARY KEY); INSERT INTO samples VALUES (1)")
            page = Int(try #require(try connection.integer(root)))
        }
        var bytes = try folder.bytes("test.sqlite")
        for place in (page - 1) * 4096..<page * 4096 { bytes[place] = 0 }
        try folder.write(bytes, as: "test.sqlite")
        let connection = try opened("test.sqlite")
        let most = try? connection.integer("SELECT max(id) FROM samples")
        #expect(most == nil)
        let isIntact = try connection.isIntact(many: 0)
        #expect(!isIntact)
    }

    /// What SQLite finds first in a table of 119 samples with two indexes after a change of its bytes that is no damage
    /// of its pages.
    private func found(after change: (inout [UInt8]) throws -> Void) throws -> String {
        _ = try made(
            """
            CREATE TABLE samples(id INTEGER PRIMARY KEY, k INT, uuid TEXT, hash TEXT);
            CREATE INDEX uuid ON samples(uuid); CREATE UNIQUE INDEX kh ON samples(k, hash);
            WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 120)
            INSERT INTO samples SELECT i, i + 1, NULL, char(1) || printf('%07d', i) FROM n
            """)
        var bytes = try folder.bytes("test.sqlite")
        try change(&bytes)
        try folder.write(bytes, as: "test.sqlite")
        let connection = try opened("test.sqlite")
        #expect(try connection.text("PRAGMA quick_check") == "ok")
        let (found, isIntact, areIntact) = said(connection)
        #expect(!isIntact && !areIntact)
        return found
    }

    /// Where the newest entry stands whose header is this (manual, "Database File Format", 2.1).
    private func place(of header: [UInt8], _ bytes: [UInt8]) throws -> Int {
        try #require(bytes.indices.first { bytes[$0...].starts(with: header) })
    }

    @Test func `two entries in each other's place are found`() throws {
        let found = try found { bytes in
            // The index has the last page, a leaf, with the places of its cells behind 8 bytes (there, 1.6).
            let page = bytes.count - 4096
            try #require(bytes[page] == 10)
            bytes.swapAt(page + 8, page + 10)
            bytes.swapAt(page + 9, page + 11)
        }
        #expect(found == "row 1 missing from index kh")
    }

    @Test func `an entry whose row id has another size is found`() throws {
        // An integer of a byte, a text of 8, and a row id of a byte, which gets two.
        let found = try found { bytes in bytes[try place(of: [4, 1, 29, 1], bytes) + 3] = 2 }
        #expect(found == "row 119 missing from index kh")
    }

    @Test func `an entry with a header that does not end where it says is found`() throws {
        // 80 01 is 1, and 01 is the first byte of the text.
        let found = try found { bytes in bytes[try place(of: [4, 1, 29, 1], bytes) + 3] = 0x80 }
        #expect(found == "row 119 missing from index kh")
    }

    @Test func `an entry with a NULL of a kind that there is not is found`() throws {
        let found = try found { bytes in bytes[try place(of: [3, 0, 1], bytes) + 1] = 11 }
        #expect(found == "row 119 missing from index uuid")
    }

    @Test func `an entry of another row is found`() throws {
        let found = try found { bytes in
            // The row id behind the header, an integer and a text.
            let place = try place(of: [4, 1, 29, 1], bytes)
            bytes[place + 13] = 200
        }
        #expect(found == "row 119 missing from index kh")
    }

    @Test func `an index of another table is looked at`() throws {
        _ = try made(
            """
            CREATE TABLE samples(id INTEGER PRIMARY KEY); CREATE TABLE "5"(k); CREATE INDEX k ON "5"(k);
            INSERT INTO "5" VALUES ('abcdefgh')
            """)
        var bytes = try folder.bytes("test.sqlite")
        // The index has the last page.
        let text = try #require(bytes.indices.last { bytes[$0...].starts(with: "abcdefgh".utf8) })
        bytes[text] = UInt8(ascii: "b")
        try folder.write(bytes, as: "test.sqlite")
        let connection = try opened("test.sqlite")
        let (found, isIntact, _) = said(connection)
        #expect(found == "row 1 missing from index k" && !isIntact)
    }

    /// An index whose definition is changed behind SQLite's back, from one that allows a key twice.
    private func turnedUnique(_ keys: String) throws -> Connection {
        try made(
            """
            DROP TABLE IF EXISTS samples;
            CREATE TABLE samples(k, id); INSERT INTO samples VALUES \(keys); CREATE INDEX k ON samples(k);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX k ON samples(k)' WHERE name = 'k'
            """)
    }

    @Test func `a key that stands twice where it may not is found`() throws {
        for keys in ["(1, 0), (2, 0), (2, 0)", "('a', 0), ('a', 0)", "(1, 0), (1.0, 0)", "('', 0), ('', 0)"] {
            let connection = try turnedUnique(keys)
            let said = said(connection)
            #expect(said == ("non-unique entry in index k", false, false), "\(keys)")
        }
    }

    @Test func `a NULL may stand there as often as it likes`() throws {
        let connection = try turnedUnique("(NULL, 0), (1, 0), (NULL, 0), (2, 0)")
        let said = said(connection)
        #expect(said == ("ok", true, true))
    }
}
