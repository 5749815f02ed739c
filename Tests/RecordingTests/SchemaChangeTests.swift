import Files
import Format
import SQLite
import Scratch
import Testing

@testable import Archive
@testable import Recording

@Suite struct `Changes of the schema` {
    private let folder: TemporaryFolder
    private let origin = Archive.Origin(program: "test 1", createdAt: 946_684_800)

    init() throws { folder = try TemporaryFolder() }

    /// An archive of 100,000 samples without their versions.
    private func large() throws -> Path {
        let path = folder.path("large.sqlite")
        try Archive.create(path, origin: origin)
        let archive = try Archive.open(path, for: .capturing)
        try archive.connection.execute(
            """
            BEGIN;
            INSERT INTO device_chains VALUES (1, 'chain', 0, 0);
            INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (1, 1, 946684800, 'completed', 'test', 2);
            INSERT INTO sample_types VALUES (1, 'com.example.beats', NULL, NULL);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO samples SELECT i, 1, NULL, printf('%064x', i), NULL, NULL, 1, 946684800 FROM n;
            COMMIT
            """)
        return path
    }

    private func step(to version: Int64, failing: Bool) -> SchemaChange {
        SchemaChange(record: .migration(version: version, description: "a column of a test")) {
            connection throws(ArchiveError) in
            try connection.execute(
                "ALTER TABLE samples ADD COLUMN of_test INTEGER; UPDATE samples SET of_test = id * 2; CREATE INDEX of_test ON samples(of_test)"
            )
            if failing { throw ArchiveError(.storage, "a failure in the middle") }
        }
    }

    private func summary(_ path: Path) throws -> [String] {
        try [
            "SELECT count(*), max(id) FROM samples", "SELECT group_concat(version) FROM schema_migrations",
            "SELECT value FROM archive_metadata WHERE key = 'schema_version'",
            "SELECT group_concat(name) FROM pragma_table_info('samples')", "PRAGMA integrity_check",
        ].map { try Program.sqlite(path, $0).joined(separator: "\n") }
    }

    @Test func `a step that fails in the middle changes nothing`() throws {
        let path = try large()
        let before = try summary(path)
        do {
            let archive = try Archive.open(path, for: .capturing)
            #expect(throws: ArchiveError.self) { try step(to: 3, failing: true).apply(to: archive, now: 1) }
        }
        #expect(try summary(path) == before)
    }

    @Test func `a step that succeeds is stated`() throws {
        let path = try large()
        do {
            let archive = try Archive.open(path, for: .capturing)
            try step(to: 3, failing: false).apply(to: archive, now: 946_684_801)
            #expect(try archive.connection.integer("SELECT sum(of_test) FROM samples") == 10_000_100_000)
        }
        let after = try summary(path)
        #expect(after[1].hasPrefix("2,3") && after[2].hasPrefix("3") && after[4].hasPrefix("ok"))
        // What is newer than these tools is not touched.
        #expect(throws: ArchiveError.self) { _ = try Archive.open(path, for: .capturing) }
        #expect(try Archive.setAsidePrototype(path, now: 0, wait: LockWait(seconds: 0)) == nil)
    }

    @Test func `a step without the one before is refused`() throws {
        let path = try large()
        let archive = try Archive.open(path, for: .capturing)
        #expect(throws: ArchiveError.self) { try step(to: 4, failing: false).apply(to: archive, now: 1) }
    }

    @Test func `a step that would leave references that lead nowhere is refused`() throws {
        let path = try large()
        let archive = try Archive.open(path, for: .capturing)
        try archive.connection.execute("PRAGMA foreign_keys = OFF")
        let change = SchemaChange(record: .migration(version: 3, description: "a loss")) {
            connection throws(ArchiveError) in try connection.execute("DELETE FROM observations")
        }
        #expect(throws: ArchiveError.self) { try change.apply(to: archive, now: 1) }
        #expect(try archive.connection.integer("SELECT count(*) FROM observations") == 1)
    }

    @Test func `the tables have the columns that SQLite finds in the specification`() throws {
        let path = try TestArchive.make(
            "specified.sqlite", in: folder, Fixture.text(outside: "Spec/archive-extensions.sql"))
        let tables = [
            ArchiveTable.ofSchema, ArchiveTable.ofContextLog, ArchiveTable.ofCaptureFacts, ArchiveTable.ofHistory,
        ].flatMap { $0 }
        let names = try Program.sqlite(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
        #expect(tables.map(\.name) == names)
        for table in tables {
            let found = try Program.sqlite(path, "SELECT name FROM pragma_table_info('\(table.name)')")
            #expect(table.columns.map(\.name) == found)
            let parents = try Program.sqlite(
                path, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list('\(table.name)') ORDER BY id DESC")
            let ours = table.columns.compactMap { column in column.reference.map { "\(column.name)|\($0)" } }
            #expect(
                ours.filter { $0 != "source_revision_id|source_revisions" || table.name == "sample_versions" }
                    == parents)
        }
    }

    /// An archive as one was made before there were extensions.
    private func old(_ name: String = "old.sqlite") throws -> Path {
        try TestArchive.make(name, in: folder, "")
    }

    private func begin(_ path: Path) throws {
        let archive = try Archive.open(path, for: .capturing)
        let chain = [UInt8](repeating: UInt8(ascii: "c"), count: 64)
        let facts = ObservationFacts(observedAt: 946_684_900, triggerReason: Array("manual".utf8))
        let beginning = ObservationBeginning(
            facts: facts, deviceChainHash: chain, isSeedKnown: true, program: "test 1", now: 946_684_900)
        let recorder = try ObservationRecorder.begin(beginning, in: archive)
        try recorder.keep(in: archive, atEnd: false)
    }

    @Test func `an observation brings the tables of its facts, and the archive says so in three places`() throws {
        let path = try old()
        try begin(path)
        #expect(
            try Program.sqlite(path, "SELECT version, description FROM schema_migrations ORDER BY version DESC")
                == ["2|archive v2", "-1|extension context_log 2", "-2|extension capture_facts 2"])
        #expect(
            try Program.sqlite(path, "SELECT key, value FROM archive_metadata WHERE key LIKE 'ext%' ORDER BY key DESC")
                == ["extension:context_log|2", "extension:capture_facts|2"])
        #expect(
            try Program.sqlite(path, "SELECT event_kind, detail_json FROM context_log ORDER BY id") == [
                "extension_added|{\"name\":\"context_log\",\"version\":2}",
                "extension_added|{\"name\":\"capture_facts\",\"version\":2}",
            ])
        // The end of an observation brings its history.
        let names = """
            SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema \
            WHERE type = 'table' AND name <> 'history_links' ORDER BY name)
            """
        let new = folder.path("new.sqlite")
        try Archive.create(new, origin: origin)
        #expect(try Program.sqlite(path, names) == Program.sqlite(new, names))
        #expect(try Program.sqlite(new, "SELECT group_concat(version) FROM schema_migrations") == ["2"])
    }

    @Test func `a migration that cannot be completed changes nothing`() throws {
        let path = try old()
        _ = try Program.sqlite(path, "CREATE TABLE withdrawn_observations(x)")
        let before = try Program.sqlite(path, ".dump")
        let error = #expect(throws: ArchiveError.self) { try begin(path) }
        #expect(error?.description.contains("withdrawn_observations is there") == true)
        #expect(try Program.sqlite(path, ".dump") == before)
        _ = try Program.sqlite(
            path,
            "DROP TABLE withdrawn_observations; INSERT INTO archive_metadata VALUES ('extension:capture_facts', '2')")
        #expect(throws: ArchiveError.self) { try begin(path) }
    }

    @Test func `a stated extension must be there`() throws {
        let path = folder.path("new.sqlite")
        try Archive.create(path, origin: origin)
        _ = try Program.sqlite(path, "DROP TABLE unknown_elements")
        let error = #expect(throws: ArchiveError.self) { _ = try Archive.open(path, for: .evidence) }
        #expect(error?.description.contains("table unknown_elements is missing") == true)
        _ = try Program.sqlite(path, "CREATE TABLE unknown_elements(observation_id, kind, name)")
        #expect(throws: ArchiveError.self) { _ = try Archive.open(path, for: .reading) }
    }

    @Test(arguments: [(1, 3, 4), (5, 3, 6), (3, 3, 4), (nil, 3, 4)] as [(Int?, Int, Int)])
    func `the id of an observation that was withdrawn is not given again`(last: Int?, withdrawn: Int, next: Int) throws
    {
        let path = folder.path("new.sqlite")
        try Archive.create(path, origin: origin)
        let chain = String(repeating: "c", count: 64)
        _ = try Program.sqlite(
            path,
            """
            INSERT INTO device_chains VALUES (1, '\(chain)', 0, 0);
            INSERT INTO withdrawn_observations VALUES (\(withdrawn), 946684800, 946684801);
            """
                + (last.map {
                    "INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version)"
                        + " VALUES (\($0), 1, 946684800, 'completed', 'test', 2);"
                } ?? ""))
        try begin(path)
        #expect(try Program.sqlite(path, "SELECT max(id) FROM observations") == [String(next)])
    }

    @Test func `a prototype is moved aside with its log, and nothing else is`() throws {
        let path = try folder.copy("archives/schema-version-1.sqlite", as: "a.sqlite")
        let bytes = try folder.bytes("a.sqlite")
        let backup = try #require(try Archive.setAsidePrototype(path, now: 946_684_800, wait: LockWait(seconds: 0)))
        #expect(backup.display.hasSuffix("a.sqlite.20000101T000000Z.prototype-backup"))
        #expect(!FileStatus.exists(path))
        #expect(try folder.bytes(String(decoding: backup.name, as: UTF8.self)) == bytes)
        let newer = try folder.copy("archives/schema-version-3.sqlite", as: "b.sqlite")
        #expect(try Archive.setAsidePrototype(newer, now: 0, wait: LockWait(seconds: 0)) == nil)
    }
    @Test func `a move that ended between its two names is completed under the name that it has`() throws {
        let path = try folder.copy("archives/schema-version-1.sqlite", as: "a.sqlite")
        let bytes = try folder.bytes("a.sqlite")
        let name = "a.sqlite.20000101T000000Z.prototype-backup"
        _ = try Program.run("ln", [path.text, folder.path(name).text])
        for now in [946_684_800.0, 946_684_801] {
            if !FileStatus.exists(path) { _ = try Program.run("ln", [folder.path(name).text, path.text]) }
            let backup = try #require(try Archive.setAsidePrototype(path, now: now, wait: LockWait(seconds: 0)))
            #expect(String(decoding: backup.name, as: UTF8.self) == name)
            #expect(try folder.names() == [name])
            #expect(try folder.bytes(name) == bytes)
        }
    }
}
