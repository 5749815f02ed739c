import Archive
import CanonicalJSON
import Exports
import Files
import Manifest
import Tool

/// `hp-export bundle`.
enum BundleCommand {
    static let command = Tool.Command(name: "bundle", help: help, run: run)

    private static let help = """
        usage: hp-export bundle ARCHIVE -o FILE [OPTIONS]

        Writes the records that were visible at an observation, with everything that the archive knows of
        them, into one bundle (JSON Lines, Zstandard), and records the export in the archive.

          -o FILE            where to; - is standard output
          --at OBS           observation: an id, latest (default), previous, or a date
          --history          all samples, versions, events and ranges up to OBS
          --type T           only sample type T; may be repeated
          --since D          only records that start at or after D (2024-01-31, 2024-01-31T10:00:00Z)
          --until D          only records that start before D
          --source ID        only records of the source with this bundle identifier; may be repeated
          --level N          Zstandard level, 1 to 19 (default 1)
          --no-record        do not record the export in the archive
          --force            replace FILE
          --wait SECONDS     how long to wait for a locked archive (default 60)
          --max-line BYTES   longest line (default 67108864)
          --quiet            no notes, no progress
          --json             print what was exported as one JSON object

        example: hp-export bundle archive.sqlite -o march.jsonl.zst --since 2024-03-01 --until 2024-04-01
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    private static let options: Set<String> = ["-o", "--at", "--type", "--since", "--until", "--source", "--level", "--wait", "--max-line"]
    private static let flags: Set<String> = ["--history", "--no-record", "--force", "--quiet", "--json"]

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(words, options: options, flags: flags)
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else { throw UsageError("name one archive") }
        guard let output = try arguments.path("-o") else { throw UsageError("-o FILE is missing") }
        let isStream = output.bytes == Array("-".utf8)
        if isStream, StandardOutput.isTerminal { throw UsageError("a bundle is binary and standard output is a terminal: name a file, or use a pipe") }
        let choice = try observation(arguments)
        let filter = try ScopeArguments.filter(arguments)
        let wait = Double(try arguments.integer("--wait", in: 0...86_400) ?? 60)
        let isRecorded = !arguments.has("--no-record")

        let speaker = voice
        let patience = Patience(seconds: wait, shouldStop: { Signals.first != nil }, onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        let archive = try Archive.open(path, for: isRecorded ? .recording : .reading, patience: patience)
        if isRecorded { for line in try PublicationRecovery.run(archive) { voice.note(line) } }
        let observationID = try archive.observationID(choice)
        let scope = Scope(mode: arguments.has("--history") ? .history : .pointInTime, observationID: observationID, filter: filter)
        var request = BundleRequest(scope: scope, destination: isStream ? .standardOutput : .file(output, replacing: arguments.has("--force")))
        request.isRecorded = isRecorded
        if let level = try arguments.integer("--level", in: FrameCompressor.levels) { request.level = level }
        if let limit = try arguments.integer("--max-line", in: 1024...(1 << 30)) { request.lineLimit = limit }

        let isShown = !voice.isQuiet && StandardError.isTerminal
        let progress = Progress("items", total: isShown ? try archive.estimatedCount(of: scope) : nil, isQuiet: voice.isQuiet)
        let hooks = BundleExport.Hooks(progress: { progress.update($0) }, shouldStop: { Signals.first != nil })
        defer { progress.end() }
        let result = try await BundleExport.run(request, of: archive, hooks: hooks)
        progress.end()
        for note in result.notes { voice.note(note) }
        try report(result, output, isStream: isStream, asJSON: arguments.has("--json"), voice)
        return .good
    }

    private static func observation(_ arguments: Arguments) throws -> ObservationChoice {
        guard let text = try arguments.text("--at") else { return .latest }
        guard let choice = ObservationChoice(text) else { throw UsageError("--at takes an id, latest, previous or a date, not \(printable(text.utf8))") }
        return choice
    }

    private static func report(_ result: BundleResult, _ file: Path, isStream: Bool, asJSON: Bool, _ voice: Voice) throws {
        guard asJSON else {
            let recorded = result.wasRecorded ? "recorded before" : result.isRecorded ? "recorded" : "not recorded"
            voice.note("\(file.display): \(result.itemCount) items at observation \(result.observationID), \(result.defectCount) defects, export \(result.exportID), \(recorded)")
            return
        }
        var json = Writer()
        json.beginObject()
        json.key("already_recorded")
        json.bool(result.wasRecorded)
        json.key("defect_count")
        json.integer(Int64(result.defectCount))
        json.key("export_id")
        json.string(result.exportID)
        json.key("file")
        json.string(file.display)
        json.key("item_count")
        json.integer(Int64(result.itemCount))
        json.key("manifest_hash")
        json.string(result.manifestHash)
        json.key("notes")
        json.beginArray()
        for note in result.notes { json.string(note) }
        json.endArray()
        json.key("observation_id")
        json.number(Double(result.observationID))
        json.key("recorded")
        json.bool(result.isRecorded || result.wasRecorded)
        json.endObject()
        json.append(0x0A)
        if isStream {
            StandardError.write(String(decoding: json.bytes, as: UTF8.self))
        } else {
            var output = try StandardOutput()
            try output.write(json.bytes)
            try output.flush()
        }
    }
}
