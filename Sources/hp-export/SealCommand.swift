import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Tool

/// `hp-export seal`.
enum SealCommand {
    static let command = Tool.Command(
        "seal", "add missing history entries (archives of other tools)",
        about: [
            .text(
                "Adds an entry to the history of the archive for each observation that has none. From then on, whoever "
                    + "keeps the head can tell whether one of them was rewritten. Use it for archives that "
                    + "another engine made or wrote to; captures add entries themselves.")
        ],
        options: [
            .wait, Tool.Option("--quiet", "no notes"), Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite", access: { _ in .recording.locked }
    ) { _, call in
        let archive = try call.open()
        for line in try PublicationRecovery.run(archive) { call.note(line) }
        let secret = try ArchiveSecret.find(
            SecretFile.defaultPath(of: call.archive), for: call.archive, changesNothing: true)
        let report = try archive.seal(
            program: "hp-export \(Generator.version)", now: SystemClock.now(),
            salt: secret.isNew ? HistorySalt() : secret.historySalt)
        let count = report.observationCount
        call.note(
            count == 0
                ? "\(call.archive.display): no observation is without an entry"
                : "\(call.archive.display): \(count) observation\(count == 1 ? " is" : "s are") sealed")
        report.head?.show(call)
        return try call.show(json: ["archive": call.archive.display, "head": report.head, "sealed": count])
    }
}

extension HistoryHead {
    /// Says the three lines to keep.
    func show(_ call: Call) { for line in text.split(separator: "\n") { call.note(String(line)) } }
}
