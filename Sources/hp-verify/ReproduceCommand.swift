import Archive
import Exports
import Files
import Tool

/// `hp-verify reproduce`.
enum ReproduceCommand {
    static let command = Tool.Command(
        "reproduce", "recompute recorded exports and compare them with what was recorded",
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
        ],
        options: [
            Tool.Option("--export", .text("ID"), isRepeatable: true, "only the export with this id"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("items that differ of an export"),
            VerifyOptions.json, VerifyOptions.quiet, Progress.option,
        ], example: "archive.sqlite",
        exitStatus: Tool.Term.statuses("all are the same", findings: "at least one is not, or there is none"), run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, limit) = (call.archive, try arguments.integer("--max-findings") ?? 1000)
        var junit = try JUnitFile.begin(arguments, apart: Archive.ownFiles(of: path))
        let archive = try call.open()
        try archive.requireKeys()
        let records = try chosen(arguments, archive)
        let progress = try call.begin("exports", total: records.count)
        var results: [ReproducedExport] = []
        for record in records {
            results.append(try reproduce(record, archive, limit: limit))
            progress.update(results.count)
        }
        if let signal = Signals.first { return .stopped(by: signal) }
        progress.end()
        let reproduced = ReproductionOutput(results: results, path: path, isUnchanged: archive.isUnchanged())
        let status = try call.show(reproduced.text, json: reproduced.json, isGood: reproduced.isGood)
        try junit?.publish(JUnitReport(reproduced))
        return status
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
        var differences: [Reproduction.Difference] = []
        let began = ContinuousClock.now
        let reproduction = try Reproduction.run(record, of: archive, shouldStop: Signals.shouldStop) {
            if differences.count < limit { differences.append($0) }
        }
        let time = ContinuousClock.now - began
        return ReproducedExport(record: record, reproduction: reproduction, differences: differences, time: time)
    }
}

/// An export that was recomputed, and the items that differ as far as they are listed.
struct ReproducedExport {
    let record: ExportRecord
    let reproduction: Reproduction
    let differences: [Reproduction.Difference]
    let time: Duration
}
