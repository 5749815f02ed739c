import Archive
import CanonicalJSON
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
        ],
        options: [
            Tool.Option("--ranges", "visibility ranges, from events"),
            Tool.Option("--aggregates", "summaries and daily buckets, from ranges, versions and events"),
            Tool.Option("--exports", "records of exports whose observation is missing: they are removed"),
            Tool.Option("--dry-run", "say what would change, and write nothing"),
            Tool.Option(
                "--backup", .output(), "the copy (default ARCHIVE.TIME.repair-backup); an existing file is refused"),
            .wait, Tool.Option("--quiet", "no notes"), Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite --ranges --aggregates --dry-run",
        exitStatus: Tool.Term.statuses(
            "nothing differs, or all that did is repaired", findings: "something would change (--dry-run)"),
        access: { $0.has("--dry-run") ? .evidence : .recording.locked }, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let parts = Set(RepairPart.allCases.filter { arguments.has("--\($0.rawValue)") })
        guard !parts.isEmpty else { throw UsageError("say what to repair: --ranges, --aggregates or --exports") }
        let (isDryRun, named) = (arguments.has("--dry-run"), try arguments.path("--backup"))
        guard !isDryRun || named == nil else { throw UsageError("--dry-run makes no backup") }
        let (path, now) = (call.archive, SystemClock.now())
        let archive = try call.open()
        let report =
            isDryRun
            ? try archive.plannedRepair(parts)
            : try archive.repair(
                parts, backup: try named ?? ArchiveBackup.defaultPath(of: path, for: .repair, now: now),
                program: "hp-export \(Generator.version)", now: now)
        for line in lines(report, isDryRun: isDryRun) { call.note("\(path.display): \(line)") }
        let result = report.total == 0 ? "nothing_to_repair" : isDryRun ? "would_repair" : "repaired"
        return try call.show(
            json: report.json(backup: report.backup?.path.display, result: result).adding(["archive": path.display]),
            isGood: !isDryRun || report.total == 0)
    }

    private static func lines(_ report: RepairReport, isDryRun: Bool) -> [String] {
        var lines: [String] = []
        if report.samplesLeft > 0 {
            lines.append(
                "ranges of \(report.samplesLeft) samples stay unchanged: the rules cannot follow their events")
        }
        if report.datesLeft > 0 {
            lines.append(
                "last_seen_at of \(report.datesLeft) ranges stays unchanged: facts that it follows from are missing")
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
}
