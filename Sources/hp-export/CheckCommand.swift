import Archive
import CanonicalJSON
import Codes
import Exports
import Files
import Inspection
import Recording
import Tool

/// `hp-export check`.
enum CheckCommand {
    static let command = Tool.Command(
        "check", "make all checks of hp-verify archive, and log what came of them",
        about: [
            .text(
                "Makes all checks of hp-verify archive, and logs in the context log of the archive what came of them. "
                    + "Where the file, its schema or its references failed, the archive is degraded: nothing is "
                    + "captured into it and no export recorded in it until a later check finds them good. Where "
                    + "SQLite finds the file malformed, nothing is written.")
        ],
        options: [
            .wait, Tool.Option("--quiet", "no progress, no notes"), Progress.option,
            Tool.Option("--json", "print what was found as one JSON object"),
        ], example: "archive.sqlite",
        exitStatus: Tool.Term.statuses("valid", findings: "invalid: at least one finding"),
        // What is checked is what is logged: no capture comes between.
        access: { _ in .evidence.locked }, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, result) = (call.archive, try inspect(call))
        if let signal = Signals.first { return .stopped(by: signal) }
        guard !result.report.isChanged else {
            throw ArchiveError(
                .storage, "\(path.display): the archive changed while it was checked: nothing is logged",
                hint: "run it again when nothing else writes to the archive, or wait longer with --wait SECONDS")
        }
        let fault = try log(result, call)
        if let fault { call.voice.warning("\(path.display): the check is not logged: \(fault)") }
        return try call.show(
            text(result, path, isLogged: fault == nil),
            json: json(result, isLogged: fault == nil).adding(["archive": path.display]), isGood: result.report.isGood)
    }

    private struct Result {
        let report: InspectionReport
        let head: HistoryHead?
    }

    /// Checks the archive, and again as long as `wait` says if others, such as exports that are recorded, wrote to it
    /// meanwhile: what is found of an archive that changes is not found of any archive.
    private static func inspect(_ call: Call) throws -> Result {
        let (step, wait) = (0.5, try call.wait(for: call.archive))
        var result = try inspectOnce(call)
        var waited = step
        while result.report.isChanged, waited < wait.seconds, Signals.first == nil {
            SystemClock.wait(seconds: step)
            waited += step
            result = try inspectOnce(call)
        }
        return result
    }

    private static func inspectOnce(_ call: Call) throws -> Result {
        let archive = try call.open()
        let progress = try call.begin("rows")
        defer { progress.end() }
        let report = try ArchiveInspection.run(archive, InspectionOptions()) { progress.add($0) }
        // What cannot be read is among the findings.
        return Result(report: report, head: try? archive.historyHead())
    }

    /// Logs a result; returns why nothing is written to such an archive.
    private static func log(_ result: Result, _ call: Call) throws -> String? {
        if result.report.isMalformed { return "SQLite finds it malformed, and nothing is written to it" }
        let wait = try call.wait(for: call.archive)
        do {
            let archive = try Archive.open(call.archive, for: .recording, wait: wait)
            try archive.logIntegrityCheck(
                detail: json(result).text, program: "hp-export \(Generator.version)", now: SystemClock.now())
            return nil
        } catch {
            guard error.code == .schema else { throw error }
            return error.description
        }
    }

    // MARK: What is said

    private static func text(_ result: Result, _ path: Path, isLogged: Bool) -> String {
        let report = result.report
        let findings = "\(report.total) finding\(report.total == 1 ? "" : "s")"
        var text = "\(path.display): \(report.isGood ? "valid" : "invalid: \(findings)")\n"
        var table = TextTable([("check", false), ("result", false), ("findings", true)])
        for check in report.checks {
            table.add([check.check.rawValue, check.status.rawValue.replacing("_", with: " "), String(check.total)])
        }
        text += table.text
        for (code, count) in counts(report) { text += "\(count) \(code.rawValue)\n" }
        // What is not logged refuses nothing.
        if isLogged, !report.degrading.isEmpty {
            text += "degraded: nothing is captured and no export recorded until a check finds this mended\n"
        }
        return report.isGood ? text : text + "hp-verify archive lists the findings\n"
    }

    private static func counts(_ report: InspectionReport) -> [(Code, Int)] {
        let counts: [Code: Int] = report.checks.reduce(into: [:]) { counts, check in
            counts.merge(check.counts, uniquingKeysWith: +)
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the members of `Spec/schemas/check-result.json` that the context log has too. Only what is logged makes
    /// the archive degraded.
    private static func json(_ result: Result, isLogged: Bool? = nil) -> JSONObject {
        let report = result.report
        let checks = report.checks.map { ($0.check.rawValue, $0.status.rawValue) }
        let counts = counts(report).map { ($0.rawValue, $1) }
        let isDegraded = isLogged != false && !report.degrading.isEmpty
        return [
            "checks": JSONObject(checks), "counts": counts.isEmpty ? nil : JSONObject(counts),
            "degraded": isDegraded ? report.degrading.map(\.rawValue) : nil, "head": result.head, "logged": isLogged,
            "result": report.isGood ? "ok" : "findings",
        ]
    }
}
