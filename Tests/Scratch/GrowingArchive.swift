public import Files
import Synchronization

/// An archive of any size whose rows are all alike, to see how the work of a statement grows with it.
public struct GrowingArchive {
    private let path: Path

    /// Makes an archive: a sample of one type for every day, seen by one of four observations, gone at the last one
    /// where its number is a multiple of 16, and related to the next sample.
    public init(samples: Int, in folder: TemporaryFolder) throws {
        path = try TestArchive.make(
            "\(samples).sqlite", in: folder,
            """
            INSERT INTO archive_metadata VALUES ('identity_rules', '2');
            INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version,
                time_zone_identifier)
                SELECT value, 1, 1e9 + value, 'completed', 'manual', 2, 'UTC' FROM generate_series(1, 4);
            INSERT INTO sample_types VALUES (1, 'com.example.type', NULL, 'quantity');
            INSERT INTO observation_type_runs(observation_id, sample_type_id, status)
                SELECT id, 1, 'completed' FROM observations;
            INSERT INTO sources VALUES (1, 'name', 'com.example.one'), (2, 'name', 'com.example.two');
            INSERT INTO source_revisions SELECT id, id, 'product', '1', '1' FROM sources;
            INSERT INTO samples SELECT value, 1, printf('%064x', value), printf('%064x', value),
                printf('%064x', value / 2), NULL, 1 + value % 4, 1e9 FROM generate_series(1, \(samples));
            INSERT INTO sample_versions(id, sample_id, payload_hash, start_date, end_date, numeric_value, unit,
                source_revision_id, created_observation_id)
                SELECT id, id, strict_fingerprint, id * 86400.0, id * 86400.0 + 60, id % 7, 'count', 1 + id / 4 % 2,
                first_seen_observation_id FROM samples;
            INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at)
                SELECT first_seen_observation_id, id, id, 'appeared', 1e9 FROM samples;
            INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at)
                SELECT 4, id, id, 'disappeared', 1e9 FROM samples WHERE id % 16 = 0;
            INSERT INTO sample_visibility_ranges SELECT id, id, first_seen_observation_id,
                CASE WHEN id % 16 = 0 THEN 4 END, 1e9, CASE WHEN id % 16 = 0 THEN 1e9 END FROM samples;
            INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id, relationship_kind)
                SELECT 1, id, 1 + id % \(samples), 'of' FROM samples;
            """)
    }

    /// How many times SQLite asks whether to stop while the archive is read: once every few thousand steps of its
    /// machine, so that the number does not depend on the time that they take.
    public func steps(_ read: (Path, LockWait) throws -> Void) throws -> Int {
        let count = Counter()
        try read(path, LockWait(seconds: 0, shouldStop: { count.add() }))
        return count.value
    }

    private final class Counter: Sendable {
        private let number = Atomic<Int>(0)

        var value: Int { number.load(ordering: .relaxed) }

        func add() -> Bool {
            number.add(1, ordering: .relaxed)
            return false
        }
    }
}
