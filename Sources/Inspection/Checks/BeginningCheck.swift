internal import Archive
internal import Codes
internal import SQLite

/// A check of the observation that saw a sample first, and of the one that made a version. It is the first that has an
/// event of it, or a relationship.
enum BeginningCheck {
    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        try checkSamples(reader, &log)
        try checkVersions(reader, &log)
    }

    private static func checkSamples(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var firsts = try FirstNames(reader)
        var rows = try reader.prepare(
            """
            SELECT s.id, s.first_seen_observation_id, s.first_seen_at, o.observed_at
            FROM samples s NOT INDEXED CROSS JOIN observations o ON o.id = s.first_seen_observation_id ORDER BY s.id
            """)
        while try rows.step() {
            log.countRow()
            guard let id = rows.exactInteger(0), let first = rows.exactInteger(1) else { continue }
            if try firsts.observation(naming: id) != first {
                log.add(
                    .evidenceFirstSeen, "samples", row: id, column: "first_seen_observation_id",
                    expected: "the first observation that names the sample")
            } else if let moment = rows.real(2), moment != rows.real(3) {
                log.add(
                    .evidenceFirstSeen, "samples", row: id, column: "first_seen_at",
                    expected: "the date of the observation that saw it first")
            }
        }
    }

    private static func checkVersions(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var isSeen = try reader.prepare(
            "SELECT EXISTS (SELECT 1 FROM sample_observation_events WHERE sample_id = ?1 AND observation_id = ?2)")
        var rows = try reader.prepare(
            """
            SELECT v.id, v.created_observation_id, v.sample_id, e.observation_id FROM sample_versions v NOT INDEXED
            CROSS JOIN observations o ON o.id = v.created_observation_id
            LEFT JOIN sample_observation_events e ON e.sample_id = v.sample_id AND e.version_id = v.id
                AND e.observation_id IS NOT NULL ORDER BY v.id, e.observation_id
            """)
        var last: Int64?
        while try rows.step() {
            guard let id = rows.exactInteger(0), let made = rows.exactInteger(1), id != last else { continue }
            // The first of its rows: those behind it are of later events.
            last = id
            log.countRow()
            if rows.exactInteger(3) == made { continue }
            if rows.isNull(3) {
                // One that no event names: a deleted object stood before it, or another payload.
                isSeen.bind(1, rows.exactInteger(2) ?? 0)
                isSeen.bind(2, made)
                if try isSeen.firstInteger() == 1 { continue }
            }
            log.add(
                .evidenceCreated, "sample_versions", row: id, column: "created_observation_id",
                expected: "the first observation with an event that names the version")
        }
    }

    /// The first observation with an event or a relationship of each sample, in the order of samples.
    private struct FirstNames: ~Copyable {
        private var rows: Statement
        private var next: (sample: Int64, observation: Int64?)?

        init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
            // Each part comes sorted, the events out of their index, and SQLite merges them.
            var rows = try reader.prepare(
                """
                SELECT sample_id, observation_id FROM sample_observation_events WHERE observation_id IS NOT NULL
                UNION ALL SELECT source_sample_id, observation_id FROM sample_relationships
                    WHERE observation_id IS NOT NULL
                UNION ALL SELECT target_sample_id, observation_id FROM sample_relationships
                    WHERE observation_id IS NOT NULL ORDER BY 1, 2
                """)
            next = try Self.next(&rows)
            self.rows = rows
        }

        private static func next(_ rows: inout Statement) throws(ArchiveError) -> (sample: Int64, observation: Int64?)?
        {
            while try rows.step() {
                if let sample = rows.exactInteger(0) { return (sample, rows.exactInteger(1)) }
            }
            return nil
        }

        /// Returns the observation that names a sample first; `nil` if none does. Samples are asked for in ascending
        /// order.
        mutating func observation(naming sample: Int64) throws(ArchiveError) -> Int64? {
            while let found = next, found.sample < sample { next = try Self.next(&rows) }
            guard let next, next.sample == sample else { return nil }
            return next.observation
        }
    }
}
