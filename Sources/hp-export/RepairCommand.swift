import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Tool

/// `hp-export repair`.
enum RepairCommand {
    static let command = Tool.Command(
        "repair", "rebuild ranges or aggregates from the evidence, after a verified backup",
        usage: ["ARCHIVE [--ranges] [--aggregates] [--exports] [OPTIONS]"],
        about: [
            .text(
                "Rebuilds what an archive derives from its evidence, and writes the rows that differ. Samples, "
                    + "versions and events are never touched. Before anything is written, a copy of the archive is "
                    + "made and verified; the context log says what was done. No other command repairs."),
            .text(
                "With --exports it removes the records of exports that name an observation which the archive does "
                    + "not have. The exported files stay, and no longer match the archive."),
        ], operands: [Tool.Operand(.archive)],
        options: [
            Tool.Option("--ranges", "visibility ranges, from events"),
            Tool.Option("--aggregates", "summaries and daily buckets, from ranges, versions and events"),
            Tool.Option("--exports", "records of exports whose observation is missing: they are removed"),
            Tool.Option("--dry-run", "say what would change, and write nothing"),
            Tool.Option(
                "--backup", .output(), "the copy (default ARCHIVE.TIME.repair-backup); an existing file is refused"),
            ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite --ranges --aggregates --dry-run",
        exitStatus: [
            Tool.Term("0", "nothing differs, or all that did is repaired"),
            Tool.Term("1", "something would change (--dry-run)"), Tool.Term("2", "could not be done"),
            Tool.Term("128+n", "stopped by signal n"),
        ], onlyReads: { $0.has("--dry-run") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let parts = Set(RepairPart.allCases.filter { arguments.has("--\($0.rawValue)") })
        guard !parts.isEmpty else { throw UsageError("say what to repair: --ranges, --aggregates or --exports") }
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let isDryRun = arguments.has("--dry-run")
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        let named = try arguments.path("--backup")
        guard !isDryRun || named == nil else { throw UsageError("--dry-run makes no backup") }
        let report =
            isDryRun
            ? try Archive.open(path, for: .evidence, wait: wait).plannedRepair(parts)
            : try repair(path, parts, backup: named, wait)
        try show(report, path, isDryRun: isDryRun, asJSON: arguments.has("--json"), voice)
        return isDryRun && report.total > 0 ? .findings : .good
    }

    private static func repair(_ path: Path, _ parts: Set<RepairPart>, backup: Path?, _ wait: LockWait) throws
        -> RepairReport
    {
        let now = SystemClock.now()
        // A capture is many transactions: between two of them its observation is not complete.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let archive = try Archive.open(path, for: .recording, wait: wait)
        return try archive.repair(
            parts, backup: try backup ?? ArchiveBackup.defaultPath(of: path, for: .repair, now: now),
            program: "hp-export \(Generator.version)", now: now)
    }

    /// Holds a lock up to here.
    private static func keep(_ lock: borrowing CaptureLock) {}

    // MARK: What is said

    private static func show(_ report: RepairReport, _ path: Path, isDryRun: Bool, asJSON: Bool, _ voice: Voice) throws
    {
        for line in lines(report, isDryRun: isDryRun) { voice.note("\(path.display): \(line)") }
        guard asJSON else { return }
        var output = try StandardOutput()
        try output.write(json(report, path, isDryRun: isDryRun))
        try output.flush()
    }

    private static func lines(_ report: RepairReport, isDryRun: Bool) -> [String] {
        var lines: [String] = []
        if report.samplesLeft > 0 {
            lines.append(
                "ranges of \(report.samplesLeft) samples stay unchanged: the rules cannot follow their events")
        }
        if !report.statesIdentityRules, report.parts.contains(.aggregates) {
            lines.append(
                "the archive does not state identity_rules: wrong rows of aggregates are rebuilt by the rules of "
                    + "these tools, and none is added or removed")
        }
        if report.total == 0 { lines.append("nothing to repair") }
        for table in report.tables where table.differences.total > 0 {
            let (replaced, added, removed) = (
                table.differences.replaced, table.differences.added, table.differences.removed
            )
            lines.append(
                "\(table.name): \(replaced) rows \(isDryRun ? "would be " : "")replaced, \(added) added, "
                    + "\(removed) removed")
        }
        if let backup = report.backup { lines.append("the archive as it was before is in \(backup.path.display)") }
        return lines
    }

    /// The object of `Spec/schemas/repair-result.json`.
    private static func json(_ report: RepairReport, _ path: Path, isDryRun: Bool) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("archive")
        json.string(path.display)
        if let backup = report.backup {
            json.key("backup")
            json.string(backup.path.display)
            json.key("backup_sha256")
            json.string(backup.hash)
        }
        report.write(
            result: report.total == 0 ? "nothing_to_repair" : isDryRun ? "would_repair" : "repaired", to: &json)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }
}
