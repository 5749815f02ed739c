import Archive
import CanonicalJSON
import Exports
import Files
import Tool

/// The printed reproductions, for people and for machines (`Spec/schemas/reproduce-result.json`).
struct ReproductionOutput {
    let results: [ReproducedExport]
    let path: Path
    /// `true` if the archive stayed as it was while it was read.
    let isUnchanged: Bool

    /// `true` if there was something to recompute, and all of it is the same.
    var isGood: Bool {
        isUnchanged && !results.isEmpty && results.allSatisfy { $0.reproduction.outcome == .same }
    }

    /// A line per export, and one per item that differs.
    var text: String {
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
                + "\(reproduction.outcome.rawValue)"
            if reproduction.outcome == .otherGenerator {
                text += ", made by version \(printable(reproduction.generatorVersion.utf8, limit: 40))"
            }
            text += reproduction.outcome == .notOurs ? "\n" : "  \(reproduction.itemCount) items\n"
            for line in result.lines { text += "    \(line)\n" }
        }
        return text
    }

    fileprivate static func line(_ difference: Reproduction.Difference) -> String {
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
    var json: JSONObject {
        [
            "archive": path.display, "archive_changed": !isUnchanged, "exports": results.map(Self.json),
            "result": isGood ? "ok" : "findings",
        ]
    }

    private static func json(_ result: ReproducedExport) -> JSONObject {
        let reproduction = result.reproduction
        return [
            "difference_count": reproduction.differenceCount, "differences": result.differences.map(json),
            "export_id": printable(result.record.exportID.utf8),
            "export_kind": printable(result.record.exportKind.utf8),
            "generator_version": printable(reproduction.generatorVersion.utf8),
            "item_count": reproduction.itemCount, "outcome": reproduction.outcome.rawValue,
            "same_header": reproduction.hasSameHeader, "same_manifest_hash": reproduction.hasSameManifest,
        ]
    }

    private static func json(_ difference: Reproduction.Difference) -> JSONObject {
        // Row ids are text: they need not be exact as JSON numbers.
        switch difference {
        case .unknown(let sample, let version):
            ["kind": "item_unknown", "sample_id": String(sample), "version_id": version.map { String($0) }]
        case .absent(let sample, let version):
            ["kind": "item_absent", "sample_id": String(sample), "version_id": version.map { String($0) }]
        case .hash(let sample, let version, let recorded, let made):
            [
                "expected": printable(recorded.utf8, limit: 64), "found": made, "kind": "item_hash",
                "sample_id": String(sample), "version_id": version.map { String($0) },
            ]
        }
    }
}

extension ReproducedExport {
    /// The outcome, and which parts of the export differ.
    var verdict: String {
        let count = reproduction.differenceCount
        let parts = [
            reproduction.hasSameHeader ? nil : "the header",
            count == 0 ? nil : count == 1 ? "1 item" : "\(count) items",
            reproduction.hasSameManifest ? nil : "the manifest hash",
        ].compactMap(\.self)
        guard isCompared, !parts.isEmpty else { return reproduction.outcome.rawValue }
        return "\(reproduction.outcome.rawValue): different: \(parts.joined(separator: ", "))"
    }

    private var isCompared: Bool { reproduction.outcome == .changed || reproduction.outcome == .otherGenerator }

    /// A line for each part of the export that differs.
    var lines: [String] {
        guard isCompared else { return [] }
        var lines: [String] = []
        if !reproduction.hasSameHeader { lines.append("header differs: observations, coverage or scope") }
        if !reproduction.hasSameManifest { lines.append("manifest hash differs") }
        lines += differences.map(ReproductionOutput.line)
        let rest = reproduction.differenceCount - differences.count
        return rest > 0 ? lines + ["\(rest) more items differ"] : lines
    }
}
