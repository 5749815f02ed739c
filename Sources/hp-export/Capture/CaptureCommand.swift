import AppleHealth
import Archive
import Backup
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
        "capture", "add Apple Health exports, a capture feed or an iPhone backup to an archive",
        usage: [
            "ARCHIVE SOURCE... [OPTIONS]", "ARCHIVE --apple-health FILE [OPTIONS]", "ARCHIVE --feed FILE [OPTIONS]",
            "ARCHIVE --iphone-backup PATH [--backup-password-file FILE] [OPTIONS]",
        ],
        about: [
            .text(
                "Adds the records of a source to an archive, which is created where there is none: one observation "
                    + "for an Apple Health export, or the observations of a capture feed. The same source may be "
                    + "captured again: what the archive has already stays unchanged."),
            .text(
                "Several exports are captured in the order of their dates, however they are named. What a source is "
                    + "can be seen from its content; for standard input an option says it."),
            .text(
                "An iPhone backup is read as convert reads it: an encrypted backup, or a folder with "
                    + "healthdb_secure.sqlite and healthdb.sqlite. Tried on synthetic backups only."),
        ], operands: [.archive, Tool.Operand(.file, isRepeatable: true, isOptional: true)],
        wanted: "name an archive and what is captured", options: options, example: "archive.sqlite export.zip",
        exitStatus: Tool.Term.statuses("done", findings: "done, and the observation is partial or needs review"),
        access: { _ in .capturing }, run: run)

    private static let options = [
        Tool.Option(
            "--apple-health", .file(),
            "export.zip or export.xml of an iPhone, or the folder that the zip unpacks to; - is standard input"),
        Tool.Option("--feed", .file(), "capture feed of a health store (JSON Lines); - is standard input"),
        BackupArguments.backup, BackupArguments.password,
        Tool.Option("--secret", .file(), "archive secret (default ARCHIVE.secret), created where there is none"),
        Tool.Option(
            "--time-zone", .text("NAME"), "time zone of the days of an export or a backup, such as Europe/Bucharest"),
        Tool.Option(
            "--observed-at", .text("MOMENT"),
            "when an export or a backup was made that does not state it, such as 2015-03-01T12:00:00+01:00"),
        Tool.Option(
            "--private-metadata", .text("GLOB"), isRepeatable: true,
            "of a new archive: hash the values of these metadata keys, too"),
        Tool.Option(
            "--accept-clock",
            "capture an observation that is dated more than a day in the future; it needs review"),
        Tool.Option(
            "--new-chain", "begin another chain of observations, where the secret of the archive's is lost"),
        Tool.Option(
            "--accept-disappearances",
            "also keep an export or a backup after which most records are no longer visible"),
        Tool.Option("--accept-person", "also keep an export of a person with another birth date"),
        Tool.Option("--accept-phone", "also keep a backup of another phone than the one before"),
        Tool.Option("--reset-prototype", "move an archive of an older, unknown schema aside and begin a new one"),
        Tool.Option(
            "--dry-run",
            "say what would be captured, and change nothing: it is written to a copy in the folder of temporary "
                + "files, which is then removed"),
        Tool.Option("--keep-labels", "keep names of sources and devices in ARCHIVE.labels, for tables for people"),
        Tool.Option("--labels-only", "capture nothing, and keep these names of a source that was captured before"),
        .wait, Tool.Option("--verbose", "say everything that was noticed"),
        Tool.Option("--quiet", "no summary, no notes, no progress"), Progress.option,
        Tool.Option("--json", "print what was captured as one JSON object"),
    ]

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, voice) = (call.archive, call.voice)
        let sources = try CaptureSources(arguments)
        let observedAt = try moment(arguments, sources)
        let backup = sources.backup == nil ? nil : try BackupArguments(arguments)
        let patterns = try privateMetadata(arguments)
        let secretPath = try arguments.path("--secret") ?? SecretFile.defaultPath(of: path)
        let wait = try call.wait(for: path)
        let keepsNames = arguments.has("--keep-labels") || arguments.has("--labels-only")
        // A file of labels that cannot be read is said before anything is captured.
        if keepsNames { _ = try Labels.read(Labels.defaultPath(of: path)) }
        let origin = Archive.Origin(
            program: "hp-export \(Generator.version)", createdAt: SystemClock.now(), privateMetadata: patterns)
        let position = SourcePosition()
        let place = Place(
            archive: path, secret: secretPath, isWhole: sources.isWhole, isOfBackup: sources.backup != nil,
            isReset: arguments.has("--reset-prototype"), isDryRun: arguments.has("--dry-run"), origin: origin,
            wait: wait,
            hooks: hooks(arguments) { call.update($0, share: position.share) }, voice: voice,
            isVerbose: arguments.has("--verbose"), position: position)
        if arguments.has("--labels-only") { return try await addNames(of: sources, arguments, place, call) }
        var report = CaptureReport(
            isDryRun: place.isDryRun, isVerbose: arguments.has("--verbose"), isQuiet: arguments.has("--quiet"))
        do {
            if let feed = sources.feed {
                _ = try call.begin("records")
                try await capture(feed: feed, keepsNames: keepsNames, patterns, place, &report)
            } else if let backup {
                _ = try call.begin("records")
                try await capture(backup: backup, keepsNames: keepsNames, patterns, place, &report)
            } else {
                let exports = try sources.ordered(observedAt: observedAt, place)
                let options = ReadingOptions(observedAt: observedAt, keepsNames: keepsNames, position: place.position)
                // Of a rehearsal nothing is kept that a second one could find: one takes all exports. Else each is
                // kept before the next one is read.
                let parts = place.isDryRun ? [exports] : exports.map { [$0] }
                for part in parts where report.stop == nil {
                    var begun = try begin(place, patterns)
                    for export in part where !begun.capture.wasStopped {
                        _ = try call.begin("records")
                        try await capture(export: export, options, arguments, place, into: &begun.capture, &report)
                    }
                    try end(begun, place, &report)
                }
            }
        } catch  where !report.isEmpty {
            // What was captured before the error stays.
            report.hasEnded = false
            _ = try report.show(path, call)
            throw error
        }
        let status = try report.show(path, call)
        if report.stop != nil, let signal = Signals.first { return .stopped(by: signal) }
        return status
    }

    private static func hooks(_ arguments: Arguments, progress: @escaping @Sendable (Int) -> Void) -> Capture.Hooks {
        var hooks = Capture.Hooks(
            progress: progress, shouldStop: Signals.shouldStop, acceptsClock: arguments.has("--accept-clock"),
            now: SystemClock.now)
        hooks.guards.acceptsNewChain = arguments.has("--new-chain")
        hooks.guards.acceptsDisappearances = arguments.has("--accept-disappearances")
        hooks.guards.acceptsPerson = arguments.has("--accept-person")
        hooks.guards.acceptsPhone = arguments.has("--accept-phone")
        return hooks
    }

    // MARK: From the beginning of a capture to its end

    private static func begin(_ place: Place, _ patterns: [UInt8]?) throws -> Begun {
        let begun = place.isDryRun ? try place.rehearse() : try place.begin()
        if let patterns { try begun.capture.check(privateMetadata: patterns) }
        return begun
    }

    private static func end(_ begun: consuming Begun, _ place: Place, _ report: inout CaptureReport) throws {
        let isNew = begun.isNew
        let (wasStopped, secret) = (begun.capture.wasStopped, begun.capture.secret)
        if wasStopped { report.stop = place.isWhole ? .whole(place.noun) : .resumable }
        let head = try begun.close()
        if isNew, place.isWhole, !wasStopped { place.noteNewArchive() }
        // A dry run keeps nothing that a head could be of.
        if !report.isDryRun { report.head = head }
        guard secret.isNew, FileStatus.exists(secret.path) else { return }
        place.voice.note(
            "\(secret.path.display): a new archive secret; keep it: without it no capture goes on with this archive")
    }

    private static func capture(
        feed: Path, keepsNames: Bool, _ patterns: [UInt8]?, _ place: Place, _ report: inout CaptureReport
    ) async throws {
        let opened = try place.open(feed: feed)
        var begun = try begin(place, patterns)
        let (secret, rules) = (begun.capture.secret, try begun.capture.rules)
        let reader = FeedReader(opened, secret: secret, rules: rules, keepsNames: keepsNames)
        let name = printable(feed.name)
        try await begun.capture.run(feed: reader) { report.add($0, from: name) }
        if let names = await reader.keptNames { try keep(names, place) }
        try end(begun, place, &report)
    }

    private static func capture(
        backup: BackupArguments, keepsNames: Bool, _ patterns: [UInt8]?, _ place: Place, _ report: inout CaptureReport
    ) async throws {
        var (source, facts) = try backup.open(place.wait) { place.voice.note($0) }
        var begun = try begin(place, patterns)
        facts.program = place.origin.program
        let types = try begun.capture.knownTypes(of: .iPhoneBackup).map { String(decoding: $0, as: UTF8.self) }
        let notes = BackupNotes()
        let opened = try open(source, facts, earlierTypes: types, place, notes)
        let (secret, rules) = (begun.capture.secret, try begun.capture.rules)
        let reader = FeedReader(opened, secret: secret, rules: rules, keepsNames: keepsNames)
        let phone = Capture.Backup(phone: facts.phone.map { Array($0.utf8) })
        let name = printable(backup.path.name)
        try await begun.capture.run(feed: reader, of: phone) { report.add($0, from: name) }
        if let names = await reader.keptNames { try keep(names, place) }
        try end(begun, place, &report)
        for note in notes.lines { place.voice.note(note) }
        place.voice.note(BackupArguments.untried)
    }

    /// Opens a backup as a feed; the notes have what should be known of its databases when the feed was read.
    private static func open(
        _ source: HealthSource, _ facts: BackupFacts, earlierTypes: [String] = [], _ place: Place,
        _ notes: BackupNotes
    ) throws -> OpenFeed {
        let feed = try HealthFeed(source, facts, earlierTypes: earlierTypes, wait: place.wait)
        let shouldStop = place.hooks.shouldStop
        return OpenFeed(named: source.path.display) {
            // A capture that is to stop keeps nothing: how its feed ends makes no difference.
            if shouldStop() { return nil }
            let lines = try feed.next()
            if lines == nil { notes.keep(feed.notes) }
            return lines
        }
    }

    private static func capture(
        export path: Path, _ given: ReadingOptions, _ arguments: Arguments, _ place: Place,
        into capture: inout Capture, _ report: inout CaptureReport
    ) async throws {
        var options = given
        options.rules = try capture.rules
        let reader = try AppleHealthReader.open(
            path, secret: capture.secret, options: options, shouldStop: place.hooks.shouldStop)
        var facts = ObservationFacts(
            observedAt: Double(reader.exportDate) / 1_000_000, triggerReason: Array("apple_health_export".utf8))
        facts.appVersion = Array(place.origin.program.utf8)
        facts.timeZoneSecondsFromGMT = Int64(reader.exportOffset)
        facts.timeZoneIdentifier = try timeZone(arguments, reader)
        let observation = Capture.Observation(facts: facts, kind: .appleHealthExport, implicitMode: .fullScan)
        let result = try await capture.run(
            observation, from: reader, birthDate: { await reader.birthDate }, account: { await reader.account }
        ) {
            await reader.outcome?.end
        }
        guard let result else { return }
        report.add(result, from: printable(path.name))
        if let names = await reader.keptNames { try keep(names, place) }
        await report.add(reader, named: printable(path.name))
        if facts.timeZoneIdentifier == nil, result.daysByOffset > 0 {
            report.proposeZone(at: reader.exportDate / 1_000_000, offset: Int64(reader.exportOffset))
        }
    }

    /// Returns the zone that the arguments state, if its offset is that of the export.
    private static func timeZone(_ arguments: Arguments, _ reader: AppleHealthReader) throws(UsageError) -> [UInt8]? {
        guard let zone = try arguments.text("--time-zone") else { return nil }
        guard let rules = ZoneFiles.rules(Array(zone.utf8)) else {
            throw UsageError("--time-zone: there is no zone \(printable(zone.utf8)) on this machine")
        }
        guard rules.offset(at: reader.exportDate / 1_000_000) == Int64(reader.exportOffset) else {
            throw UsageError("--time-zone \(printable(zone.utf8)): another offset than the export's at its date")
        }
        return Array(zone.utf8)
    }

    // MARK: Names

    /// Adds names to the file of labels, while the capture has its lock.
    ///
    /// - Parameter known: the hashes that the archive has; nil if it has all.
    private static func keep(_ names: KeptNames, _ place: Place, among known: Set<String>? = nil) throws {
        let path = Labels.defaultPath(of: place.archive)
        var labels = try Labels.read(path) ?? Labels()
        let (added, leftOut) = names.add(to: &labels, among: known)
        if added > 0, !place.isDryRun { try labels.write(path) }
        let done = place.isDryRun ? "would be added" : "added"
        place.voice.note("\(path.display): \(added) label\(added == 1 ? "" : "s") \(done)")
        guard leftOut > 0 else { return }
        place.voice.warning("\(path.display): \(leftOut) names are no labels: too long, no text, or too many")
    }

    /// Keeps the names of sources and devices that were captured before.
    private static func addNames(
        of sources: CaptureSources, _ arguments: Arguments, _ place: Place, _ call: Call
    ) async throws -> ExitStatus {
        let lock = try CaptureLock.take(for: place.archive, place.wait)
        let known = Set(try call.open().hashesOfNames())
        let secret = try ArchiveSecret.find(place.secret, for: place.archive, changesNothing: true)
        guard !secret.isNew else {
            throw UsageError("\(place.secret.display): no such file; without the archive's secret no name can be found")
        }
        let options = ReadingOptions(keepsNames: true)
        if sources.backup != nil {
            let (source, facts) = try BackupArguments(arguments).open(place.wait) { place.voice.note($0) }
            let opened = try open(source, facts, place, BackupNotes())
            let reader = FeedReader(opened, secret: secret, keepsNames: true)
            while try await reader.next() != nil {}
            if let names = await reader.keptNames { try keep(names, place, among: known) }
        }
        if let feed = sources.feed {
            let reader = FeedReader(
                try OpenFeed(feed, shouldStop: place.hooks.shouldStop), secret: secret, keepsNames: true)
            while try await reader.next() != nil {}
            if let names = await reader.keptNames { try keep(names, place, among: known) }
        }
        for export in sources.exports {
            let reader = try AppleHealthReader.open(
                export, secret: secret, options: options, shouldStop: place.hooks.shouldStop)
            while try await reader.next() != nil {}
            if let names = await reader.keptNames { try keep(names, place, among: known) }
        }
        withExtendedLifetime(lock) {}
        if let signal = Signals.first { return .stopped(by: signal) }
        return try call.show(json: ["archive": place.archive.display])
    }

    // MARK: Options

    /// Returns the patterns of private metadata that a new archive is to have, as it has them; `nil` if none are
    /// stated.
    private static func privateMetadata(_ arguments: Arguments) throws -> [UInt8]? {
        guard let patterns = try arguments.texts("--private-metadata") else { return nil }
        guard let text = KeyPattern.text(of: patterns.map { Array($0.utf8) }) else {
            throw UsageError("--private-metadata: an empty pattern")
        }
        return text
    }

    /// Returns the time when an export was made that does not state it.
    private static func moment(_ arguments: Arguments, _ sources: CaptureSources) throws -> ExportDate? {
        guard let text = try arguments.text("--observed-at") else { return nil }
        guard sources.feed == nil else {
            throw UsageError("--observed-at is for Apple Health exports and backups: a feed states its dates")
        }
        if sources.backup != nil { return nil }
        guard sources.exports.count == 1 else { throw UsageError("--observed-at is for one export at a time") }
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
        var capture: Capture
        let isNew: Bool

        /// Ends the capture; see `Capture.close`.
        consuming func close() throws -> HistoryHead? { try capture.close() }
    }

    /// The place at which a capture begins: its archive, which may have to be created, and the secret.
    struct Place {
        let archive: Path
        let secret: Path
        /// `true` if the source can be read again, so that all of an observation is kept or nothing.
        let isWhole: Bool
        /// `true` if the source is a backup.
        let isOfBackup: Bool
        /// The kind of the source in messages.
        var noun: String { isOfBackup ? "backup" : "export" }
        /// `true` if a prototype is moved aside.
        let isReset: Bool
        /// `true` if nothing is kept.
        let isDryRun: Bool
        let origin: Archive.Origin
        let wait: LockWait
        let hooks: Capture.Hooks
        let voice: Voice
        /// `true` if everything that was noticed is printed.
        let isVerbose: Bool
        /// The amount of the current source that was read.
        let position: SourcePosition

        /// Opens a feed, which has to begin as one if an archive would be made for it.
        func open(feed: Path) throws -> OpenFeed {
            var opened = try OpenFeed(feed, position: position, shouldStop: hooks.shouldStop)
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
            if isNew, !isWhole {
                try Archive.create(archive, origin: origin, replaced: isReset)
                noteNewArchive()
            }
            let capture =
                isNew && isWhole
                ? try Capture.create(
                    archive, lock: lock, origin: origin, replaced: isReset, hasUUIDs: isOfBackup, secret: secret,
                    wait: wait, hooks: hooks)
                : try Capture.open(
                    archive, lock: lock, secret: secret, program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// Rehearses the beginning, without a trace.
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
                if !isWhole { noteNewArchive() }
            }
            let secret = try ArchiveSecret.find(secret, for: archive, changesNothing: true)
            let capture = try Capture.rehearse(
                archive, creating: isNew ? origin : nil, replaced: wasReset, isWhole: isWhole, hasUUIDs: isOfBackup,
                secret: secret, program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// Says that there is an archive now. That of a feed is there at once, that of an export when it is captured.
        func noteNewArchive() { if isVerbose { voice.note("\(archive.display): a new archive") } }

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
