import AppleHealth
import Archive
import CanonicalJSON
import Capture
import Changes
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
        var opened = try place.open(feed: feed)
        let begun = isDryRun ? try place.rehearse() : try place.begin()
        let isNew = begun.isNew
        var capture = begun.capture
        if let patterns { try capture.check(privateMetadata: patterns) }
        var report = CaptureReport(isDryRun: isDryRun)
        if let opened = opened.take() {
            let reader = FeedReader(opened, secret: capture.secret, rules: try capture.rules, keepsNames: keepsNames)
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
        if await reader.isXMLAlone {
            report.notes.append(
                "\(path.display): no files beside the XML: electrocardiograms, routes and documents are unknown")
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

extension CaptureCommand {
    /// A capture that has begun, and whether its archive is new.
    struct Begun: ~Copyable {
        let capture: Capture
        let isNew: Bool
    }

    /// Where a capture begins: its archive, which may have to be created, and the secret.
    struct Place {
        let archive: Path
        let secret: Path
        let isOfExport: Bool
        /// Whether a prototype is moved aside.
        let isReset: Bool
        let origin: Archive.Origin
        let wait: LockWait
        let hooks: Capture.Hooks
        let voice: Voice

        /// Opens a feed, which has to begin as one if an archive would be made for it; `nil` if there is none.
        func open(feed: Path?) throws -> OpenFeed? {
            guard let feed else { return nil }
            var opened = try OpenFeed(feed, shouldStop: hooks.shouldStop)
            if isReset || !FileStatus.exists(archive) {
                try opened.checkBeginning(secret: ArchiveSecret.find(secret, for: archive, changesNothing: true))
            }
            return opened
        }

        /// Opens the archive, or begins one; says whether it did.
        func begin() throws -> Begun {
            // Whoever comes at the same time finds the archive and the secret that the first one made.
            let lock = try CaptureLock.take(for: archive, wait)
            let (isNew, isReset) = try prepare()
            let secret = try ArchiveSecret.find(secret, for: archive)
            var origin = origin
            origin.historySalt = secret.historySalt
            // A feed's client may rely on what is committed; an export can be read again.
            if isNew, !isOfExport {
                try Archive.create(archive, origin: origin, replaced: isReset)
                noteNewArchive()
            }
            let capture =
                isNew && isOfExport
                ? try Capture.create(
                    archive, lock: lock, origin: origin, replaced: isReset, secret: secret, wait: wait, hooks: hooks)
                : try Capture.open(
                    archive, lock: lock, secret: secret, program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// The same, without a trace.
        func rehearse() throws -> Begun {
            try CaptureLock.waitUntilFree(archive, wait)
            let isThere = FileStatus.exists(archive)
            var wasReset = false
            if isThere, isReset { wasReset = try Archive.isPrototype(archive, wait: wait) }
            if wasReset {
                voice.note("\(archive.display): the prototype would be moved aside, and a new archive begins")
            }
            let isNew = !isThere || wasReset
            if isNew {
                if !isThere { try Archive.checkPlace(archive) }
                if isReset, !wasReset { wasReset = try Archive.hasPrototypeBackup(archive) }
                if !isOfExport { noteNewArchive() }
            }
            let secret = try ArchiveSecret.find(secret, for: archive, changesNothing: true)
            let capture = try Capture.rehearse(
                archive, creating: isNew ? origin : nil, replaced: wasReset, isWhole: isOfExport, secret: secret,
                program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// Says that there is an archive now. That of a feed is there at once, that of an export when it is captured.
        func noteNewArchive() { voice.note("\(archive.display): a new archive") }

        /// Moves a prototype aside where that is wanted; returns whether there is no archive, and whether one was moved
        /// aside.
        private func prepare() throws -> (isNew: Bool, isReset: Bool) {
            try Archive.removeUnfinished(archive)
            var wasReset = false
            if FileStatus.exists(archive), isReset,
                let backup = try Archive.setAsidePrototype(archive, now: SystemClock.now(), wait: wait)
            {
                voice.note("\(archive.display): the prototype is now \(backup.display), and a new archive begins")
                wasReset = true
            }
            guard !FileStatus.exists(archive) else { return (false, false) }
            try Archive.checkPlace(archive)
            if isReset, !wasReset { wasReset = try Archive.hasPrototypeBackup(archive) }
            return (true, wasReset)
        }
    }
}

/// What `capture` says of what it did: a note for each observation, or one JSON object
/// (`Spec/schemas/capture-result.json`).
struct CaptureReport {
    /// Whether nothing was kept.
    let isDryRun: Bool
    private var results: [Capture.Result] = []
    /// What a source has that no observation holds, by kind.
    var leftOut: [String: Int] = [:]
    /// Files that are evidence of themselves, by kind.
    var documents: [String: Int] = [:]
    /// Attributes that are not known, and kept in the metadata.
    var unknownAttributes: [String: Int] = [:]
    /// Keys of other apps' metadata whose values are kept as they are.
    var clearKeys: [String: Int] = [:]
    /// What was mended on the way in, by kind.
    var repairs: [String: Int] = [:]
    /// The head of the archive's history; nil where it is not sealed.
    var head: HistoryHead?
    /// What a signal that stopped the capture left; `nil` if none did.
    var stop: Stop?
    /// More to say.
    var notes: [String] = []

    /// What is left of a capture that a signal stopped.
    enum Stop {
        /// Pages of a feed.
        case resumable
        /// Nothing of an export.
        case whole
    }

    /// A report of nothing yet.
    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    mutating func add(_ result: Capture.Result) { results.append(result) }

    /// Shows everything; the status is 1 if an observation is partial or needs review.
    func show(_ archive: Path, _ call: Call) throws -> ExitStatus {
        let voice = call.voice
        for note in notes { voice.note(note) }
        for result in results { voice.note("\(archive.display): \(line(result))") }
        for (reason, count) in results.flatMap({ $0.counts.rejected.map { ($0.key, $0.value) } }).sorted(by: {
            $0.0 < $1.0
        }) {
            let place = results.compactMap { $0.counts.firstRejections[reason] }.first ?? ""
            voice.warning("\(count) records rejected: \(reason), first at \(place)")
        }
        for result in results where result.counts.withheld > 0 {
            voice.warning(
                "observation \(result.observationID): \(result.counts.withheld) records were not seen and stay "
                    + "visible, because a rejected record could be one of them; hp-export list withheld names them")
        }
        for result in results where result.daysByOffset > 0 {
            voice.note(
                "observation \(result.observationID): \(result.daysByOffset) days go by the offset of the observation, "
                    + "also those of another summer time; a time zone's name gives the local ones")
        }
        for note in zoneNotes { voice.note(note) }
        if !leftOut.isEmpty { voice.note("left out: \(Self.list(leftOut))") }
        if !documents.isEmpty { voice.note("documents, by their hashes: \(Self.list(documents))") }
        if !unknownAttributes.isEmpty { voice.note("kept, and not known: \(Self.list(unknownAttributes))") }
        if !clearKeys.isEmpty {
            let keys = clearKeys.map { ("\"\(printable($0.key.utf8))\"", $0.value) }
            voice.note("metadata of other apps kept as it is: \(Self.list(Dictionary(keys, uniquingKeysWith: +)))")
        }
        if !repairs.isEmpty { voice.note("read with repairs: \(Self.list(repairs))") }
        if isDryRun { voice.note("\(archive.display): dry run: nothing was kept") }
        if let head {
            head.show(call)
        } else if !isDryRun, stop == nil {
            voice.note("\(archive.display): the newest observation is not in the history: hp-export seal adds it")
        }
        switch stop {
        case .resumable where !isDryRun: voice.note("\(archive.display): stopped; run the same command to continue")
        case .resumable, .whole: voice.note("\(archive.display): stopped; nothing was kept")
        case nil: break
        }
        return try call.show(json: json(archive), isGood: results.allSatisfy { $0.status == "completed" })
    }

    /// What to tell of zones that are not known, once for each name and offset.
    private var zoneNotes: [String] {
        var notes: [String] = []
        for problem in results.compactMap(\.zoneProblem) {
            let reason =
                switch problem.reason {
                case .unknown: "is unknown on this machine"
                case .otherOffset: "has another offset here than the source states"
                }
            let offset = TimeZoneRules.name(ofOffset: problem.seconds)
            let note = "time zone \(printable(problem.name, limit: 64)) \(reason): days go by \(offset)"
            if !notes.contains(note) { notes.append(note) }
        }
        return notes
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private func line(_ result: Capture.Result) -> String {
        let counts = result.counts
        let id = "observation \(result.observationID)"
        if result.start == .compared {
            let end = ["running", "started"].contains(result.status) ? "; it has more, and stays \(result.status)" : ""
            return "\(id) was captured before, and nothing differs: \(counts.records) records\(end)"
        }
        var parts = [
            "\(counts.records) records", "\(counts.appeared) appeared",
            "\(counts.representationChanged) "
                + "changed", "\(counts.disappeared) no longer visible", "\(counts.unchanged) unchanged",
        ]
        if counts.conflicts > 0 { parts.append("\(counts.conflicts) conflicts") }
        let links = result.links
        let changed = [
            (links.appeared, "appeared"), (links.changed, "changed"), (links.disappeared, "no longer visible"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !changed.isEmpty { parts.append("links: \(changed.joined(separator: ", "))") }
        var text = "\(id) \(result.status): \(parts.joined(separator: ", "))"
        if result.start == .resumed { text += ", resumed after an interruption" }
        if let known = result.goesBeyond { text += ", more than observation \(known) of the same date" }
        for ended in result.endedBefore { text += "; observation \(ended) never ended and is partial_interrupted" }
        return text
    }

    private func json(_ archive: Path) -> JSONObject {
        [
            "archive": archive.display, "clear_metadata_keys": JSONObject(clearKeys),
            "documents": JSONObject(documents), "dry_run": isDryRun, "head": head, "left_out": JSONObject(leftOut),
            "observations": results.map(Self.json), "repairs": JSONObject(repairs),
            "unknown_attributes": JSONObject(unknownAttributes),
        ]
    }

    private static func json(_ result: Capture.Result) -> JSONObject {
        let counts = result.counts
        return [
            "appeared": counts.appeared, "conflicts": counts.conflicts,
            "correlation_member_only": counts.correlationMembersOnly, "days_by_offset": result.daysByOffset,
            "deleted_objects": counts.deletedObjects, "disappeared": counts.disappeared,
            "ended_relationships": counts.endedRelationships, "gone_documents": counts.goneDocuments,
            "new_documents": counts.newDocuments, "new_relationships": counts.newRelationships,
            "new_samples": counts.newSamples, "new_versions": counts.newVersions,
            "observation_id": result.observationID, "records": counts.records,
            "rejected": JSONObject(counts.rejected), "representation_changed": counts.representationChanged,
            "start": result.start == .new ? "new" : result.start == .resumed ? "resumed" : "compared",
            "status": result.status, "time_zone_problem": result.zoneProblem?.reason.rawValue,
            "unchanged": counts.unchanged, "withheld": counts.withheld,
        ]
    }
}
