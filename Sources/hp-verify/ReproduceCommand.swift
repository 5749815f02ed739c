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

        Recomputes every recorded export from the archive, in memory, and compares it item by item with what
        was recorded. The archive is only read. For each export one of:

          same            header, items and manifest hash are the recorded ones
          changed         something differs: what the archive says of it changed since
          other_version   something differs, and another version of the tools made the export
          not_ours        it cannot be recomputed: another tool made it

          --export ID        only the export with this id; may be repeated
          --junit FILE       write the results for build servers, too; an existing FILE is refused
          --force            replace it
          --max-findings N   list at most N items that differ of an export, count the others (default 1000)
          --json             print one JSON object
          --quiet            no progress
          --progress json    progress as a line of JSON each second, on standard error

        example: hp-verify reproduce archive.sqlite
        exit status: 0 all are the same, 1 at least one is not, or there is none, 2 could not be done,
        128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ["--export", "--junit", "--max-findings", Progress.option],
            flags: ["--force", "--json", "--quiet"])
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let limit = try arguments.integer("--max-findings", in: 0...1_000_000) ?? 1000
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
