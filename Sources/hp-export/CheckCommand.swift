import Archive
import CanonicalJSON
import Capture
import Codes
import Exports
import Files
import Inspection
import Recording
import Synchronization
import Tool

/// `hp-export check`.
enum CheckCommand {
    static let command = Tool.Command(
        "check", "make all checks of hp-verify archive, and log what came of them", usage: ["ARCHIVE [OPTIONS]"],
        about: [
            .text(
                "Makes all checks of hp-verify archive, and logs in the context log of the archive what came of them. "
                    + "Where the file, its schema or its references failed, the archive is degraded: nothing is "
                    + "captured into it and no export recorded in it until a later check finds them good. Where "
                    + "SQLite finds the file malformed, nothing is written.")
        ], operands: [Tool.Operand(.archive)],
        options: [
            ExportArguments.wait, Tool.Option("--quiet", "no progress, no notes"), Progress.option,
            Tool.Option("--json", "print what was found as one JSON object"),
        ], example: "archive.sqlite",
        exitStatus: [
            Tool.Term("0", "valid"), Tool.Term("1", "invalid: at least one finding"),
            Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
        ], run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        // What is checked is what is logged: no capture comes between.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let result = try inspect(path, wait, Progress.Form(arguments))
        if let signal = Signals.first { return .stopped(by: signal) }
        guard !result.report.isChanged else {
            throw ArchiveError(
                .storage, "\(path.display): the archive changed while it was checked: nothing is logged",
                hint: "run it again when nothing else writes to the archive, or wait longer with --wait SECONDS")
        }
        let fault = try log(result, path, wait)
        if let fault { voice.warning("\(path.display): the check is not logged: \(fault)") }
        var output = try StandardOutput()
        try output.write(
            arguments.has("--json")
                ? json(result, path, isLogged: fault == nil) : Array(text(result, path, isLogged: fault == nil).utf8))
        try output.flush()
        return result.report.isGood ? .good : .findings
    }

    /// Holds a lock up to here.
    private static func keep(_ lock: borrowing CaptureLock) {}

    private struct Result {
        let report: InspectionReport
        let head: HistoryHead?
    }

    /// Checks the archive, and again as long as `wait` says if others, such as exports that are recorded, wrote to it
    /// meanwhile: what is found of an archive that changes is not found of any archive.
    private static func inspect(_ path: Path, _ wait: LockWait, _ form: Progress.Form) throws -> Result {
        let step = 0.5
        var result = try inspectOnce(path, wait, form)
        var waited = step
        while result.report.isChanged, waited < wait.seconds, Signals.first == nil {
            SystemClock.wait(seconds: step)
            waited += step
            result = try inspectOnce(path, wait, form)
        }
        return result
    }

    private static func inspectOnce(_ path: Path, _ wait: LockWait, _ form: Progress.Form) throws -> Result {
        let archive = try Archive.open(path, for: .evidence, wait: wait)
        let progress = Progress("rows", total: nil, form: form)
        defer { progress.end() }
        let count = Mutex(0)
        let report = try ArchiveInspection.run(archive, InspectionOptions()) { more in
            let done = count.withLock { count in
                count += more
                return count
            }
            progress.update(done)
        }
        // What cannot be read is among the findings.
        return Result(report: report, head: try? archive.historyHead())
    }

    /// Logs a result; returns why nothing is written to such an archive.
    private static func log(_ result: Result, _ path: Path, _ wait: LockWait) throws -> String? {
        if result.report.isMalformed { return "SQLite finds it malformed, and nothing is written to it" }
        var json = Writer()
        json.beginObject()
        write(result, to: &json)
        json.endObject()
        do {
            let archive = try Archive.open(path, for: .recording, wait: wait)
            try archive.logIntegrityCheck(
                detail: String(decoding: json.bytes, as: UTF8.self), program: "hp-export \(Generator.version)",
                now: SystemClock.now())
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

    /// The object of `Spec/schemas/check-result.json`.
    private static func json(_ result: Result, _ path: Path, isLogged: Bool) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("archive")
        json.string(path.display)
        write(result, isLogged: isLogged, to: &json)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// The members that the context log has too. Only what is logged makes the archive degraded.
    private static func write(_ result: Result, isLogged: Bool? = nil, to json: inout Writer) {
        let report = result.report
        json.key("checks")
        json.beginObject()
        for check in report.checks.sorted(by: { $0.check.rawValue < $1.check.rawValue }) {
            json.key(Key(check.check.rawValue))
            json.string(check.status.rawValue)
        }
        json.endObject()
        let counts = counts(report)
        if !counts.isEmpty {
            json.key("counts")
            json.beginObject()
            for (code, count) in counts.sorted(by: { $0.0.rawValue < $1.0.rawValue }) {
                json.key(Key(code.rawValue))
                json.integer(Int64(count))
            }
            json.endObject()
        }
        if isLogged != false, !report.degrading.isEmpty {
            json.key("degraded")
            json.beginArray()
            for check in report.degrading { json.string(check.rawValue) }
            json.endArray()
        }
        if let head = result.head { HeadText.write(head, to: &json) }
        if let isLogged {
            json.key("logged")
            json.bool(isLogged)
        }
        json.key("result")
        json.string(report.isGood ? "ok" : "findings")
    }
}
