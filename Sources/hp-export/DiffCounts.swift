import Archive
import CanonicalJSON
import Files
import ReportCache
import Tool

/// The counts of a summary alone: by sample type, from the report cache where it has them (`Spec/cache.md`).
enum DiffCounts {
    /// Prints them; `hp-export diff --summary --counts`.
    static func show(_ archive: borrowing Archive, _ from: Int64, _ to: Int64, isJSON: Bool) throws {
        let (found, isCached) = try ReportCache.changes(of: [(from, to)], in: archive)
        var output = try StandardOutput()
        try output.write(
            isJSON
                ? json(from, to, found[0], isCached: isCached)
                : Array((try text(archive, from, to, found[0], isCached: isCached)).utf8))
        try output.flush()
    }

    private static func json(_ from: Int64, _ to: Int64, _ types: [ReportCache.Changes], isCached: Bool) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("counts_from", isCached ? "cache" : "archive")
        json.member("from_observation_id", from)
        json.member("to_observation_id", to)
        json.key("types")
        json.beginArray()
        for type in types {
            json.beginObject()
            json.member("appeared_count", type.appeared)
            json.member("consolidation_likely", type.isConsolidationLikely)
            json.member("disappeared_count", type.disappeared)
            json.key("reasons")
            json.beginArray()
            for reason in type.reasons { json.string(reason) }
            json.endArray()
            json.member("representation_changed_count", type.representationChanged)
            if let name = type.type { json.member("sample_type", name) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
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
