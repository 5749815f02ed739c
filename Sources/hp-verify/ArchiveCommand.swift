import Archive
import Files
import Inspection
import ReportCache
import Tool

/// `hp-verify archive`.
enum ArchiveCommand {
    static let command = Tool.Command(
        "archive", "check an archive's integrity, from the file's pages to its recorded exports",
        about: [
            .text("Checks an archive's integrity. The archive is only read. The checks:"),
            .terms([
                Tool.Term("sqlite", "the file's pages, b-trees and indexes"),
                Tool.Term("schema", "tables, columns, keys and indexes beside those of the specification"),
                Tool.Term("references", "ids that name rows which do not exist"),
                Tool.Term("values", "storage classes, texts, dates, counts, words"),
                Tool.Term("manifests", "recorded exports: hashes, counts, questions"),
                Tool.Term("evidence", "what events, runs and the context log say twice"),
                Tool.Term("ranges", "visibility ranges, recomputed from events"),
                Tool.Term("identities", "identities and rows that occur twice; content hashes, recomputed"),
                Tool.Term("aggregates", "summaries and daily buckets, recomputed from ranges"),
                Tool.Term("exports", "recorded exports, recomputed"),
                Tool.Term("history", "entries of the history, recomputed"),
            ]),
        ],
        options: [
            Tool.Option("--head", .file(), "compare with a head of the history that was kept: three lines"),
            Tool.Option("--only", .words("C,...", of: names), isRepeatable: true, "only these checks"),
            Tool.Option("--skip", .words("C,...", of: names), isRepeatable: true, "all checks but these"),
            Tool.Option(
                "--sample", .number("N", in: 1...1_000_000_000),
                "check N rows of a table, and N exports, where a check goes row by row; the same N every time"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("findings of a check"), VerifyOptions.json,
            VerifyOptions.quiet, Progress.option,
        ], example: "archive.sqlite --skip exports", exitStatus: VerifyOptions.exitStatus, run: run)

    private static let names = Check.allCases.map(\.rawValue)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, options) = (call.archive, try options(arguments))
        var junit = try JUnitFile.begin(arguments, apart: Archive.ownFiles(of: path))
        let archive = try call.open()
        let progress = try call.begin("rows")
        let report = try ArchiveInspection.run(archive, options) { progress.add($0) }
        progress.end()
        if let signal = Signals.first { return .stopped(by: signal) }
        let cache = report.isMalformed ? nil : try? ReportCache.differences(from: archive)
        let output = InspectionOutput(report: report, path: path, options: options, cache: cache ?? nil)
        let status = try call.show(output.text, json: output.json, isGood: report.isGood)
        try junit?.publish(JUnitReport(report, of: path))
        return status
    }

    private static func options(_ arguments: Arguments) throws -> InspectionOptions {
        var options = InspectionOptions()
        if let only = try checks("--only", arguments) { options.checks = only }
        if let skipped = try checks("--skip", arguments) { options.checks.subtract(skipped) }
        guard !options.checks.isEmpty else { throw UsageError("no check is left") }
        options.head = try head(arguments)
        options.sample = try arguments.integer("--sample")
        if options.head != nil {
            guard options.sample == nil else { throw UsageError("--head compares everything: leave --sample out") }
            options.checks.formUnion(InspectionOptions.checksOfHead)
        }
        if let limit = try arguments.integer("--max-findings") { options.findingLimit = limit }
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
        try arguments.words(option).map { Set($0.compactMap(Check.init)) }
    }
}
