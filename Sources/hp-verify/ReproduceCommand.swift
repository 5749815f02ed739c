import Archive
import CanonicalJSON
import Exports
import Files
import Tool

/// `hp-verify reproduce`.
enum ReproduceCommand {
    static let command = Tool.Command(name: "reproduce", help: help, run: run)

    private static let help = """
        usage: hp-verify reproduce ARCHIVE [OPTIONS]

        Makes every recorded export again from the archive, in memory, and compares it item by item with what
        was recorded. The archive is only read. For each export one of:

          same            header, items and manifest hash are the recorded ones
          changed         something differs: what the archive says of it changed since
          other_version   something differs, and another version of the tools made the export
          not_ours        it cannot be made again: another tool's export

          --export ID        only the export with this id; may be repeated
          --max-findings N   list at most N items that differ of an export, count the others (default 1000)
          --json             print one JSON object
          --quiet            no progress

        example: hp-verify reproduce archive.sqlite
        exit status: 0 all are the same, 1 one is not, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(words, options: ["--export", "--max-findings"], flags: ["--json", "--quiet"])
        guard arguments.operands.count == 1, let path = arguments.operands.first else { throw UsageError("name one archive") }
        let limit = try arguments.integer("--max-findings", in: 0...1_000_000) ?? 1000
        let archive = try Archive.open(path, for: .evidence, patience: Patience(shouldStop: { Signals.first != nil }))
        let records = try chosen(arguments, archive)
        let progress = Progress("exports", total: records.count, isQuiet: arguments.has("--quiet"))
        defer { progress.end() }
        var results: [ReproducedExport] = []
        for record in records {
            results.append(try reproduce(record, archive, limit: limit))
            progress.update(results.count)
        }
        if let signal = Signals.first { return .stopped(by: signal) }
        progress.end()
        let isUnchanged = archive.isUnchanged()
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? ReproductionOutput.json(results, of: path, isUnchanged: isUnchanged) : ReproductionOutput.text(results, of: path, isUnchanged: isUnchanged))
        try output.flush()
        return isUnchanged && results.allSatisfy { $0.reproduction.outcome == .same } ? .good : .findings
    }

    private static func chosen(_ arguments: Arguments, _ archive: borrowing Archive) throws -> [ExportRecord] {
        guard let ids = try arguments.texts("--export") else { return try archive.exportRecords() }
        var records: [ExportRecord] = []
        for id in ids {
            guard let record = try archive.exportRecord(id) else { throw UsageError("the archive recorded no export \(printable(id.utf8))") }
            records.append(record)
        }
        return records
    }

    private static func reproduce(_ record: ExportRecord, _ archive: borrowing Archive, limit: Int) throws -> ReproducedExport {
        var differences: [ItemComparison.Difference] = []
        let reproduction = try Reproduction.run(record, of: archive, shouldStop: { Signals.first != nil }) { if differences.count < limit { differences.append($0) } }
        return ReproducedExport(record: record, reproduction: reproduction, differences: differences)
    }
}

/// An export that was made again, and the items that differ as far as they are listed.
struct ReproducedExport {
    let record: ExportRecord
    let reproduction: Reproduction
    let differences: [ItemComparison.Difference]

    /// The outcome as it is spelled in every output.
    var outcome: String {
        switch reproduction.outcome {
        case .same: "same"
        case .changed: "changed"
        case .otherGenerator: "other_version"
        case .notOurs: "not_ours"
        }
    }
}

/// How reproductions are printed, for people and for machines (`Spec/schemas/reproduce-result.json`).
enum ReproductionOutput {
    /// A line per export, and one per item that differs.
    static func text(_ results: [ReproducedExport], of path: Path, isUnchanged: Bool) -> [UInt8] {
        let same = results.count { $0.reproduction.outcome == .same }
        var text = "\(path.display): \(same) of \(results.count) recorded exports come out the same\n"
        if !isUnchanged { text += "  archive.changed: the archive changed while it was read\n" }
        for result in results {
            let reproduction = result.reproduction
            text += "  \(printable(result.record.exportID.utf8))  \(printable(result.record.exportKind.utf8))  \(result.outcome)"
            if reproduction.outcome == .otherGenerator { text += ", made by version \(printable(reproduction.generatorVersion.utf8, limit: 40))" }
            text += reproduction.outcome == .notOurs ? "\n" : "  \(reproduction.itemCount) items\n"
            guard reproduction.outcome == .changed || reproduction.outcome == .otherGenerator else { continue }
            if !reproduction.hasSameHeader { text += "    another header: observations, coverage or scope say something else\n" }
            if !reproduction.hasSameManifest { text += "    another manifest hash\n" }
            for difference in result.differences { text += "    \(line(difference))\n" }
            let rest = reproduction.differenceCount - result.differences.count
            if rest > 0 { text += "    \(rest) more items differ\n" }
        }
        return Array(text.utf8)
    }

    private static func line(_ difference: ItemComparison.Difference) -> String {
        func place(_ sample: Int64, _ version: Int64?) -> String { "samples row \(sample)\(version.map { ", sample_versions row \($0)" } ?? "")" }
        return switch difference {
        case .unknown(let sample, let version): "not recorded: \(place(sample, version))"
        case .absent(let sample, let version): "recorded and no longer there: \(place(sample, version))"
        case .hash(let sample, let version, let recorded, let made): "another item hash: \(place(sample, version)), expected \(printable(recorded.utf8, limit: 64)), found \(made)"
        }
    }

    /// One object with a member per export.
    static func json(_ results: [ReproducedExport], of path: Path, isUnchanged: Bool) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("archive", path.display)
        json.key("archive_changed")
        json.bool(!isUnchanged)
        json.key("exports")
        json.beginArray()
        for result in results { write(result, &json) }
        json.endArray()
        json.member("result", isUnchanged && results.allSatisfy { $0.reproduction.outcome == .same } ? "ok" : "findings")
        json.endObject()
        json.append(0x0A)
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
