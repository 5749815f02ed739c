import Files
import SQLite
import Scratch
import Synchronization
import Testing

@testable import Archive

@Suite struct `Records of a scope` {
    /// Sample and version ids of a scope's rows in order, and the number of ranges of each.
    private func rows(_ fixture: String, _ mode: Scope.Mode, _ observation: Int64, _ filter: Filter = Filter()) throws
        -> [String]
    {
        let archive = try Archive.open(Fixture.path("archives/\(fixture).sqlite"), for: .evidence)
        let scope = Scope(mode: mode, observationID: observation, filter: filter)
        let context = try archive.context(of: scope)
        var records = try archive.records(of: scope, in: context)
        var found: [String] = []
        while let batch = try records.next() {
            for row in batch.rows { found.append("\(row.sampleID)|\(row.versionID.map(String.init) ?? "")") }
        }
        return found
    }

    /// What two readers find in a copy with a log, or one reader where `isShared` is false.
    private func rows(_ path: Path, isShared: Bool, mode: Scope.Mode = .pointInTime) throws -> [String] {
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: true)
        let scope = Scope(mode: mode, observationID: 4)
        var records = try archive.records(of: scope, in: archive.context(of: scope), sharedFrom: isShared ? 2 : .max)
        let hasTwo = records.isShared
        #expect(hasTwo == isShared)
        var found: [String] = []
        while let batch = try records.next() {
            for row in batch.rows {
                found.append("\(row.sampleID)|\(row.versionID.map(String.init) ?? "")|\(batch.details(of: row).count)")
            }
        }
        let stillHasTwo = records.isShared
        #expect(!stillHasTwo)
        archive.rollBack()
        return found
    }

    @Test(
        arguments: ["", "UPDATE samples SET strict_fingerprint = 'short' WHERE id = (SELECT max(id) FROM samples)"],
        [Scope.Mode.pointInTime, .history])
    func `two readers find what one finds, also where the second one's rows have no compact form`(
        change: String, mode: Scope.Mode
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        _ = try Program.sqlite(path, "PRAGMA journal_mode = WAL; \(change)")
        let found = try rows(path, isShared: false, mode: mode)
        #expect(found.count > 10)
        #expect(try rows(path, isShared: true, mode: mode) == found)
    }

    /// Each row of a whole history as the ids that it has, with how many ranges and events.
    private func history(_ path: Path, isShared: Bool) throws -> [String] {
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: true)
        let scope = Scope(mode: .history, observationID: 4)
        var records = try archive.records(of: scope, in: archive.context(of: scope), sharedFrom: isShared ? 2 : .max)
        let hasTwo = records.isShared
        #expect(hasTwo == isShared)
        var found: [String] = []
        var values: [PackedValue] = []
        while let batch = try records.next() {
            for row in batch.rows {
                batch.read(row, into: &values)
                func id(_ column: RecordColumn) -> String {
                    switch values[column.rawValue] {
                    case .null: ""
                    case .integer(let id): "\(id)"
                    case .real(let id): "\(id)"
                    case .text(let range), .blob(let range), .hash(let range):
                        String(decoding: batch.bytes[range], as: UTF8.self)
                    }
                }
                let details = batch.details(of: row)
                let (ranges, events) = (details.count { $0.kind == .visibility }, details.count { $0.kind == .event })
                found.append("\(id(.sampleID))|\(id(.versionID))|\(ranges)|\(events)")
            }
        }
        archive.rollBack()
        return found
    }

    /// What a history has, in SQL that goes through the tables as `Spec/bundle.md` says it.
    private static let historyInSQL = """
        WITH pair(s, v) AS (SELECT sample_id, id FROM sample_versions WHERE created_observation_id <= 4
                UNION SELECT sample_id, version_id FROM sample_visibility_ranges WHERE first_observation_id <= 4
                UNION SELECT sample_id, version_id FROM sample_observation_events WHERE observation_id <= 4),
            item(s, v) AS (SELECT * FROM pair UNION SELECT s, NULL FROM pair
                UNION SELECT id, NULL FROM samples WHERE first_seen_observation_id <= 4)
        SELECT s, v, (SELECT count(*) FROM sample_visibility_ranges r WHERE r.sample_id IS s AND r.version_id IS v
                AND r.first_observation_id <= 4),
            (SELECT count(*) FROM sample_observation_events e WHERE e.sample_id IS s AND e.version_id IS v
                AND e.observation_id <= 4) FROM item
        """

    @Test(arguments: [
        "SELECT 1",
        // Ids below, between and behind all samples, whatever their storage class.
        "UPDATE sample_visibility_ranges SET sample_id = -7 WHERE rowid = 2",
        "UPDATE sample_visibility_ranges SET sample_id = -0.5 WHERE rowid = 2",
        "UPDATE sample_visibility_ranges SET sample_id = 3.5, version_id = 2.5 WHERE rowid = 2",
        "UPDATE sample_visibility_ranges SET sample_id = 1000000 WHERE rowid IN (2, 5)",
        "UPDATE sample_visibility_ranges SET sample_id = 'x', version_id = 'y' WHERE rowid = 2",
        "UPDATE sample_observation_events SET sample_id = x'ff78' WHERE id = 3",
        "UPDATE sample_observation_events SET version_id = 'y' WHERE id = 3",
        // A version that only an event names, and a sample that nothing but its row names.
        "UPDATE sample_observation_events SET version_id = 777 WHERE id IN (1, 4)",
        "UPDATE sample_observation_events SET sample_id = 888, version_id = NULL WHERE id = 3",
        "DELETE FROM sample_visibility_ranges WHERE sample_id = 4; DELETE FROM sample_observation_events",
        // Samples without rows of their own, and rows that the observation does not know.
        "DELETE FROM samples WHERE id IN (1, 3, (SELECT max(id) FROM samples))",
        "UPDATE samples SET first_seen_observation_id = 5 WHERE id IN (1, 2)",
        "UPDATE sample_versions SET created_observation_id = 5 WHERE id % 2",
        "UPDATE sample_versions SET sample_id = 1 WHERE id IN (5, 6)",
        // Several events of one observation.
        """
        INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at)
            SELECT observation_id, sample_id, version_id, 'z' || id, observed_at FROM sample_observation_events
        """,
    ])
    func `a history has every row that is named, with its ranges and events`(change: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        _ = try Program.sqlite(path, "PRAGMA journal_mode = WAL; \(change)")
        let expected = try Program.sqlite(path, Self.historyInSQL)
        #expect(expected.count > 10)
        for isShared in [false, true] { #expect(try history(path, isShared: isShared).sorted() == expected.sorted()) }
    }

    @Test func `all samples that relationships name are known, and none where there is no relationship`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        _ = try Program.sqlite(path, "DELETE FROM sample_relationships")
        #expect(try Archive.open(path, for: .evidence).relatedSamples() == nil)
        // SQLite keeps ids that are no integers.
        _ = try Program.sqlite(
            path,
            "PRAGMA foreign_keys = OFF; INSERT INTO sample_relationships VALUES (NULL, 1, 5, -9223372036854775808, 'x', NULL), (NULL, 1, 9223372036854775807, 'text', 'x', NULL)"
        )
        let related = try #require(try Archive.open(path, for: .evidence).relatedSamples())
        for id in [5, Int64.min, Int64.max] { #expect(related.mayName(id), "\(id)") }
        #expect((6...2000).allSatisfy { !related.mayName($0) })
    }

    @Test func `ranges of samples whose ids are no integers are records of their own`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let before = try rows(path, isShared: false)
        // INTEGER affinity keeps a text that is no number.
        _ = try Program.sqlite(
            path,
            """
            PRAGMA foreign_keys = OFF; INSERT INTO sample_visibility_ranges(sample_id, version_id, first_observation_id, first_seen_at) \
            VALUES ('a', NULL, 1, 1.0), ('b', NULL, 1, 1.0), ('b', NULL, 2, 2.0), (x'00', NULL, 3, 3.0)
            """)
        // Without a sample they have no type and come first; the two ranges of one text are one record.
        #expect(try rows(path, isShared: false) == ["0||1", "0||2", "0||1"] + before)
    }

    @Test(arguments: ["REAL", "TEXT", "BLOB"])
    func `relationships are found whatever type their columns are declared as`(type: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let found = try relationships(path)
        #expect(found > 0)
        _ = try Program.sqlite(
            path,
            """
            PRAGMA foreign_keys = OFF; ALTER TABLE sample_relationships RENAME TO before; \
            CREATE TABLE sample_relationships(id INTEGER PRIMARY KEY, observation_id, source_sample_id \(type), target_sample_id \(type), relationship_kind, metadata_id); \
            INSERT INTO sample_relationships SELECT * FROM before; DROP TABLE before
            """)
        #expect(try relationships(path) == found)
    }

    /// The number of relationships in a scope's details.
    private func relationships(_ path: Path) throws -> Int {
        let archive = try Archive.open(path, for: .evidence)
        let scope = Scope(mode: .pointInTime, observationID: 4)
        var records = try archive.records(of: scope, in: archive.context(of: scope))
        var count = 0
        while let batch = try records.next() { count += batch.details.count { $0.kind == .relationship } }
        return count
    }

    @Test(arguments: ["DELETE", "WAL"], [Archive.Access.reading, .evidence])
    func `without the write lock two readers see what the first one saw at first`(mode: String, access: Archive.Access)
        throws
    {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        _ = try Program.sqlite(path, "PRAGMA journal_mode = \(mode)")
        let expected = try rows(path, isShared: false)
        // A reader joins in with a log only where another process has the archive open.
        let other = mode == "WAL" && access == .reading ? try OpenDatabase(path, in: folder) : nil
        defer { withExtendedLifetime(other) {} }
        let archive = try Archive.open(path, for: access)
        try archive.beginSideBySide()
        // A writer is not kept waiting by readers where there is a log.
        if mode == "WAL", access == .reading { _ = try Program.sqlite(path, "DELETE FROM sample_visibility_ranges") }
        let scope = Scope(mode: .pointInTime, observationID: 4)
        var records = try archive.records(of: scope, in: archive.context(of: scope), sharedFrom: 2)
        let hasTwo = records.isShared
        #expect(hasTwo)
        var found: [String] = []
        while let batch = try records.next() {
            for row in batch.rows {
                found.append("\(row.sampleID)|\(row.versionID.map(String.init) ?? "")|\(batch.details(of: row).count)")
            }
        }
        #expect(found == expected)
        let hasAnother = archive.secondConnection() != nil
        #expect(!hasAnother)
        archive.rollBack()
    }

    @Test func `a second connection never sees another state, however often somebody commits`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        _ = try Program.sqlite(path, "PRAGMA journal_mode = WAL")
        let name = path.text
        let other = try OpenDatabase(path, in: folder)
        defer { withExtendedLifetime(other) {} }
        let archive = try Archive.open(path, for: .reading)
        let isDone = Atomic(false), isEnough = Atomic(false)
        // However slow the reader is beside it, the writer goes on until it has seen some states.
        let writer = Task.detached {
            defer { isDone.store(true, ordering: .relaxed) }
            var round = 0
            while round < 500, !isEnough.load(ordering: .relaxed) {
                let commits = (1...100).map { "REPLACE INTO archive_metadata VALUES ('state', '\(round) \($0)');" }
                let setting = "PRAGMA busy_timeout = 60000; PRAGMA synchronous = OFF;"
                _ = try Program.run("sqlite3", [name, setting + commits.joined()])
                round += 1
            }
        }
        func state(_ connection: borrowing Connection) throws -> String? {
            try connection.text("SELECT value FROM archive_metadata WHERE key = 'state'")
        }
        var states: Set<String> = []
        var pairs = 0
        while !isDone.load(ordering: .relaxed) {
            try archive.beginSideBySide()
            let seen = try state(archive.connection)
            if let seen { states.insert(seen) }
            if let other = archive.secondConnection() {
                #expect(try state(other) == seen)
                pairs += 1
            }
            archive.rollBack()
            if states.count > 3, pairs > 0 { isEnough.store(true, ordering: .relaxed) }
        }
        try await writer.value
        #expect(states.count > 3)
        #expect(pairs > 0)
    }

    @Test func `without a log or without the write lock there is one reader`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let archive = try Archive.open(path, for: .recording)
        for mode in ["DELETE", "WAL"] {
            _ = try Program.sqlite(path, "PRAGMA journal_mode = \(mode)")
            try archive.begin(writing: mode == "DELETE")
            let hasSecond = archive.secondConnection() != nil
            #expect(!hasSecond)
            archive.rollBack()
        }
    }

    private static func isVisible(_ observation: Int64) -> String {
        "r.first_observation_id <= \(observation) AND (r.last_observation_id IS NULL OR r.last_observation_id > \(observation))"
    }

    private static let order = """
        CAST(t.type_identifier AS BLOB), v.start_date, v.end_date, CAST(coalesce(s.sample_uuid_hash, s.strict_fingerprint) AS BLOB), \
        CAST(v.payload_hash AS BLOB), CAST(s.strict_fingerprint AS BLOB), s.id, v.id
        """

    private func expected(_ fixture: String, _ observation: Int64, where condition: String = "1") throws -> [String] {
        try Program.sqlite(
            Fixture.path("archives/\(fixture).sqlite"),
            """
            SELECT DISTINCT s.id, v.id FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id JOIN sample_versions v ON v.id = r.version_id \
            JOIN sample_types t ON t.id = s.sample_type_id WHERE \(Self.isVisible(observation)) AND \(condition) ORDER BY \(Self.order)
            """)
    }

    @Test(arguments: [1, 2, 3, 4] as [Int64])
    func `what was visible is what the sqlite3 program finds, in the order of bundles`(observation: Int64) throws {
        let expected = try expected("small", observation)
        #expect(expected.count > 10)
        #expect(try rows("small", .pointInTime, observation) == expected)
    }

    @Test(arguments: [1, 2, 3, 4] as [Int64])
    func `a history has each sample and each version that was known`(observation: Int64) throws {
        let path = Fixture.path("archives/small.sqlite")
        let samples = try Program.sqlite(
            path, "SELECT id || '|' FROM samples WHERE first_seen_observation_id <= \(observation)")
        let versions = try Program.sqlite(
            path, "SELECT sample_id, id FROM sample_versions WHERE created_observation_id <= \(observation)")
        #expect(try rows("small", .history, observation).sorted() == (samples + versions).sorted())
    }

    @Test(
        arguments: [
            (
                Filter(sampleTypes: ["HKQuantityTypeIdentifierHeartRate"]),
                "t.type_identifier = 'HKQuantityTypeIdentifierHeartRate'"
            ),
            (
                Filter(sampleTypes: ["com.example.caf\u{E9}"]),
                "t.type_identifier = CAST(x'636f6d2e6578616d706c652e636166c3a9' AS TEXT)"
            ),
            (Filter(since: 946_684_800, until: 946_685_100), "v.start_date >= 946684800 AND v.start_date < 946685100"),
            (
                Filter(sampleTypes: ["HKQuantityTypeIdentifierStepCount"], since: 946_685_100),
                "t.type_identifier = 'HKQuantityTypeIdentifierStepCount' AND v.start_date >= 946685100"
            ),
            (Filter(until: 0), "v.start_date < 0"),
            (
                Filter(sources: ["com.example.one"]),
                "v.source_revision_id IN (SELECT r.id FROM source_revisions r JOIN sources o ON o.id = r.source_id WHERE o.bundle_identifier = 'com.example.one')"
            ),
        ] as [(Filter, String)], [1, 4] as [Int64])
    func `a filter selects what the sqlite3 program finds`(
        selection: (filter: Filter, condition: String), observation: Int64
    ) throws {
        let expected = try expected("small", observation, where: selection.condition)
        #expect(!expected.isEmpty)
        #expect(try rows("small", .pointInTime, observation, selection.filter) == expected)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [Int64])
    func `chains are not mixed`(observation: Int64) throws {
        let chain = "(SELECT device_chain_id FROM observations WHERE id = \(observation))"
        let expected = try expected(
            "two-chains", observation,
            where: "r.first_observation_id IN (SELECT id FROM observations WHERE device_chain_id = \(chain))")
        #expect(try rows("two-chains", .pointInTime, observation) == expected)
    }

    @Test func `types in UTF-16 databases are in the order of their UTF-8 bytes`() throws {
        let archive = try Archive.open(Fixture.path("archives/utf16.sqlite"), for: .evidence)
        let context = try archive.context(of: Scope(mode: .pointInTime, observationID: 1))
        let types = (0..<context.types.count).compactMap { row -> [UInt8]? in
            guard case .text(let range) = context.types.values(row)[0] else { return nil }
            return Array(context.types.bytes[range])
        }
        let words = ["a", "\u{100}", "\u{161}", "\u{FF5E}", "\u{1F600}", "\u{D7FF}", "\u{E000}", "ab", ""]
        #expect(types == words.map { Array("t\($0)".utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `types that the archive does not know are named`() throws {
        let archive = try Archive.open(Fixture.path("archives/small.sqlite"), for: .evidence)
        let filter = Filter(sampleTypes: ["z", "HKWorkoutTypeIdentifier", "a'; DROP TABLE samples; --"])
        let context = try archive.context(of: Scope(mode: .pointInTime, observationID: 4, filter: filter))
        #expect(context.unknownTypes == ["a'; DROP TABLE samples; --", "z"])
        #expect(context.coverage.count == 1)
    }
}
