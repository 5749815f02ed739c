internal import Archive
internal import SQLite

/// The results of a capture, in numbers.
public struct CaptureCounts: Sendable, Equatable {
    /// Records that the source gave, rejected ones not included.
    public var records = 0
    /// Samples that were not in the archive before.
    public var newSamples = 0
    /// Versions that were not in the archive before.
    public var newVersions = 0
    public var appeared = 0
    public var representationChanged = 0
    public var disappeared = 0
    /// Records that are as they were, or that were sent again.
    public var unchanged = 0
    public var deletedObjects = 0
    /// Links that are new, returned, or have other metadata.
    public var newRelationships = 0
    public var endedRelationships = 0
    /// Records that contradict another record of the same sample in the same observation.
    public var conflicts = 0
    /// Records of a correlation that the top level does not have.
    public var correlationMembersOnly = 0
    /// Documents that were not in the archive before.
    public var newDocuments = 0
    /// Documents that the source no longer has.
    public var goneDocuments = 0
    /// Samples that were not seen and are not closed, because a rejected record could be one of them.
    public var withheld = 0
    /// Rejected records by reason.
    public var rejected: [String: Int] = [:]
    /// The place of the first record that was rejected, by reason.
    public var firstRejections: [String: String] = [:]

    /// Nothing yet.
    public init() {}

    /// `true` if any evidence was written.
    public var hasEvidence: Bool {
        newSamples + newVersions + appeared + representationChanged + disappeared + newRelationships
            + endedRelationships + newDocuments + goneDocuments > 0
    }

    /// States what an observation that has ended has of changes: what its summaries say, also of what an earlier
    /// process wrote, and not of what came and went in it.
    ///
    /// - Parameter isResumed: whether an earlier process wrote a part of it.
    mutating func become(whatChangedAt id: Int64, isResumed: Bool, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        var row = try connection.prepare(
            """
            SELECT total(appeared_count), total(representation_changed_count), total(disappeared_count),
                CASE WHEN ?2 THEN (SELECT count(*) FROM sample_observation_events WHERE observation_id = ?1
                    AND event_kind <> 'disappeared') ELSE ?3 END
            FROM observation_type_summaries WHERE observation_id = ?1
            """)
        row.bind(1, id)
        row.bind(2, isResumed ? 1 : 0)
        row.bind(3, Int64(appeared + representationChanged))
        guard try row.step() else { return }
        // Records of an earlier process were sent again, and counted as they are.
        unchanged = max(0, unchanged - Int(row.integer(3) ?? 0) + appeared + representationChanged)
        appeared = Int(row.real(0) ?? 0)
        representationChanged = Int(row.real(1) ?? 0)
        disappeared = Int(row.real(2) ?? 0)
    }
}
