import Archive
import CanonicalJSON
import Exports
import Files
import Recording
import Tool

/// `hp-export undo`.
enum UndoCommand {
    static let command = Tool.Command(
        "undo", "take the newest observation back, after a verified backup",
        about: [
            .text(
                "Takes the newest observation back: the archive is then what it was before, but for its context log, "
                    + "which says so, and the observation's id, which is not given again. Before anything is "
                    + "written, a copy of the archive is made and verified. It still holds what was taken back.")
        ],
        options: [
            Tool.Option(
                "--with-exports",
                "remove the records of exports that name the observation; else it stays (pages go anyway)"),
            Tool.Option(
                "--backup", .output(), "the copy (default ARCHIVE.TIME.undo-backup); an existing file is refused"),
            Tool.Option("--no-backup", "make no copy"), .wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite", access: { _ in .recording.locked }, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let named = try arguments.path("--backup")
        guard named == nil || !arguments.has("--no-backup") else {
            throw UsageError("--backup and --no-backup contradict each other")
        }
        let (path, now) = (call.archive, SystemClock.now())
        let archive = try call.open()
        for line in try PublicationRecovery.run(archive) { call.note(line) }
        let backup =
            arguments.has("--no-backup")
            ? nil : try named ?? ArchiveBackup.defaultPath(of: path, for: .undo, now: now)
        let report = try archive.undo(
            backup: backup, removesExports: arguments.has("--with-exports"),
            program: "hp-export \(Generator.version)", now: now)
        let counts = report.counts
        call.note(
            "\(path.display): \(report.label) is taken back: \(counts.events) events, \(counts.samples) samples, "
                + "\(counts.versions) versions, \(counts.relationships) relationships")
        if !report.exports.isEmpty {
            call.note(
                "\(path.display): records of \(report.exports.count) exports are gone with it; the exported files stay")
        }
        if let backup = report.backup { call.note("\(backup.path.display): still holds what was taken back") }
        if !report.isVacuumed {
            call.voice.warning(
                "\(path.display): what was taken back is overwritten, but the file could not be made smaller")
        }
        return try call.show(json: report.json(backup: report.backup?.path.display).adding(["archive": path.display]))
    }
}
