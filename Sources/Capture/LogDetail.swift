internal import CanonicalJSON
internal import Recording

/// What stands in `context_log.detail_json`: counts, statuses and codes.
enum LogDetail {
    /// What a capture did; counts of zero are left out.
    static func text(of counts: CaptureCounts, status: String) -> String {
        let numbers = JSONObject(numbers(counts).filter { $0.count > 0 }.map { ($0.name, $0.count) })
        return numbers.adding(["status": status]).text
    }

    /// What of a source is not as it was captured.
    static func differences(_ counts: CaptureCounts) -> String {
        numbers(counts).filter {
            $0.count > 0
                && [
                    "appeared", "disappeared", "ended_relationships", "gone_documents", "new_documents",
                    "new_relationships", "new_samples", "new_versions", "representation_changed",
                ].contains($0.name)
        }
        .map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }

    static func numbers(_ counts: CaptureCounts) -> [(name: String, count: Int)] {
        [
            ("appeared", counts.appeared), ("conflicts", counts.conflicts),
            ("correlation_member_only", counts.correlationMembersOnly), ("deleted_objects", counts.deletedObjects),
            ("disappeared", counts.disappeared), ("ended_relationships", counts.endedRelationships),
            ("gone_documents", counts.goneDocuments), ("new_documents", counts.newDocuments),
            ("new_relationships", counts.newRelationships),
            ("new_samples", counts.newSamples), ("new_versions", counts.newVersions),
            ("records", counts.records), ("rejected", counts.rejected.values.reduce(0, +)),
            ("representation_changed", counts.representationChanged), ("unchanged", counts.unchanged),
            ("withheld", counts.withheld),
        ]
    }
}
