import Archive
import CanonicalJSON
import Exports
import Files
import Tool

/// `hp-verify reproduce`.
enum ReproduceCommand {
    static let command = Tool.Command(
        "reproduce", "recompute recorded exports and compare them with what was recorded", usage: ["ARCHIVE [OPTIONS]"],
        about: [
            .text(
                "Recomputes every recorded export from the archive, in memory, and compares it item by item with "
                    + "what was recorded. The archive is only read. For each export one of:"),
            .terms([
                Tool.Term("same", "header, items and manifest hash are the recorded ones"),
                Tool.Term("changed", "something differs: what the archive says of it changed since"),
                Tool.Term("other_version", "something differs, and another version of the tools made the export"),
                Tool.Term("not_ours", "it cannot be recomputed: another tool made it"),
            ]),
        ], operands: [Tool.Operand(.archive)],
        options: [
            Tool.Option("--export", .text("ID"), isRepeatable: true, "only the export with this id"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("items that differ of an export"),
            VerifyOptions.json, VerifyOptions.quiet, Progress.option,
        ], example: "archive.sqlite",
        exitStatus: [
            Tool.Term("0", "all are the same"), Tool.Term("1", "at least one is not, or there is none"),
            Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
        ], onlyReads: { _ in true }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let limit = try arguments.integer("--max-findings") ?? 1000
        let form = try Progress.Form(arguments)
        var junit = try JUnitFile.begin(arguments, apart: Archive.ownFiles(of: path))
        let archive = try Archive.open(path, for: .evidence, wait: LockWait(shouldStop: { Signals.first != nil }))
        try archive.requireKeys()
        let records = try chosen(arguments, archive)
        let progress = Progress("exports", total: records.count, form: form)
        defer { progress.end() }
        var results: [ReproducedExport] = []
        for record in records {
            results.append(try reproduce(record, archive, limit: limit))
            progress.update(results.count)
        }
        if let signal = Signals.first { return .stopped(by: signal) }
        progress.end()
        let reproduced = ReproductionOutput(results: results, path: path, isUnchanged: archive.isUnchanged())
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? reproduced.json : reproduced.text)
        try output.flush()
        try junit?.publish(JUnitReport(reproduced))
        return reproduced.isGood ? .good : .findings
    }

    private static func chosen(_ arguments: Arguments, _ archive: borrowing Archive) throws -> [ExportRecord] {
        guard let ids = try arguments.texts("--export") else { return try archive.exportRecords() }
        var records: [ExportRecord] = []
        for id in ids {
            guard let record = try archive.exportRecord(id) else {
                throw UsageError(
                    "the archive recorded no export \(printable(id.utf8))")
            }
            records.append(record)
        }
        return records
    }

    private static func reproduce(_ record: ExportRecord, _ archive: borrowing Archive, limit: Int) throws
        -> ReproducedExport
    {
        var differences: [ItemComparison.Difference] = []
        let reproduction = try Reproduction.run(record, of: archive, shouldStop: { Signals.first != nil }) {
            if differences.count < limit { differences.append($0) }
        }
        return ReproducedExport(record: record, reproduction: reproduction, differences: differences)
    }
}

/// An export that was recomputed, and the items that differ as far as they are listed.
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
