import Backup
import Capture
import Files
import Synchronization
import Timestamps
import Tool

/// The arguments of `capture` and `convert` about an iPhone backup: its place, its password, and the time when it was
/// made.
struct BackupArguments {
    static let backup = Tool.Option(
        "--iphone-backup", .file("PATH"), "encrypted backup of an iPhone, or a folder with its health databases")
    static let password = Tool.Option(
        "--backup-password-file", .file("FILE"),
        "file whose first line is the password of the backup; - is standard input, /dev/fd/N a descriptor")
    static let observedAt = Tool.Option(
        "--observed-at", .text("MOMENT"),
        "when the databases were copied, such as 2026-09-01T12:00:00+02:00; a backup states it itself")

    /// The note with each backup.
    static let untried = "tried on synthetic backups only: compare the records with what the phone shows"

    /// The path that was named.
    let path: Path
    private let passwordFile: Path?
    private let moment: (seconds: Int64, offset: Int)?
    private let zone: String?

    /// Reads the arguments.
    init(_ arguments: Arguments) throws(UsageError) {
        guard let path = try arguments.path("--iphone-backup") else {
            throw UsageError("name a folder with --iphone-backup")
        }
        self.path = path
        passwordFile = try arguments.path("--backup-password-file")
        zone = try arguments.text("--time-zone")
        guard let text = try arguments.text("--observed-at") else {
            moment = nil
            return
        }
        guard let (seconds, offset) = TimestampInput.secondsWithOffset(text), seconds == seconds.rounded() else {
            throw UsageError(
                "--observed-at \(printable(text.utf8)): not a moment of whole seconds with its offset, such as "
                    + "2026-09-01T12:00:00+02:00")
        }
        moment = (Int64(seconds), Int(offset))
    }

    /// The files that are read, which no output may replace.
    var inputs: [Path] {
        let names =
            HealthSource.names.flatMap { [$0, $0 + "-wal", $0 + "-journal"] }
            + ["Manifest.plist", "Manifest.db", "Status.plist"]
        let encrypted = HealthSource.encryptedNames.map { path.appending(Array($0.utf8)) }
        return names.map { path.appending(Array($0.utf8)) } + encrypted.filter { FileStatus.exists($0) }
            + (passwordFile.map { [$0] } ?? [])
    }

    /// Opens the databases, and says when they were made.
    ///
    /// - Parameter note: shows what is wanted before a password is typed.
    func open(_ wait: LockWait, note: (String) -> Void) throws -> (source: HealthSource, facts: BackupFacts) {
        let source = try HealthSource(path, wait: wait) {
            try BackupPassword.read(passwordFile, wait.shouldStop, ask: note)
        }
        return (source, try facts(of: source))
    }

    /// Returns the time when a source was made, as the backup states, else as the call does; and the zone of its days.
    private func facts(of source: HealthSource) throws(UsageError) -> BackupFacts {
        var facts: BackupFacts
        switch (source.facts, moment) {
        case (let stated?, nil): facts = stated
        // Z is a moment of no place.
        case (nil, let given?):
            facts = BackupFacts(observedAt: given.seconds, offset: given.offset == 0 ? nil : given.offset)
        case (_?, _?):
            throw UsageError("--observed-at is for databases without their backup: a backup states when it was made")
        case (nil, nil):
            throw UsageError("the databases do not state when the backup was made: name the moment with --observed-at")
        }
        guard let zone else { return facts }
        guard let rules = ZoneFiles.rules(Array(zone.utf8)) else {
            throw UsageError("--time-zone: there is no zone \(printable(zone.utf8)) on this machine")
        }
        let found = Int(rules.offset(at: facts.observedAt))
        guard facts.offset == nil || facts.offset == found else {
            throw UsageError("--time-zone \(printable(zone.utf8)): another offset than the moment of --observed-at")
        }
        (facts.zone, facts.offset) = (zone, found)
        return facts
    }
}

/// The notes on the databases of a backup; written where they are read.
final class BackupNotes: Sendable {
    private let kept = Mutex<[String]>([])

    /// A line each, once the databases were read.
    var lines: [String] { kept.withLock { $0 } }

    /// Keeps lines.
    func keep(_ lines: [String]) { kept.withLock { $0 = lines } }
}
