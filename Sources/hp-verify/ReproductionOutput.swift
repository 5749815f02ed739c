import Archive
import CanonicalJSON
import Exports
import Files
import Tool

/// How reproductions are printed, for people and for machines (`Spec/schemas/reproduce-result.json`).
struct ReproductionOutput {
    let results: [ReproducedExport]
    let path: Path
    /// Whether the archive stayed as it was while it was read.
    let isUnchanged: Bool

    /// Whether there was something to recompute, and all of it is the same.
    var isGood: Bool {
        isUnchanged && !results.isEmpty && results.allSatisfy { $0.reproduction.outcome == .same }
    }

    /// A line per export, and one per item that differs.
    var text: [UInt8] {
        let same = results.count { $0.reproduction.outcome == .same }
        var text =
            results.isEmpty
            ? "\(path.display): no export is recorded, so nothing was reproduced\n"
            : "\(path.display): \(same) of \(results.count) recorded exports reproduced\n"
        if !isUnchanged { text += "  archive.changed: the archive changed while it was read\n" }
        for result in results {
            let reproduction = result.reproduction
            text +=
                "  \(printable(result.record.exportID.utf8))  \(printable(result.record.exportKind.utf8))  "
                + "\(result.outcome)"
            if reproduction.outcome == .otherGenerator {
                text += ", made by version \(printable(reproduction.generatorVersion.utf8, limit: 40))"
            }
            text += reproduction.outcome == .notOurs ? "\n" : "  \(reproduction.itemCount) items\n"
            guard reproduction.outcome == .changed || reproduction.outcome == .otherGenerator else { continue }
            if !reproduction.hasSameHeader { text += "    header differs: observations, coverage or scope\n" }
            if !reproduction.hasSameManifest { text += "    manifest hash differs\n" }
            for difference in result.differences { text += "    \(Self.line(difference))\n" }
            let rest = reproduction.differenceCount - result.differences.count
            if rest > 0 { text += "    \(rest) more items differ\n" }
        }
        return Array(text.utf8)
    }

    private static func line(_ difference: ItemComparison.Difference) -> String {
        func place(_ sample: Int64, _ version: Int64?) -> String {
            "samples row \(sample)\(version.map { ", sample_versions row \($0)" } ?? "")"
        }
        return switch difference {
        case .unknown(let sample, let version): "not recorded: \(place(sample, version))"
        case .absent(let sample, let version): "recorded, and no longer in the archive: \(place(sample, version))"
        case .hash(let sample, let version, let recorded, let made):
            "item hash differs: \(place(sample, version)), expected \(printable(recorded.utf8, limit: 64)), found "
                + "\(made)"
        }
    }

    /// One object with a member per export.
    var json: [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("archive", path.display)
        json.key("archive_changed")
        json.bool(!isUnchanged)
        json.key("exports")
        json.beginArray()
        for result in results { Self.write(result, &json) }
        json.endArray()
        json.member("result", isGood ? "ok" : "findings")
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    private static func write(_ result: ReproducedExport, _ json: inout Writer) {
        let reproduction = result.reproduction
        json.beginObject()
        json.key("difference_count")
        json.integer(Int64(reproduction.differenceCount))
        json.key("differences")
        json.beginArray()
        for difference in result.differences { write(difference, &json) }
        json.endArray()
        json.member("export_id", printable(result.record.exportID.utf8))
        json.member("export_kind", printable(result.record.exportKind.utf8))
        json.member("generator_version", printable(reproduction.generatorVersion.utf8))
        json.key("item_count")
        json.integer(Int64(reproduction.itemCount))
        json.member("outcome", result.outcome)
        json.key("same_header")
        json.bool(reproduction.hasSameHeader)
        json.key("same_manifest_hash")
        json.bool(reproduction.hasSameManifest)
        json.endObject()
    }

    private static func write(_ difference: ItemComparison.Difference, _ json: inout Writer) {
        json.beginObject()
        switch difference {
        case .unknown(let sample, let version): write("item_unknown", sample, version, &json)
        case .absent(let sample, let version): write("item_absent", sample, version, &json)
        case .hash(let sample, let version, let recorded, let made):
            json.member("expected", printable(recorded.utf8, limit: 64))
            json.member("found", made)
            write("item_hash", sample, version, &json)
        }
        json.endObject()
    }

    /// Row ids are text: they need not be exact as JSON numbers.
    private static func write(_ kind: String, _ sample: Int64, _ version: Int64?, _ json: inout Writer) {
        json.member("kind", kind)
        json.member("sample_id", String(sample))
        if let version { json.member("version_id", String(version)) }
    }
}
