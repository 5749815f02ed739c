import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Tool

/// `hp-export undo`.
enum UndoCommand {
    static let command = Tool.Command(
        "undo", "take the newest observation back, after a verified backup", usage: ["ARCHIVE [OPTIONS]"],
        about: [
            .text(
                "Takes the newest observation back: the archive is then what it was before, but for its context log, "
                    + "which says so, and the observation's id, which is not given again. Before anything is "
                    + "written, a copy of the archive is made and verified. It still holds what was taken back.")
        ], operands: [Tool.Operand(.archive)],
        options: [
            Tool.Option("--with-exports", "remove the records of exports that name the observation; else it stays"),
            Tool.Option(
                "--backup", .output(), "the copy (default ARCHIVE.TIME.undo-backup); an existing file is refused"),
            Tool.Option("--no-backup", "make no copy"), ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite", exitStatus: ExitStatus.ofExports, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let named = try arguments.path("--backup")
        guard named == nil || !arguments.has("--no-backup") else {
            throw UsageError("--backup and --no-backup contradict each other")
        }
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        let now = SystemClock.now()
        // A capture is many transactions: between two of them its observation is not complete.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let archive = try Archive.open(path, for: .recording, wait: wait)
        for line in try PublicationRecovery.run(archive) { voice.note(line) }
        let backup =
            arguments.has("--no-backup")
            ? nil : try named ?? ArchiveBackup.defaultPath(of: path, for: .undo, now: now)
        let report = try archive.undo(
            backup: backup, removesExports: arguments.has("--with-exports"),
            program: "hp-export \(Generator.version)", now: now)
        try show(report, path, asJSON: arguments.has("--json"), voice)
        return .good
    }

    /// Holds a lock up to here.
    private static func keep(_ lock: borrowing CaptureLock) {}

    // MARK: What is said

    private static func show(_ report: UndoReport, _ path: Path, asJSON: Bool, _ voice: Voice) throws {
        let counts = report.counts
        voice.note(
            "\(path.display): \(report.label) is taken back: \(counts.events) events, \(counts.samples) samples, "
                + "\(counts.versions) versions, \(counts.relationships) relationships")
        if !report.exports.isEmpty {
            voice.note(
                "\(path.display): records of \(report.exports.count) exports are gone with it; the exported files stay")
        }
        if let backup = report.backup {
            voice.note("\(backup.path.display): still holds what was taken back")
        }
        if !report.isVacuumed {
            voice.warning("\(path.display): what was taken back is overwritten, but the file could not be made smaller")
        }
        guard asJSON else { return }
        var output = try StandardOutput()
        try output.write(json(report, path))
        try output.flush()
    }

    /// The object of `Spec/schemas/undo-result.json`.
    private static func json(_ report: UndoReport, _ path: Path) -> [UInt8] {
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
        report.write(to: &json)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }
}
