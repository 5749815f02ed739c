import Archive
import Backup
import Exports
import Files
import Timestamps
import Tool

/// `hp-export convert`.
enum ConvertCommand {
    static let command = Tool.Command(
        "convert", "write the health databases of an iPhone backup as a capture feed",
        usage: [
            "--iphone-backup PATH [--backup-password-file FILE] [-o FEED] [OPTIONS]", "--list-needed PATH",
        ],
        about: [
            .text(
                "Reads the health data of an encrypted iPhone backup and writes one observation as a capture feed "
                    + "(JSON Lines), which capture --feed adds to an archive. PATH is the folder of the backup. It is "
                    + "only read, and no decrypted byte is written anywhere but into the feed."),
            .text(
                "PATH can also be a folder with healthdb_secure.sqlite and healthdb.sqlite, which other tools take out "
                    + "of a backup: then name the moment with --observed-at, and keep the -wal file of each next to "
                    + "it: the last records are in it."),
            .text(
                "The password is the one that encrypts backups of the iPhone, not its passcode. Without "
                    + "--backup-password-file you type it in the terminal, which does not show it."),
            .text("Tried on synthetic backups only. Look at the result before you rely on it."),
        ], operands: [], wanted: "name a folder with --iphone-backup, not as an operand",
        options: [
            BackupArguments.backup, BackupArguments.password, BackupArguments.observedAt,
            Tool.Option("--time-zone", .text("NAME"), "time zone of its days, such as Europe/Bucharest"),
            Tool.Option(
                "--list-needed", .file("PATH"), "list the few files of a backup that health data need, and end"),
            ExportArguments.output,
            Tool.Option("--force", "replace a file that exists"), Tool.Option("--quiet", "no notes"),
        ], example: "--iphone-backup Backup/00008110-000A -o feed.jsonl", run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        if let path = try arguments.path("--list-needed") { return try listNeeded(path, call) }
        let backup = try BackupArguments(arguments)
        let output = try arguments.path("-o") ?? Path("-")
        let isFile = output != Path("-")
        let destination =
            isFile ? try outputPath(output, replacing: arguments.has("--force"), apart: backup.inputs) : output
        let wait = LockWait(shouldStop: Signals.shouldStop)
        let (source, facts) = try backup.open(wait) { call.note($0) }
        let feed = try HealthFeed(source, facts, wait: wait)
        if isFile {
            var file = try PendingFile.begin(destination)
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

    /// Lists the files that health data need: those that are there, one in a line.
    private static func listNeeded(_ path: Path, _ call: Call) throws -> ExitStatus {
        let needed = try HealthSource.needed(path)
        let standard = try Descriptor.standardOutput()
        try standard.write(Array(needed.found.map { $0 + "\n" }.joined().utf8).span)
        guard needed.lacking.isEmpty else {
            throw ArchiveError(
                .missing, "\(path.display): lacks \(needed.lacking.joined(separator: ", "))",
                hint: "copy them too: without them nothing can be read")
        }
        if !needed.extra.isEmpty {
            call.note("not there, which is right if the phone had none: \(needed.extra.joined(separator: ", "))")
        }
        return .good
    }
}
