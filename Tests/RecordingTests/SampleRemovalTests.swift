import Files
import SQLite
import Scratch
import Testing

@testable import Archive
@testable import Recording

@Suite struct `Samples that are removed` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// 400 samples of three types, one of which has no row; some fingerprints are none.
    private func made(_ name: String) throws -> Archive {
        let path = folder.path(name)
        try Archive.create(path, origin: Archive.Origin(program: "test 1", createdAt: 946_684_800))
        let archive = try Archive.open(path, for: .capturing)
        try archive.connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO sample_types VALUES (1, 'com.example.beats', NULL, NULL), (3, 'com.example.steps', NULL, NULL);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO samples SELECT i, 1 + i % 3, NULL, printf('%08x', i * 2654435761 % 4294967296), NULL, NULL, 1, 0
            FROM n;
            UPDATE samples SET strict_fingerprint = '' WHERE id IN (9, 11);
            UPDATE samples SET strict_fingerprint = x'00' WHERE id IN (12, 14);
            UPDATE samples SET strict_fingerprint = 'é' WHERE id IN (15, 17)
            """)
        return archive
    }

    @Test(arguments: [1, 2, 7, 33, 40, 99, 101])
    func `are those that were named, in slices of any size`(slice: Int) throws {
        var random = SeededGenerator(seed: UInt64(slice))
        for share in [0, 2, 40, 100] {
            let archive = try made("\(share).sqlite")
            let named = (1...400).filter { _ in Int.random(in: 0..<100, using: &random) < share }
            try archive.connection.execute("CREATE TEMP TABLE withdrawn(id INTEGER PRIMARY KEY)")
            for id in named { try archive.connection.execute("INSERT INTO temp.withdrawn VALUES (\(id))") }
            try SampleRemoval.run(count: named.count, slice: slice, archive.connection)
            let left = (1...400).filter { !named.contains($0) }.map(String.init).joined(separator: ",")
            let found = "SELECT ifnull(group_concat(id), '') FROM (SELECT id FROM samples ORDER BY id)"
            #expect(try archive.connection.text(found) == left, "\(random)")
        }
    }
}
