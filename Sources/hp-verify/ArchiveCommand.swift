import Archive
import Files
import Inspection
import Synchronization
import Tool

/// `hp-verify archive`.
enum ArchiveCommand {
    static let command = Tool.Command(name: "archive", help: help, run: run)

    private static let help = """
        usage: hp-verify archive ARCHIVE [OPTIONS]

        Checks an archive's integrity. The archive is only read. The checks:

          sqlite      the file's pages, b-trees and indexes
          schema      tables, columns, keys and indexes beside those of the specification
          references  ids that name rows which do not exist
          values      storage classes, texts, dates, counts, words
          manifests   recorded exports: hashes, counts, questions
          evidence    what events, runs and the context log say twice
          ranges      visibility ranges, recomputed from events
          identities  identities and rows that occur twice; content hashes, recomputed
          aggregates  summaries and daily buckets, recomputed from ranges
          exports     recorded exports, recomputed
          history     entries of the history, recomputed

          --head FILE        a head of the history that was kept elsewhere: three lines
          --only C,...       only these checks
          --skip C,...       all checks but these
          --sample N         check N rows of a table, and N exports, where a check goes row by row; the same N \
        every time
          --junit FILE       write the results for build servers, too; an existing FILE is refused
          --force            replace it
          --max-findings N   list at most N findings of a check, count the others (default 1000)
          --json             print one JSON object
          --quiet            no progress
          --progress json    progress as a line of JSON each second, on standard error

        example: hp-verify archive archive.sqlite --skip exports
        exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ["--only", "--skip", "--head", "--sample", "--junit", "--max-findings", Progress.option],
            flags: ["--force", "--json", "--quiet"])
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let options = try options(arguments)
        let form = try Progress.Form(arguments)
        var junit = try JUnitFile.begin(arguments, apart: Archive.ownFiles(of: path))
        let archive = try Archive.open(path, for: .evidence, wait: LockWait(shouldStop: { Signals.first != nil }))
        let report = try inspect(archive, options, form)
        if let signal = Signals.first { return .stopped(by: signal) }
        var output = try StandardOutput()
        try output.write(
            arguments.has("--json")
                ? InspectionOutput.json(report, of: path, options) : InspectionOutput.text(report, of: path, options))
        try output.flush()
        try junit?.publish(JUnitReport(report, of: path))
        return report.isGood ? .good : .findings
    }

    private static func inspect(
        _ archive: borrowing Archive, _ options: InspectionOptions, _ form: Progress.Form
    ) throws -> InspectionReport {
        let progress = Progress("rows", total: nil, form: form)
        defer { progress.end() }
        let count = Mutex(0)
        return try ArchiveInspection.run(archive, options) { more in
            let done = count.withLock { count in
                count += more
                return count
            }
            progress.update(done)
        }
    }

    private static func options(_ arguments: Arguments) throws -> InspectionOptions {
        var options = InspectionOptions()
        if let only = try checks("--only", arguments) { options.checks = only }
        if let skipped = try checks("--skip", arguments) { options.checks.subtract(skipped) }
        guard !options.checks.isEmpty else { throw UsageError("no check is left") }
        options.head = try head(arguments)
        options.sample = try arguments.integer("--sample", in: 1...1_000_000_000)
        if let limit = try arguments.integer("--max-findings", in: 0...1_000_000) { options.findingLimit = limit }
        return options
    }

    private static func head(_ arguments: Arguments) throws -> HistoryHead? {
        guard let path = try arguments.path("--head") else { return nil }
        let file = try Descriptor.reading(path)
        var bytes = [UInt8](repeating: 0, count: 4097)
        let count = try file.read(into: &bytes)
        guard let head = HistoryHead(Array(bytes.prefix(count))) else {
            throw UsageError("\(path.display): no head, which has the lines archive, length and link")
        }
        return head
    }

    private static func checks(_ option: String, _ arguments: Arguments) throws(UsageError) -> Set<Check>? {
        guard let texts = try arguments.texts(option) else { return nil }
        var checks: Set<Check> = []
        for name in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            guard let check = Check(rawValue: String(name)) else {
                let names = Check.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(option) accepts \(names), not \(printable(name.utf8))")
            }
            checks.insert(check)
        }
        return checks
    }
}
