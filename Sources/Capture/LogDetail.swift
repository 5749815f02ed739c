internal import CanonicalJSON
internal import Recording

/// What stands in `context_log.detail_json`: counts, statuses and codes.
enum LogDetail {
    enum Value {
        case bool(Bool)
        case integer(Int)
        case text(String)
    }

    static func text(_ members: [String: Value]) -> String {
        var json = Writer()
        write(members, to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// What a capture did; counts of zero are left out.
    static func text(of counts: CaptureCounts, status: String) -> String {
        var members: [String: Value] = ["status": .text(status)]
        for (name, count) in numbers(counts) where count > 0 { members[name] = .integer(count) }
        return text(members)
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

    private static func write(_ members: [String: Value], to json: inout Writer) {
        json.beginObject()
        // The names are ASCII.
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            json.key(Key(name))
            switch value {
            case .bool(let value): json.bool(value)
            case .integer(let value): json.integer(Int64(value))
            case .text(let value): json.string(value)
            }
        }
        json.endObject()
    }
}
