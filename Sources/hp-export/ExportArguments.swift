import Archive
import CanonicalJSON
import Exports
import Files
import Measures
import Timestamps
import Tool

/// What the commands that make exports have in common: where the export goes, whether it is recorded, and what is
/// said when it is done.
struct ExportArguments {
    /// What every export accepts.
    static let options = [
        Tool.Option(
            "--type", .text("T", offering: SampleTypeNames.shortNames), isRepeatable: true,
            "only sample type T: HKQuantityTypeIdentifierHeartRate, HeartRate or \"Heart rate\""),
        Tool.Option(
            "--since", .text("D"),
            "only records that start in D or later: 2024-01-31, 2024-01 or 2024 in the observation's time zone, or "
                + "2024-01-31T10:00:00Z"),
        Tool.Option("--until", .text("D"), "only records that start before D"),
        Tool.Option("--overlapping", "also records that start before --since and end after it"),
        Tool.Option(
            "--source", .text("ID"), isRepeatable: true, "only records of the source with this bundle identifier"),
        Tool.Option(
            "--source-name", .text("S"), isRepeatable: true,
            "only records of the source with this name, label or hash (hp-export list ARCHIVE sources)"),
        Tool.Option("--level", .number("N", in: 1...19), "Zstandard level of a bundle, 1 to 19 (default 1)"),
        Tool.Option("--no-record", "do not record the export in the archive, which is then only read"),
        Tool.Option("--force", "replace FILE"), wait,
        Tool.Option("--max-line", .number("BYTES", in: 1024...(1 << 30)), "longest line (default 67108864)"),
        Tool.Option("--quiet", "no notes, no progress"), Progress.option,
        Tool.Option("--json", "print what was exported as one JSON object"),
    ]
    /// How long every command waits.
    static let wait = Tool.Option(
        "--wait", .number("SECONDS", in: 0...86_400), "how long to wait for a locked archive (default 60)")
    /// Where a report goes.
    static let output = Tool.Option("-o", .output(), "where to; - is standard output (default)")
    /// An observation, as it is named.
    static let observation = Tool.Value.text("OBS", offering: ["latest", "previous"])
    /// The observation that is exported.
    static let at = Tool.Option(
        "--at", observation, "observation: an id, latest (default), previous, or a date, month or year")

    /// The containers of a report, the usual one first.
    static func format(usual: String) -> Tool.Option {
        let names = [usual] + ["csv", "jsonl", "json", "bundle"].filter { $0 != usual }
        return Tool.Option(
            "--format", .word("F", of: names),
            "\(usual) (default), \(names.dropFirst().dropLast().joined(separator: ", ")) or \(names[names.count - 1])")
    }

    /// The option that follows links.
    static let withRelated = Tool.Option(
        "--with-related", "also records that the selected ones are linked to, over any number of links")

    let arguments: Arguments
    let archive: Path
    private(set) var output: Path
    let isRecorded: Bool
    private var voice: Voice

    /// - Parameter output: where the export goes unless `-o` says so; nil where it has to be said.
    init(_ arguments: Arguments, _ voice: Voice, output: Path? = nil) throws {
        self.arguments = arguments
        self.voice = voice
        self.voice.isQuiet = arguments.has("--quiet")
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw UsageError("name one archive")
        }
        guard let output = try arguments.path("-o") ?? output else { throw UsageError("-o FILE is missing") }
        archive = path
        self.output = output
        isRecorded = !arguments.has("--no-record")
    }

    /// Whether the export goes to standard output.
    var isStream: Bool { output.bytes == Array("-".utf8) }

    /// The container that `--format` names.
    func container(_ usual: String) throws -> ExportContainer {
        let name = try arguments.text("--format") ?? usual
        let level = try arguments.integer("--level") ?? 1
        switch name {
        case "bundle":
            if isStream, StandardOutput.isTerminal {
                throw UsageError(
                    "a bundle is binary and standard output is a terminal: name a file, or use a pipe")
            }
            return .bundle(level: level)
        case "jsonl": return .lines
        case "json": return .envelope
        // The option has no other word than csv.
        default: return .table
        }
    }

    /// What the commands accept whose tables have a view for people.
    static let optionsOfViews = [
        Tool.Option(
            "--view", .word("people", of: ["people"]),
            "a table for people: names, local dates, few columns (Spec/people-view.md)"),
        Tool.Option(
            "--dialect", .word("excel", of: ["excel"]),
            "with --view: a byte order mark, semicolons and decimal commas"),
    ]

    /// The view that `--view` and `--dialect` ask for.
    func view(_ container: ExportContainer, zone: TimeZoneRules) throws -> PeopleView? {
        let dialect: PeopleView.Dialect = try arguments.text("--dialect") == nil ? .plain : .excel
        guard try arguments.text("--view") != nil else {
            guard dialect == .plain else { throw UsageError("--dialect needs --view people") }
            return nil
        }
        guard container == .table else { throw UsageError("--view people is a table: --format csv") }
        return PeopleView(dialect, zone: zone, labels: try Labels.read(Labels.defaultPath(of: archive))?.shown)
    }

    /// The observation that an option names.
    func observation(_ option: String) throws -> ObservationChoice? {
        guard let text = try arguments.text(option) else { return nil }
        guard let choice = ObservationChoice(text) else {
            throw UsageError(
                "\(option) accepts an id, latest, previous, a date, a month or a year, not \(printable(text.utf8))")
        }
        return choice
    }

    /// What selects a part of the scope.
    func scope() throws -> ScopeArguments { try ScopeArguments(arguments, archive) }

    /// Opens the archive, completes what an export before left to do, and begins the transaction that everything is
    /// read in: the scope is resolved in the state that is exported.
    func open(recording: Bool) throws -> Archive {
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let speaker = voice
        let path = archive
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        let archive = try Archive.open(path, for: recording ? .recording : .reading, wait: wait)
        if recording { try archive.requireSoundness() }
        if recording { for line in try PublicationRecovery.run(archive) { voice.note(line) } }
        try archive.beginSideBySide()
        return archive
    }

    /// The same for another file.
    func writing(to path: Path) -> ExportArguments {
        var other = self
        other.output = path
        return other
    }

    /// Makes the export and says what came of it.
    func run(
        _ kind: ExportKind, _ scope: Scope, _ container: ExportContainer, thresholds: [Threshold: Double]? = nil,
        view: PeopleView? = nil, of archive: consuming Archive
    ) async throws -> ExitStatus {
        // The run takes the archive with it.
        let place = try Self.place(scope, archive)
        try report(await export(kind, scope, container, thresholds: thresholds, view: view, of: archive), place)
        return .good
    }

    /// Makes the export, and says what is worth knowing of it.
    func export(
        _ kind: ExportKind, _ scope: Scope, _ container: ExportContainer, thresholds: [Threshold: Double]? = nil,
        view: PeopleView? = nil, of archive: consuming Archive
    ) async throws -> ExportResult {
        var request = ExportRequest(
            kind, scope: scope, container: container,
            destination: isStream ? .standardOutput : .file(output, replacing: arguments.has("--force")),
            thresholds: thresholds)
        request.isRecorded = isRecorded
        request.view = view
        if let limit = try arguments.integer("--max-line") { request.lineLimit = limit }
        let form = try Progress.Form(arguments)
        let isShown = form != .none && scope.mode != .changes
        let progress = Progress(
            "items", total: isShown ? try archive.estimatedCount(of: scope) : nil, form: form)
        let hooks = Export.Hooks(progress: { progress.update($0) }, shouldStop: { Signals.first != nil })
        defer { progress.end() }
        let result = try await Export.run(request, of: archive, hooks: hooks)
        progress.end()
        for note in result.notes { voice.note(note) }
        for warning in result.warnings { voice.warning("\(output.display): \(warning)") }
        if isStream, container == .table {
            voice.note(
                "standard output has no place for a sidecar: the table cannot be verified by itself")
        }
        return result
    }

    /// The observations of a scope, as notes name them.
    private static func place(_ scope: Scope, _ archive: borrowing Archive) throws -> String {
        let observation = try archive.observationLabel(scope.observationID)
        guard let from = scope.fromObservationID else { return " at \(observation)" }
        return ", \(observation) compared with \(try archive.observationLabel(from))"
    }

    private func report(_ result: ExportResult, _ place: String) throws {
        guard arguments.has("--json") else {
            let recorded = result.wasRecorded ? "recorded before" : result.isRecorded ? "recorded" : "not recorded"
            voice.note(
                "\(output.display): \(result.itemCount) items\(place), \(result.defectCount) defects, "
                    + "export \(result.exportID), \(recorded)")
            return
        }
        var json = Writer()
        json.beginObject()
        json.member("already_recorded", result.wasRecorded)
        json.member("defect_count", result.defectCount)
        json.member("export_id", result.exportID)
        json.member("file", output.display)
        json.member("item_count", result.itemCount)
        json.member("manifest_hash", result.manifestHash)
        json.key("notes")
        json.beginArray()
        for note in result.notes + result.warnings { json.string(note) }
        json.endArray()
        json.key("observation_id")
        json.number(Double(result.observationID))
        json.member("recorded", result.isRecorded)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        if isStream { return StandardError.write(String(decoding: json.bytes, as: UTF8.self)) }
        var output = try StandardOutput()
        try output.write(json.bytes)
        try output.flush()
    }
}

extension ExitStatus {
    /// What the statuses of most commands mean.
    static let ofExports = [
        Tool.Term("0", "done"), Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
    ]
}
