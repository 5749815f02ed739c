import Archive
import CanonicalJSON
import Exports
import Files
import ReportCache
import Tool

/// `hp-export cache`.
enum CacheCommand {
    static let command = Tool.Command(
        "cache", "keep figures of the archive in a second file, for screens",
        usage: ["ARCHIVE \(words.joined(separator: "|")) [OPTIONS]"],
        about: [
            .text(
                "Keeps ARCHIVE.cache, a SQLite file with figures that are derived from the archive: observations, "
                    + "sample types, days, changes between neighbouring observations, exports, and the health that "
                    + "check logged. Deleting it loses nothing. The archive is only read."),
            .terms([
                Tool.Term("status", "say whether it is there and can be used, and why not"),
                Tool.Term("rebuild", "make it, or make the rows anew of observations that are new or changed"),
                Tool.Term("drop", "delete it"),
            ]),
        ], operands: [Tool.Operand(.archive), Tool.Operand(.word(words))],
        options: [
            Tool.Option("--whole", "make every row anew"), ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was found or done as one JSON object"),
        ], example: "archive.sqlite rebuild",
        exitStatus: [
            Tool.Term("0", "done; of status, the cache can be used"), Tool.Term("1", "of status, it cannot"),
            Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
        ], run: run)

    private static let words = ["status", "rebuild", "drop"]

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        guard arguments.operands.count == 2 else {
            throw UsageError("name an archive, and one of \(words.joined(separator: ", "))")
        }
        let (path, word) = (arguments.operands[0], String(decoding: arguments.operands[1].bytes, as: UTF8.self))
        guard words.contains(word) else {
            throw UsageError(
                "there is no cache \(arguments.operands[1].display): status, rebuild or drop",
                hint: NearestName.hint(for: arguments.operands[1].bytes, among: words))
        }
        let archive = try Archive.open(
            path, for: .reading,
            wait: LockWait(
                seconds: Double(try arguments.integer("--wait") ?? 60), shouldStop: { Signals.first != nil }))
        var json = Writer()
        json.beginObject()
        json.member("archive", path.display)
        var text: String
        var exit = ExitStatus.good
        switch word {
        case "status":
            let status = try ReportCache.status(of: archive)
            text = write(status, to: &json)
            if case .current = status {} else { exit = .findings }
        case "rebuild":
            let isWhole = arguments.has("--whole")
            text = write(try ReportCache.rebuild(archive, isWhole: isWhole, now: SystemClock.now()), to: &json)
        default:
            let isThere = try ReportCache.drop(archive)
            json.member("dropped", isThere)
            text = isThere ? "the cache is deleted" : "there is no cache"
        }
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        text = "\(Archive.cachePath(of: archive.file).display): \(text)\n"
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? json.bytes : Array(text.utf8))
        try output.flush()
        return exit
    }

    private static func write(_ status: ReportCache.Status, to json: inout Writer) -> String {
        switch status {
        case .absent:
            json.member("status", "absent")
            return "there is no cache"
        case .current(let buildID):
            json.member("build_id", buildID)
            json.member("status", "current")
            return "current"
        case .outdated(let reasons):
            write(reasons, to: &json)
            json.member("status", "outdated")
            return "outdated: \(reasons.map(\.rawValue).joined(separator: ", "))"
        }
    }

    private static func write(_ reasons: [ReportCache.Reason], to json: inout Writer) {
        json.key("reasons")
        json.beginArray()
        for reason in reasons { json.string(reason.rawValue) }
        json.endArray()
    }

    private static func write(_ report: ReportCache.Report, to json: inout Writer) -> String {
        json.member("build_id", report.buildID)
        json.member("observation_count", report.observationCount)
        write(report.reasons, to: &json)
        json.key("rows")
        json.beginObject()
        for (entity, count) in report.rows.sorted(by: { $0.entity < $1.entity }) { json.member(Key(entity), count) }
        json.endObject()
        json.member("whole", report.isWhole)
        let rows = report.rows.reduce(0) { $0 + $1.count }
        let extent = report.isWhole ? "rebuilt" : "brought up to date"
        return "\(extent): \(rows) rows of \(report.observationCount) observations"
    }
}
