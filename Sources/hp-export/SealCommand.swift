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
        "seal", "add missing history entries (archives of other tools)", usage: ["ARCHIVE [OPTIONS]"],
        about: [
            .text(
                "Adds an entry to the history of the archive for each observation that has none. From then on, whoever "
                    + "keeps the head can tell whether one of them was rewritten. Use it for archives that "
                    + "another engine made or wrote to; captures add entries themselves.")
        ], operands: [Tool.Operand(.archive)],
        options: [
            ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done as one JSON object"),
        ], example: "archive.sqlite", exitStatus: ExitStatus.ofExports, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        // A capture is many transactions: between two of them its observation is not complete.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let archive = try Archive.open(path, for: .recording, wait: wait)
        for line in try PublicationRecovery.run(archive) { voice.note(line) }
        let secret = try ArchiveSecret.find(SecretFile.defaultPath(of: path), for: path, changesNothing: true)
        let report = try archive.seal(
            program: "hp-export \(Generator.version)", now: SystemClock.now(),
            salt: secret.isNew ? HistorySalt() : secret.historySalt)
        let count = report.observationCount
        voice.note(
            count == 0
                ? "\(path.display): no observation is without an entry"
                : "\(path.display): \(count) observation\(count == 1 ? " is" : "s are") sealed")
        if let head = report.head { HeadText.show(head, voice) }
        guard arguments.has("--json") else { return .good }
        var json = Writer()
        json.beginObject()
        json.key("archive")
        json.string(path.display)
        if let head = report.head { HeadText.write(head, to: &json) }
        json.key("sealed")
        json.integer(Int64(count))
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        var output = try StandardOutput()
        try output.write(json.bytes)
        try output.flush()
        return .good
    }

    /// Holds a lock up to here.
    private static func keep(_ lock: borrowing CaptureLock) {}
}

/// The head of a history, on the screen and in JSON.
enum HeadText {
    /// Three lines to keep.
    static func show(_ head: HistoryHead, _ voice: Voice) {
        for line in head.text.split(separator: "\n") { voice.note(String(line)) }
    }

    /// The member `head`.
    static func write(_ head: HistoryHead, to json: inout Writer) {
        json.key("head")
        head.write(to: &json)
    }
}
