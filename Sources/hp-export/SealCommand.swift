import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Tool

/// `hp-export seal`.
enum SealCommand {
    static let command = Tool.Command(name: "seal", help: help, run: run)

    private static let help = """
        usage: hp-export seal ARCHIVE [OPTIONS]

        Gives each observation that has none its entry in the history of the archive: from then on nothing
        of it can be rewritten unseen by whoever keeps the head. It is for archives that another engine
        made or wrote to, and for those of older releases; captures do it themselves.

          --wait SECONDS  how long to wait for a locked archive (default 60)
          --quiet         no notes
          --json          print what was done as one JSON object

        example: hp-export seal archive.sqlite
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(words, options: ["--wait"], flags: ["--quiet", "--json"])
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        let seconds = Double(try arguments.integer("--wait", in: 0...86_400) ?? 60)
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        // A capture is many transactions: between two of them its observation is not complete.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let archive = try Archive.open(path, for: .recording, wait: wait)
        for line in try PublicationRecovery.run(archive) { voice.note(line) }
        let report = try archive.seal(program: "hp-export \(Generator.version)", now: SystemClock.now())
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
