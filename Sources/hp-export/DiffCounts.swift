import Archive
import CanonicalJSON
import Files
import ReportCache
import Tool

/// The counts of a summary alone: by sample type, from the report cache where it has them (`Spec/cache.md`).
enum DiffCounts {
    /// Prints them; `hp-export diff --summary --counts`.
    static func show(_ archive: borrowing Archive, _ from: Int64, _ to: Int64, isJSON: Bool, _ call: Call) throws
        -> ExitStatus
    {
        let (found, isCached) = try ReportCache.changes(of: [(from, to)], in: archive)
        return try call.show(
            text(archive, from, to, found[0], isCached: isCached),
            json: [
                "counts_from": isCached ? "cache" : "archive", "from_observation_id": from, "to_observation_id": to,
                "types": found[0].map(json),
            ], asJSON: isJSON)
    }

    private static func json(_ type: ReportCache.Changes) -> JSONObject {
        [
            "appeared_count": type.appeared, "consolidation_likely": type.isConsolidationLikely,
            "disappeared_count": type.disappeared, "reasons": type.reasons,
            "representation_changed_count": type.representationChanged, "sample_type": type.type,
        ]
    }

    private static func text(
        _ archive: borrowing Archive, _ from: Int64, _ to: Int64, _ types: [ReportCache.Changes], isCached: Bool
    ) throws -> String {
        var table = TextTable([
            ("type", false), ("appeared", true), ("changed", true), ("no longer visible", true),
            ("consolidation", false), ("uncertain", false),
        ])
        for type in types {
            table.add([
                type.type.map { printable($0.utf8, limit: 60) } ?? "-", String(type.appeared),
                String(type.representationChanged), String(type.disappeared),
                type.isConsolidationLikely ? "likely" : "-",
                type.reasons.isEmpty
                    ? "-" : type.reasons.map { $0.replacing("_", with: " ") }.joined(separator: ", "),
            ])
        }
        let head = "\(try archive.observationLabel(to)) compared with \(try archive.observationLabel(from))\n\n"
        let source = isCached ? "from the cache\n" : ""
        return head + (table.isEmpty ? "no changes\n" : table.text + "cause not inferred\n") + source
    }
}
