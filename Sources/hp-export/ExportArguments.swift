import Archive
import Changes
import CanonicalJSON
import Days
import Exports
import Files
import Measures
import Timestamps
import Tool

/// The common arguments of commands that make exports: the destination, the record, and the messages at the end.
struct ExportArguments {
    /// The options that every export accepts.
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
        Tool.Option("--force", "replace FILE"), .wait,
        Tool.Option("--max-line", .number("BYTES", in: 1024...(1 << 30)), "longest line (default 67108864)"),
        Tool.Option("--quiet", "no notes, no progress"), Progress.option,
        Tool.Option("--json", "print what was exported as one JSON object"),
    ]
    /// The way in which the archive is used.
    static let access: @Sendable (Arguments) -> Access = { $0.has("--no-record") ? .reading : .recording }
    /// The option for the destination of a file.
    static let file = Tool.Option("-o", .output(), "where to; - is standard output")
    /// The option for the destination of a report.
    static let output = Tool.Option("-o", .output(), "where to; - is standard output (default)")
    /// An observation, as it is named.
    static let observation = Tool.Value.text("OBS", offering: ["latest", "previous"])
    /// The observation that is exported.
    static let at = Tool.Option(
        "--at", observation, "observation: an id, latest (default), previous, or a date, month or year")
    /// The observations that are compared.
    static let pair = [
        Tool.Option(
            "--from", observation,
            "compare with OBS: an id, latest, previous, or a date, month or year (default: the observation before --to)"
        ),
        Tool.Option(
            "--to", observation, "the observation that is compared (default latest); may be the older one"),
    ]

    /// Returns the option for the containers of a report, the usual one first.
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
    private let call: Call
    private(set) var output: Path
    /// `true` if a file at this place is replaced, whatever `--force` says.
    private var isReplacing = false

    /// - Parameter output: where the export goes unless `-o` says so; nil where it has to be said.
    init(_ arguments: Arguments, _ call: Call, output: Path? = nil) throws {
        guard let output = try arguments.path("-o") ?? output else { throw UsageError("-o FILE is missing") }
        (self.arguments, self.call, self.output) = (arguments, call, output)
    }

    /// `true` if the export goes to standard output.
    var isStream: Bool { output.bytes == Array("-".utf8) }

    /// Returns the container that `--format` names.
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

    /// The options of the commands whose tables have a view for people.
    static let optionsOfViews = [
        Tool.Option(
            "--view", .word("people", of: ["people"]),
            "a table for people: names, local dates, few columns (Spec/people-view.md)"),
        Tool.Option(
            "--dialect", .word("excel", of: ["excel"]),
            "with --view: a byte order mark, semicolons and decimal commas"),
    ]

    /// Returns the view that `--view` and `--dialect` ask for.
    func view(_ container: ExportContainer, zone: @autoclosure () throws -> TimeZoneRules) throws -> PeopleView? {
        let dialect: PeopleView.Dialect = try arguments.text("--dialect") == nil ? .plain : .excel
        guard try arguments.text("--view") != nil else {
            guard dialect == .plain else { throw UsageError("--dialect needs --view people") }
            return nil
        }
        guard container == .table else { throw UsageError("--view people is a table: --format csv") }
        let labels = try Labels.read(Labels.defaultPath(of: call.archive))
        return PeopleView(dialect, zone: try zone(), labels: labels?.shown)
    }

    /// Returns the observation that an option names.
    func observation(_ option: String) throws -> ObservationChoice? {
        guard let text = try arguments.text(option) else { return nil }
        guard let choice = ObservationChoice(text) else {
            throw UsageError(
                "\(option) accepts an id, latest, previous, a date, a month or a year, not \(printable(text.utf8))")
        }
        return choice
    }

    /// Returns the arguments that select a part of the scope.
    func scope() throws -> ScopeArguments { try ScopeArguments(arguments, call.archive) }

    /// Opens the archive, completes what an export before left to do, and begins the transaction that everything is
    /// read in: the scope is resolved in the state that is exported.
    func open() throws -> Archive {
        let archive = try call.open()
        if call.access == .recording {
            try archive.requireSoundness()
            for line in try PublicationRecovery.run(archive) { call.note(line) }
        }
        try archive.beginSideBySide()
        return archive
    }

    /// Returns the same arguments for another file.
    func writing(to path: Path, isReplacing: Bool) -> ExportArguments {
        var other = self
        (other.output, other.isReplacing) = (path, isReplacing)
        return other
    }

    /// Makes the export of the observation that `--at` names.
    ///
    /// - Parameter usual: the usual `--format`.
    func runAtObservation(_ kind: ExportKind, _ usual: String, isHistory: Bool = false) async throws -> ExitStatus {
        let container = try container(usual)
        let (choice, selection) = (try observation("--at") ?? .latest, try scope())
        let archive = try open()
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: isHistory ? .history : .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive), isOfVersions: kind == .versionTable)
        let view = try view(container, zone: archive.timeZone(of: observation))
        return try await run(kind, scope, container, view: view, of: archive)
    }

    /// Makes the export and says what came of it.
    func run(
        _ kind: ExportKind, _ scope: Scope, _ container: ExportContainer, thresholds: [Threshold: Double]? = nil,
        days: DayQuestion? = nil, view: PeopleView? = nil, of archive: consuming Archive
    ) async throws -> ExitStatus {
        // The run takes the archive with it.
        let place = try Self.place(scope, archive)
        let result = try await export(
            kind, scope, container, thresholds: thresholds, days: days, view: view, of: archive)
        return try report(result, place)
    }

    /// Makes the export, and says what is worth knowing of it.
    func export(
        _ kind: ExportKind, _ scope: Scope, _ container: ExportContainer, thresholds: [Threshold: Double]? = nil,
        days: DayQuestion? = nil, view: PeopleView? = nil, of archive: consuming Archive
    ) async throws -> ExportResult {
        var request = ExportRequest(
            kind, scope: scope, container: container,
            destination: isStream ? .standardOutput : .file(output, replacing: isReplacing || arguments.has("--force")),
            thresholds: thresholds)
        request.isRecorded = call.access == .recording
        request.view = view
        request.days = days
        if let limit = try arguments.integer("--max-line") { request.lineLimit = limit }
        let hasDates = scope.filter.since != nil || scope.filter.until != nil
        let usesDays = scope.mode == .changes || days != nil || view != nil || hasDates
        let noteOfDays = usesDays ? try archive.noteOfDays(of: scope.observationID) : nil
        let isCounted = try Progress.Form(arguments) != .none && scope.mode != .changes && days == nil
        let progress = try call.begin("items", total: isCounted ? archive.estimatedCount(of: scope) : nil)
        let hooks = Export.Hooks(progress: { progress.update($0) }, shouldStop: Signals.shouldStop)
        let result = try await Export.run(request, of: archive, hooks: hooks)
        progress.end()
        for note in result.notes { call.note(note) }
        if let noteOfDays { call.note(noteOfDays) }
        for warning in result.warnings { call.voice.warning("\(output.display): \(warning)") }
        if isStream, container == .table {
            call.note("standard output has no place for a sidecar: the table cannot be verified by itself")
        }
        return result
    }

    /// Returns the observations of a scope, as notes name them.
    private static func place(_ scope: Scope, _ archive: borrowing Archive) throws -> String {
        let observation = try archive.observationLabel(scope.observationID)
        guard let from = scope.fromObservationID, from != scope.observationID else { return " at \(observation)" }
        return ", \(observation) compared with \(try archive.observationLabel(from))"
    }

    private func report(_ result: ExportResult, _ place: String) throws -> ExitStatus {
        if !arguments.has("--json") {
            let recorded = result.wasRecorded ? "recorded before" : result.isRecorded ? "recorded" : "not recorded"
            call.note(
                "\(output.display): \(result.itemCount) items\(place), \(result.defectCount) defects, "
                    + "export \(result.exportID), \(recorded)")
        }
        let json: JSONObject = [
            "already_recorded": result.wasRecorded, "defect_count": result.defectCount, "export_id": result.exportID,
            "file": output.display, "item_count": result.itemCount, "manifest_hash": result.manifestHash,
            "notes": result.notes + result.warnings, "observation_id": Double(result.observationID),
            "recorded": result.isRecorded,
        ]
        guard isStream, arguments.has("--json") else { return try call.show(json: json) }
        StandardError.write(json.text + "\n")
        return .good
    }
}
