import AppleHealth
import Archive
import CanonicalJSON
import Capture
import Exports
import Files
import Recording
import Timestamps
import Tool

/// `hp-export capture`.
enum CaptureCommand {
    static let command = Tool.Command(
        "capture", "add an Apple Health export or a capture feed to an archive",
        usage: ["ARCHIVE --apple-health FILE [OPTIONS]", "ARCHIVE --feed FILE [OPTIONS]"],
        about: [
            .text(
                "Adds the records of a source to an archive, which is created where there is none: one observation "
                    + "for an Apple Health export, or the observations of a capture feed. The same source may be "
                    + "captured again: what the archive has already stays unchanged.")
        ], options: options, example: "archive.sqlite --apple-health export.zip",
        exitStatus: Tool.Term.statuses("done", findings: "done, and the observation is partial or needs review"),
        access: { _ in .capturing }, run: run)

    private static let options = [
        Tool.Option(
            "--apple-health", .file(),
            "export.zip or export.xml of an iPhone, or the folder that the zip unpacks to; - is standard input"),
        Tool.Option("--feed", .file(), "capture feed of a health store (JSON Lines); - is standard input"),
        Tool.Option("--secret", .file(), "archive secret (default ARCHIVE.secret), created where there is none"),
        Tool.Option("--time-zone", .text("NAME"), "time zone of an export's days, such as Europe/Bucharest"),
        Tool.Option(
            "--observed-at", .text("MOMENT"),
            "when an export was made that does not state it, such as 2015-03-01T12:00:00+01:00"),
        Tool.Option(
            "--private-metadata", .text("GLOB"), isRepeatable: true,
            "of a new archive: hash the values of these metadata keys, too"),
        Tool.Option(
            "--accept-clock",
            "capture an observation that is dated more than a day in the future; it needs review"),
        Tool.Option(
            "--new-chain", "begin another chain of observations, where the secret of the archive's is lost"),
        Tool.Option(
            "--accept-disappearances", "also keep an export after which most records are no longer visible"),
        Tool.Option("--accept-person", "also keep an export of a person with another birth date"),
        Tool.Option("--reset-prototype", "move an archive of an older, unknown schema aside and begin a new one"),
        Tool.Option(
            "--dry-run",
            "say what would be captured, and change nothing: it is written to a copy in the folder of temporary "
                + "files, which is then removed"),
        Tool.Option("--keep-labels", "keep names of sources and devices in ARCHIVE.labels, for tables for people"),
        .wait, Tool.Option("--quiet", "no notes, no progress"), Progress.option,
        Tool.Option("--json", "print what was captured as one JSON object"),
    ]

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, voice) = (call.archive, call.voice)
        let health = try arguments.path("--apple-health")
        let feed = try arguments.path("--feed")
        guard (health == nil) != (feed == nil) else {
            throw UsageError("name one source: --apple-health FILE or --feed FILE")
        }
        let observedAt = try moment(arguments, isExport: health != nil)
        let patterns = try privateMetadata(arguments)
        let secretPath = try arguments.path("--secret") ?? SecretFile.defaultPath(of: path)
        let wait = try call.wait(for: path)
        let progress = try call.begin("records")
        var hooks = Capture.Hooks(
            progress: { progress.update($0) }, shouldStop: Signals.shouldStop,
            acceptsClock: arguments.has("--accept-clock"), now: SystemClock.now)
        hooks.guards.acceptsNewChain = arguments.has("--new-chain")
        hooks.guards.acceptsDisappearances = arguments.has("--accept-disappearances")
        hooks.guards.acceptsPerson = arguments.has("--accept-person")
        let isDryRun = arguments.has("--dry-run")
        let keepsNames = arguments.has("--keep-labels")
        // A file of labels that cannot be read is said before anything is captured.
        if keepsNames { _ = try Labels.read(Labels.defaultPath(of: path)) }
        let origin = Archive.Origin(
            program: "hp-export \(Generator.version)", createdAt: SystemClock.now(), privateMetadata: patterns)
        let place = Place(
            archive: path, secret: secretPath, isOfExport: health != nil, isReset: arguments.has("--reset-prototype"),
            origin: origin, wait: wait, hooks: hooks, voice: voice)
        let begun = isDryRun ? try place.rehearse() : try place.begin()
        let isNew = begun.isNew
        var capture = begun.capture
        if let patterns { try capture.check(privateMetadata: patterns) }
        var report = CaptureReport(isDryRun: isDryRun)
        if let feed {
            let (rules, stop) = (try capture.rules, hooks.shouldStop)
            let reader = try FeedReader.open(
                feed, secret: capture.secret, rules: rules, keepsNames: keepsNames, shouldStop: stop)
            try await capture.run(feed: reader) { report.add($0) }
            if let names = await reader.keptNames { try keep(names, path, isDryRun: isDryRun, voice) }
        }
        if let health {
            let options = ReadingOptions(rules: try capture.rules, observedAt: observedAt, keepsNames: keepsNames)
            let reader = try AppleHealthReader.open(
                health, secret: capture.secret, options: options, shouldStop: hooks.shouldStop)
            try await importExport(reader, named: health, arguments, place, into: &capture, &report)
        }
        let (wasStopped, secret) = (capture.wasStopped, capture.secret)
        if wasStopped { report.stop = health == nil ? .resumable : .whole }
        let head = try capture.close()
        if isNew, health != nil, !wasStopped { place.noteNewArchive() }
        // A dry run keeps nothing that a head could be of.
        if !report.isDryRun { report.head = head }
        progress.end()
        noteNewSecret(secret, voice)
        let status = try report.show(path, call)
        if wasStopped, let signal = Signals.first { return .stopped(by: signal) }
        return status
    }

    /// Adds names to the file of labels, while the capture has its lock.
    private static func keep(_ names: KeptNames, _ archive: Path, isDryRun: Bool, _ voice: Voice) throws {
        let path = Labels.defaultPath(of: archive)
        var labels = try Labels.read(path) ?? Labels()
        let (added, leftOut) = names.add(to: &labels)
        if added > 0, !isDryRun { try labels.write(path) }
        let done = isDryRun ? "would be added" : "added"
        voice.note("\(path.display): \(added) label\(added == 1 ? "" : "s") \(done)")
        guard leftOut > 0 else { return }
        voice.warning("\(path.display): \(leftOut) names are no labels: too long, no text, or too many")
    }

    private static func noteNewSecret(_ secret: ArchiveSecret, _ voice: Voice) {
        guard secret.isNew, FileStatus.exists(secret.path) else { return }
        voice.note(
            "\(secret.path.display): a new archive secret; keep it: without it no capture goes on with this archive")
    }

    private static func importExport(
        _ reader: AppleHealthReader, named path: Path, _ arguments: Arguments, _ place: Place,
        into capture: inout Capture, _ report: inout CaptureReport
    ) async throws {
        var facts = ObservationFacts(
            observedAt: Double(reader.exportDate) / 1_000_000, triggerReason: Array("apple_health_export".utf8))
        facts.appVersion = Array(place.origin.program.utf8)
        facts.timeZoneSecondsFromGMT = Int64(reader.exportOffset)
        if let zone = try arguments.text("--time-zone") {
            guard let rules = ZoneFiles.rules(Array(zone.utf8)) else {
                throw UsageError(
                    "--time-zone: there is no zone \(printable(zone.utf8)) on this machine")
            }
            guard rules.offset(at: reader.exportDate / 1_000_000) == Int64(reader.exportOffset) else {
                throw UsageError("--time-zone \(printable(zone.utf8)): another offset than the export's at its date")
            }
            facts.timeZoneIdentifier = Array(zone.utf8)
        }
        let observation = Capture.Observation(facts: facts, kind: .appleHealthExport, implicitMode: .fullScan)
        let result = try await capture.run(
            observation, from: reader, birthDate: { await reader.birthDate }, account: { await reader.account }
        ) {
            await reader.outcome?.end
        }
        guard let result else { return }
        report.add(result)
        if let names = await reader.keptNames {
            try keep(names, place.archive, isDryRun: report.isDryRun, place.voice)
        }
        switch await reader.outcome {
        case .malformed(let line, let byte):
            report.notes.append(
                "\(path.display): line \(line), byte \(byte): the export cannot be read any further")
        case .truncated: report.notes.append("\(path.display): the export ends early")
        case .complete, nil: break
        }
        for (kind, count) in await reader.leftOut.sorted { report.leftOut[kind] = count }
        for (name, count) in await reader.repairs.named where count > 0 { report.repairs[name] = count }
        let account = await reader.account
        for document in account.documents ?? [] { report.documents[document.kind, default: 0] += 1 }
        for unknown in account.unknownNames where unknown.kind == "attribute" {
            report.unknownAttributes[unknown.name] = unknown.count
        }
        for (key, count) in await reader.clearKeys { report.clearKeys[key] = count }
        let unknown = await reader.unknownValueCount
        if unknown > 0 { report.repairs["unknown_value"] = unknown }
    }

    /// The patterns of private metadata that a new archive is to have, as it has them; nil where none are stated.
    private static func privateMetadata(_ arguments: Arguments) throws -> [UInt8]? {
        guard let patterns = try arguments.texts("--private-metadata") else { return nil }
        guard let text = KeyPattern.text(of: patterns.map { Array($0.utf8) }) else {
            throw UsageError("--private-metadata: an empty pattern")
        }
        return text
    }

    /// When an export was made that does not state it.
    private static func moment(_ arguments: Arguments, isExport: Bool) throws -> ExportDate? {
        guard let text = try arguments.text("--observed-at") else { return nil }
        guard isExport else { throw UsageError("--observed-at is for --apple-health: a feed states its dates") }
        guard let (seconds, offset) = TimestampInput.secondsWithOffset(text), seconds == seconds.rounded(),
            let moment = ExportDate(seconds: Int64(seconds), offset: Int(offset))
        else {
            throw UsageError(
                "--observed-at \(printable(text.utf8)): not a moment of whole seconds with its offset, such as "
                    + "2015-03-01T12:00:00+01:00")
        }
        return moment
    }
}
