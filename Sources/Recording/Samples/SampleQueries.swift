internal import SQLite

/// The SQL of `SampleStatements` for one sample at a time.
struct SampleQueries {
    /// The observation that is recorded.
    let place: ObservationPlace
    /// The device chain whose ranges count; `nil` if the archive has only one.
    let chainID: Int64?

    private var observationID: Int64 { place.id }

    private static let columns = "s.id, r.rowid, r.version_id, v.payload_hash"

    /// The open range of a sample `s` on the chain, and its version.
    private var visible: String {
        """
        LEFT JOIN sample_visibility_ranges r ON r.sample_id = s.id AND r.last_observation_id IS NULL \(onChain)\
        LEFT JOIN sample_versions v ON v.id = r.version_id
        """
    }

    /// That a range `r` is of the chain.
    private var onChain: String {
        let chain = "(SELECT o.device_chain_id FROM observations o WHERE o.id = r.first_observation_id)"
        return chainID.map { "AND \(chain) = \($0) " } ?? ""
    }

    /// By type and strict fingerprint.
    var findByFingerprint: String {
        """
        SELECT \(Self.columns) FROM samples s \(visible) \
        WHERE s.sample_type_id = ?1 AND s.strict_fingerprint = ?2 LIMIT 1
        """
    }

    /// By type and UUID hash.
    var findByUUID: String {
        """
        SELECT \(Self.columns) FROM samples s \(visible) \
        WHERE s.sample_uuid_hash = ?2 AND s.sample_type_id = ?1 ORDER BY s.id LIMIT 1
        """
    }

    /// Those of the incoming rows, with their numbers.
    var findIncoming: String {
        """
        SELECT \(Self.columns), i.number FROM temp.hp_incoming i \
        CROSS JOIN samples s ON s.sample_type_id = i.type AND s.strict_fingerprint = i.fingerprint \(visible)
        """
    }

    /// Visible ones by the row id of their range: those behind one, up to one, and how many.
    var upcoming: String {
        """
        SELECT r.rowid, r.sample_id, r.version_id, s.sample_type_id, s.strict_fingerprint, v.payload_hash \
        FROM sample_visibility_ranges r CROSS JOIN samples s ON s.id = r.sample_id \
        CROSS JOIN sample_versions v ON v.id = r.version_id \
        WHERE r.last_observation_id IS NULL AND r.rowid > ?1 AND r.rowid <= ?2 \(onChain)ORDER BY r.rowid LIMIT ?3
        """
    }

    /// A sample; nothing where there is one with its fingerprint.
    var insertSample: String {
        """
        INSERT OR IGNORE INTO samples(\(SampleStatements.SampleColumn.names), first_seen_observation_id) \
        VALUES (\(SampleStatements.SampleColumn.parameters), \(observationID))
        """
    }

    /// A version.
    var insertVersion: String {
        """
        INSERT INTO sample_versions(\(SampleStatements.VersionColumn.names), created_observation_id) \
        VALUES (\(SampleStatements.VersionColumn.parameters), \(observationID))
        """
    }

    /// An event: sample, version, kind, moment, evidence; none if the date has one of the kind.
    var insertEvent: String {
        let values = "\(observationID), ?1, ?2, ?3, ?4, ?5"
        return """
            INSERT OR IGNORE INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, \
            observed_at, evidence_kind) \
            \(place.sameDate.isEmpty ? "VALUES (\(values))" : "SELECT \(values) WHERE NOT EXISTS (\(events("?3")))")
            """
    }

    /// A query for an event of a kind, of this date, for a sample.
    var hasEvent: String { events("?2") }

    private func events(_ kind: String) -> String {
        """
        SELECT 1, evidence_kind, observation_id FROM sample_observation_events \
        WHERE observation_id IN \(place.ofDate) AND sample_id = ?1 AND event_kind = \(kind)
        """
    }

    /// A query that finds a row if events of this date name payloads of a sample, and not this one.
    var hasOtherPayload: String {
        """
        SELECT 1 WHERE (SELECT min(v.payload_hash IS NOT ?2) FROM sample_observation_events e \
        JOIN sample_versions v ON v.id = e.version_id WHERE e.sample_id = ?1 \
        AND e.observation_id IN \(place.ofDate) AND e.event_kind <> 'disappeared')
        """
    }

    /// The payload of a sample that an event of this date names.
    var datePayload: String {
        """
        SELECT min(v.payload_hash) FROM sample_observation_events e JOIN sample_versions v ON v.id = e.version_id \
        WHERE e.sample_id = ?1 AND e.observation_id IN \(place.ofDate) AND e.event_kind <> 'disappeared'
        """
    }

    /// A sample without a UUID that this observation saw first: its id, and its visible payload.
    var firstOfThis: String {
        """
        SELECT s.id, v.payload_hash FROM samples s \(visible) WHERE s.sample_type_id = ?1 \
        AND s.strict_fingerprint = ?2 AND s.first_seen_observation_id = \(observationID) \
        AND s.sample_uuid_hash IS NULL AND v.id IS NOT NULL
        """
    }

    /// A range that begins here: sample, version, last observation, both moments.
    var insertRange: String {
        """
        INSERT INTO sample_visibility_ranges(sample_id, version_id, first_observation_id, last_observation_id, \
        first_seen_at, last_seen_at) VALUES (?1, ?2, \(observationID), ?3, ?4, ?5)
        """
    }

    /// Ends a range here: row id.
    var updateRange: String { RangeEnd.update(observationID, chainID: place.chainID) + " WHERE rowid = ?1" }

    /// A query for a range of a sample that began before this date and ends with it.
    var closedNow: String {
        """
        SELECT 1 FROM sample_visibility_ranges WHERE sample_id = ?1 \
        AND last_observation_id IN \(place.ofDate) AND first_observation_id < \(place.firstOfDate) LIMIT 1
        """
    }
}
