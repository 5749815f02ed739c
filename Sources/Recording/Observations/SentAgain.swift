internal import Archive
internal import SQLite

/// Holds a source that is sent again against the observations of its date, before its transaction is rolled back or
/// kept (`Spec/capture.md`, "Sent again").
///
///     compared       nothing may differ; a source that ended early may have less
///     goes beyond    nothing of what was captured may be missing or contradicted, and there is more
///     resumed        all that was captured is sent again, and nothing contradicts it, before anything is kept
struct SentAgain {
    let place: ObservationPlace
    /// The last event before.
    let lastEventID: Int64

    private var captured: String { place.captured }

    /// Returns the differences; of an observation that goes beyond another, they also show if it is kept.
    ///
    /// - Parameters:
    ///   - source: how the source ended.
    ///   - status: the status that a new observation would have.
    ///   - samples: the recorder that wrote what was sent.
    func differences(
        _ source: SourceEnd, _ status: String, _ samples: borrowing SampleRecorder, _ connection: borrowing Connection
    ) throws(ArchiveError) -> ObservationDifferences {
        var differences = ObservationDifferences()
        guard let known = place.goesBeyond else {
            differences.types = try types(connection)
            if source == .complete, !samples.counts.hasEvidence { differences.fault = try missing(connection) }
            return differences
        }
        differences.fault = try contradiction(samples, connection)
        var hasMore = samples.counts.hasEvidence
        if !hasMore { hasMore = try hasMoreRanges(connection) }
        if !hasMore { hasMore = try hasMoreRuns(than: known, source, status, connection) }
        if differences.fault == nil, hasMore || source == .complete {
            differences.fault = try lost(of: known, connection)
        }
        differences.isLonger = hasMore && differences.fault == nil
        return differences
    }

    private func types(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        var rows = try connection.prepare(
            """
            SELECT DISTINCT type_identifier FROM sample_observation_events e JOIN samples s ON s.id = e.sample_id \
            JOIN sample_types t ON t.id = s.sample_type_id WHERE e.id > \(lastEventID) ORDER BY 1
            """)
        var types: [String] = []
        while try rows.step() { types.append(rows.text(0) ?? "") }
        return types
    }

    // MARK: Missing

    /// Returns the first thing that an observation has and that was not sent again.
    func lost(of known: Int64, _ connection: borrowing Connection) throws(ArchiveError)
        -> ObservationDifferences.Fault?
    {
        if let fault = try missing(connection) { return fault }
        if let fault = try lostNotes(connection) { return fault }
        return try otherRun(than: known, connection)
    }

    /// Returns `true` if everything of the resumed observation was sent again.
    ///
    /// - Parameter next: the first event that may not have been sent again. Each is looked at about once, however
    ///   often this is asked.
    func isAllSent(from next: inout Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let unsent = try connection.integer(
            """
            SELECT e.id FROM sample_observation_events e WHERE e.id BETWEEN \(next) AND \(lastEventID)
                AND +e.observation_id = \(place.id) AND (\(Self.isUnsentRecord) OR \(Self.isUnsentDeletion))
            ORDER BY e.id LIMIT 1
            """)
        next = unsent ?? lastEventID
        guard unsent == nil else { return false }
        // Its relationships are written with its end.
        if try lostNotes(connection) != nil { return false }
        return try otherRun(than: place.id, connection) == nil
    }

    /// A condition that is true if an event `e` is of a record, or of a deleted object, that was not sent.
    private static let isUnsentRecord =
        "event_kind IN ('appeared', 'representation_changed') AND NOT \(SeenSamples.isSeen("e.sample_id"))"
    private static let isUnsentDeletion =
        "event_kind = 'disappeared' AND evidence_kind = 'deleted_object' "
        + "AND NOT EXISTS (SELECT 1 FROM temp.deletions_sent n WHERE n.sample_id = e.sample_id)"

    private func missing(_ connection: borrowing Connection) throws(ArchiveError) -> ObservationDifferences.Fault? {
        let events = "sample_observation_events e WHERE observation_id IN \(captured)"
        let records = try fault(
            "records are missing",
            "SELECT DISTINCT sample_id FROM \(events) AND \(Self.isUnsentRecord)", connection)
        if let records { return records }
        let deletions = try fault(
            "deletions are missing", "SELECT sample_id FROM \(events) AND \(Self.isUnsentDeletion)", connection)
        if let deletions { return deletions }
        return try fault(
            "relationships are missing",
            "SELECT source_sample_id AS sample_id FROM sample_relationships r WHERE observation_id IN \(captured) "
                + "AND NOT EXISTS (SELECT 1 FROM temp.seen_links l WHERE l.id = r.id)", connection)
    }

    /// Returns the fault of rejected records and documents that were there and are not sent; `nil` if there is none.
    private func lostNotes(_ connection: borrowing Connection) throws(ArchiveError) -> ObservationDifferences.Fault? {
        var rejected = try connection.prepare(
            """
            SELECT t.type_identifier, count(*) FROM temp.stored_rejections k LEFT JOIN sample_types t
                ON t.id = k.sample_type_id
            WHERE NOT EXISTS (SELECT 1 FROM temp.rejected r
                WHERE r.content_hash = k.content_hash AND r.record_count >= k.record_count) GROUP BY 1 ORDER BY 1
            """)
        if let fault = try Self.fault("rejected records are missing", &rejected) { return fault }
        let ended = "first_observation_id IN \(captured) AND last_observation_id = \(place.id)"
        var documents = try connection.prepare(
            "SELECT kind, count(*) FROM source_documents WHERE \(ended) GROUP BY 1 ORDER BY 1")
        if let fault = try Self.fault("documents are missing", &documents) { return fault }
        return try fault(
            "records are there after all",
            "SELECT sample_id FROM temp.stored_withheld w WHERE NOT EXISTS (SELECT 1 FROM withheld_closures c "
                + "WHERE c.sample_id = w.sample_id AND c.first_observation_id IN \(captured) "
                + "AND c.last_observation_id IS NULL)", connection)
    }

    /// Returns the first type whose run an observation has, and that was not sent again, or otherwise.
    private func otherRun(than known: Int64, _ connection: borrowing Connection) throws(ArchiveError)
        -> ObservationDifferences.Fault?
    {
        let isSame = ["n.status", "n.anchor_before", "n.anchor_after", "g.mode", "g.stated_count"].map {
            "\($0) IS u.\($0.dropFirst(2))"
        }
        var rows = try connection.prepare(
            """
            SELECT t.type_identifier, 1 FROM temp.stored_runs u JOIN sample_types t ON t.id = u.sample_type_id
                LEFT JOIN observation_type_runs n ON n.observation_id = \(place.id)
                    AND n.sample_type_id = u.sample_type_id LEFT JOIN type_run_facts g ON g.type_run_id = n.id
            WHERE u.observation_id = \(known) AND (n.id IS NULL
                OR u.status = 'completed' AND NOT (\(isSame.joined(separator: " AND ")))) ORDER BY 1
            """)
        guard try rows.step() else { return nil }
        return ObservationDifferences.Fault(type: rows.text(0), text: "its run is missing, or ended otherwise")
    }

    // MARK: Contradictions

    /// Returns the first thing that was sent and contradicts what was captured.
    func contradiction(_ samples: borrowing SampleRecorder, _ connection: borrowing Connection)
        throws(ArchiveError) -> ObservationDifferences.Fault?
    {
        if let found = samples.contradictions {
            let type = try connection.text(
                "SELECT type_identifier FROM samples s JOIN sample_types t ON t.id = s.sample_type_id "
                    + "WHERE s.id = \(found.first)")
            return ObservationDifferences.Fault(type: type, text: "\(found.count) records are others")
        }
        let link =
            "n.source_sample_id = r.source_sample_id AND n.target_sample_id = r.target_sample_id "
            + "AND n.relationship_kind = r.relationship_kind AND n.observation_id IN \(captured)"
        var parts = [
            (
                "events after its run was complete",
                "SELECT e.sample_id FROM sample_observation_events e JOIN samples s ON s.id = e.sample_id "
                    + "WHERE e.id > \(lastEventID) AND s.sample_type_id IN (SELECT sample_type_id "
                    + "FROM temp.stored_runs WHERE status = 'completed')"
            ),
            (
                "records are others, or no longer there",
                "SELECT e.sample_id FROM sample_observation_events e WHERE e.id > \(lastEventID) AND (event_kind = "
                    + "'representation_changed' OR event_kind = 'disappeared' AND evidence_kind = 'full_scan') "
                    + "AND EXISTS (SELECT 1 FROM sample_observation_events n WHERE n.sample_id = e.sample_id "
                    + "AND n.observation_id IN \(captured) AND n.id <= \(lastEventID))"
            ),
        ]
        if place.goesBeyond != nil {
            parts.append(
                (
                    "relationships are others",
                    "SELECT r.source_sample_id AS sample_id FROM sample_relationships r "
                        + "WHERE r.observation_id = \(place.id) "
                        + "AND (EXISTS (SELECT 1 FROM sample_relationships n WHERE \(link)) "
                        + "OR EXISTS (SELECT 1 FROM relationship_ends n WHERE \(link)))"
                ))
        }
        for (text, samples) in parts {
            if let fault = try fault(text, samples, connection) { return fault }
        }
        return nil
    }

    // MARK: More

    /// Returns `true` if rejected records or withheld closures are noted, or no longer are.
    private func hasMoreRanges(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        let isOurs = "first_observation_id = \(place.id) OR last_observation_id = \(place.id)"
        return try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM rejected_records WHERE \(isOurs)) "
                + "OR EXISTS (SELECT 1 FROM withheld_closures WHERE \(isOurs))") == 1
    }

    /// Returns `true` if a run is new or completed, or if a source that was read to its end states its runs
    /// differently.
    private func hasMoreRuns(
        than known: Int64, _ source: SourceEnd, _ status: String, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Bool {
        let stored = try connection.text("SELECT status FROM observations WHERE id = \(known)")
        if source == .complete, stored != status { return true }
        let isOther =
            source == .complete ? "(n.status, n.error_kind) IS NOT (u.status, u.error_kind)" : "n.status = 'completed'"
        return try connection.integer(
            """
            SELECT 1 FROM observation_type_runs n LEFT JOIN observation_type_runs u ON u.observation_id = \(known)
                AND u.sample_type_id = n.sample_type_id
            WHERE n.observation_id = \(place.id) AND (u.id IS NULL OR u.status <> 'completed' AND \(isOther)) LIMIT 1
            """) == 1
    }

    // MARK: Faults

    /// Returns the first type that a query of `sample_id` finds, and how many of it.
    private func fault(_ text: String, _ samples: String, _ connection: borrowing Connection) throws(ArchiveError)
        -> ObservationDifferences.Fault?
    {
        var rows = try connection.prepare(
            """
            SELECT type_identifier, count(*) FROM (\(samples)) m JOIN samples s ON s.id = m.sample_id \
            JOIN sample_types t ON t.id = s.sample_type_id GROUP BY 1 ORDER BY 1 LIMIT 1
            """)
        return try Self.fault(text, &rows)
    }

    private static func fault(_ text: String, _ rows: inout Statement) throws(ArchiveError)
        -> ObservationDifferences.Fault?
    {
        guard try rows.step() else { return nil }
        return ObservationDifferences.Fault(type: rows.text(0), text: "\(rows.integer(1) ?? 0) \(text)")
    }
}
