import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Tool

/// `hp-export repair`.
enum RepairCommand {
    static let command = Tool.Command(name: "repair", help: help, run: run)

    private static let help = """
        usage: hp-export repair ARCHIVE --ranges [--aggregates] [OPTIONS]
               hp-export repair ARCHIVE --aggregates [OPTIONS]

        Rebuilds what an archive derives from its evidence, and writes the rows that differ. Samples,
        versions and events are never touched. Before anything is written, a copy of the archive is made and
        verified; the context log says what was done. No other command repairs.

          --ranges        visibility ranges, from events
          --aggregates    summaries and daily buckets, from ranges, versions and events
          --dry-run       say what would change, and write nothing
          --backup FILE   the copy (default ARCHIVE.TIME.repair-backup); an existing file is refused
          --wait SECONDS  how long to wait for a locked archive (default 60)
          --quiet         no notes
          --json          print what was done as one JSON object

        example: hp-export repair archive.sqlite --ranges --aggregates --dry-run
        exit status: 0 nothing differs, or all that did is repaired, 1 something would change (--dry-run),
        2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ["--backup", "--wait"],
            flags: ["--ranges", "--aggregates", "--dry-run", "--quiet", "--json"])
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let parts = Set(RepairPart.allCases.filter { arguments.has("--\($0.rawValue)") })
        guard !parts.isEmpty else { throw UsageError("say what to rebuild: --ranges, --aggregates, or both") }
        let seconds = Double(try arguments.integer("--wait", in: 0...86_400) ?? 60)
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
                "the archive does not state identity_rules 1: wrong rows of aggregates are rebuilt by the rules of "
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
