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
        ],
        operands: [
            .archive, Tool.Operand(.word(words), unknown: { "there is no cache \($0): status, rebuild or drop" }),
        ], wanted: "name an archive, and one of \(words.joined(separator: ", "))",
        options: [
            Tool.Option("--whole", "make every row anew"), .wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was found or done as one JSON object"),
        ], example: "archive.sqlite rebuild",
        exitStatus: Tool.Term.statuses("done; of status, the cache can be used", findings: "of status, it cannot"),
        access: { _ in .beside }, run: run)

    private static let words = ["status", "rebuild", "drop"]

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let archive = try call.open(isSilent: true)
        let (isGood, text, json): (Bool, String, JSONObject)
        switch arguments.operands[1].display {
        case "status": (isGood, text, json) = said(try ReportCache.status(of: archive))
        case "rebuild":
            let isWhole = arguments.has("--whole")
            (isGood, text, json) = said(try ReportCache.rebuild(archive, isWhole: isWhole, now: SystemClock.now()))
        default:
            let isThere = try ReportCache.drop(archive)
            (isGood, text, json) = (true, isThere ? "the cache is deleted" : "there is no cache", ["dropped": isThere])
        }
        return try call.show(
            "\(Archive.cachePath(of: archive.file).display): \(text)\n",
            json: json.adding(["archive": call.archive.display]), isGood: isGood)
    }

    private static func said(_ status: ReportCache.Status) -> (Bool, String, JSONObject) {
        switch status {
        case .absent: (false, "there is no cache", ["status": "absent"])
        case .current(let buildID): (true, "current", ["build_id": buildID, "status": "current"])
        case .outdated(let reasons):
            (
                false, "outdated: \(reasons.map(\.rawValue).joined(separator: ", "))",
                ["reasons": reasons.map(\.rawValue), "status": "outdated"]
            )
        }
    }

    private static func said(_ report: ReportCache.Report) -> (Bool, String, JSONObject) {
        let rows = report.rows.reduce(0) { $0 + $1.count }
        let extent = report.isWhole ? "rebuilt" : "brought up to date"
        return (
            true, "\(extent): \(rows) rows of \(report.observationCount) observations",
            [
                "build_id": report.buildID, "observation_count": report.observationCount,
                "reasons": report.reasons.map(\.rawValue),
                "rows": JSONObject(report.rows.map { ($0.entity, $0.count) }), "whole": report.isWhole,
            ]
        )
    }
}
