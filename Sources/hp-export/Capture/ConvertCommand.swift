import Archive
import Backup
import Exports
import Files
import Tool

/// `hp-export convert`.
enum ConvertCommand {
    static let command = Tool.Command(
        "convert", "write the health databases of an iPhone backup as a capture feed",
        usage: ["--iphone-backup FOLDER --observed-at MOMENT [-o FEED] [OPTIONS]"],
        about: [
            .text(
                "Reads healthdb_secure.sqlite and healthdb.sqlite, which an iPhone backup has in decrypted form, and "
                    + "writes one observation as a capture feed (JSON Lines), which capture --feed adds to an archive. "
                    + "The folder is only read."),
            .text("Each database needs its -wal file next to it if it has one: the last records are in it."),
            .text("Tried on synthetic backups only. Look at the result before you rely on it."),
        ], operands: [], wanted: "name a folder with --iphone-backup, not as an operand",
        options: [
            Tool.Option(
                "--iphone-backup", .file("FOLDER"), "folder with healthdb_secure.sqlite and healthdb.sqlite"),
            Tool.Option(
                "--observed-at", .text("MOMENT"),
                "when the backup was made, such as 2026-09-01T12:00:00+02:00"),
            Tool.Option("--time-zone", .text("NAME"), "time zone of its days, such as Europe/Bucharest"),
            ExportArguments.output,
            Tool.Option("--force", "replace a file that exists"), Tool.Option("--quiet", "no notes"),
        ], example: "--iphone-backup Health --observed-at 2026-09-01T12:00:00Z -o feed.jsonl", run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        guard let folder = try arguments.path("--iphone-backup") else {
            throw UsageError("name a folder with --iphone-backup")
        }
        let facts = try BackupArguments.facts(arguments)
        let output = try arguments.path("-o") ?? Path("-")
        let wait = LockWait(shouldStop: Signals.shouldStop)
        let isFile = output != Path("-")
        let names = ["healthdb_secure.sqlite", "healthdb.sqlite"].flatMap { [$0, $0 + "-wal"] }
        let inputs = names.map { folder.appending(Array($0.utf8)) }
        let destination =
            isFile ? try outputPath(output, replacing: arguments.has("--force"), apart: inputs) : output
        let feed = try HealthFeed(folder: folder, facts, wait: wait)
        if isFile {
            var file = try PendingFile(destination: destination, token: PendingFile.token(of: 0))
            while let lines = try feed.next() { try file.write(lines.span) }
            try file.synchronize()
            try file.publish(replacing: arguments.has("--force"))
        } else {
            let standard = try Descriptor.standardOutput()
            while let lines = try feed.next() { try standard.write(lines.span) }
        }
        for note in feed.notes { call.note(note) }
        call.note(BackupArguments.untried)
        return .good
    }
}
