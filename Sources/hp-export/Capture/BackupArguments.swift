import Backup
import Capture
import Files
import Synchronization
import Timestamps
import Tool

/// What `capture` and `convert` are told of an iPhone backup.
enum BackupArguments {
    /// The note with each backup.
    static let untried = "tried on synthetic backups only: compare the records with what the phone shows"

    /// When the backup was made, and the zone of its days.
    static func facts(_ arguments: Arguments) throws(UsageError) -> BackupFacts {
        guard let text = try arguments.text("--observed-at") else {
            throw UsageError("the databases do not state when the backup was made: name the moment with --observed-at")
        }
        guard let (seconds, offset) = TimestampInput.secondsWithOffset(text), seconds == seconds.rounded() else {
            throw UsageError(
                "--observed-at \(printable(text.utf8)): not a moment of whole seconds with its offset, such as "
                    + "2026-09-01T12:00:00+02:00")
        }
        // Z is a moment of no place.
        var facts = BackupFacts(observedAt: Int64(seconds), offset: offset == 0 ? nil : Int(offset))
        guard let zone = try arguments.text("--time-zone") else { return facts }
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

/// What should be known of the databases of a backup; written where they are read.
final class BackupNotes: Sendable {
    private let kept = Mutex<[String]>([])

    /// A line each, once the databases were read.
    var lines: [String] { kept.withLock { $0 } }

    /// Keeps lines.
    func keep(_ lines: [String]) { kept.withLock { $0 = lines } }
}
