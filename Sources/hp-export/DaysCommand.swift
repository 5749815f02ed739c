import Archive
import Capture
import Days
import Exports
import Files
import Timestamps
import Tool

/// `hp-export days`.
enum DaysCommand {
    static let command = Tool.Command(
        "days", "export what each local day or month of each sample type adds up to, and nights and naps: CSV or JSON",
        usage: ["ARCHIVE [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes the days of the records that were visible at an observation: sums, means, times, workouts, "
                    + "rings, nights and naps. Days are those of the observation's time zone. The export is recorded "
                    + "in the archive; next to a CSV file goes its sidecar, FILE-metadata.json."),
            .text(
                "Phone and watch count the same steps. --method decides what is kept where sources overlap, and each "
                    + "item states what was dropped: cover keeps each moment of the first source that covers it, "
                    + "greatest the source with the greatest sum of the day, sources everything, each source apart. "
                    + "None of them claims to equal the Health app, whose choice is not documented."),
        ], options: options, example: "archive.sqlite --by month --view people -o months.csv",
        access: ExportArguments.access, run: run)

    private static let options: [Tool.Option] = {
        let common = ExportArguments.options.filter { option in
            !["--since", "--until", "--overlapping"].contains(option.name)
        }
        return [
            ExportArguments.output, ExportArguments.format(usual: "csv"), ExportArguments.at,
            Tool.Option(
                "--method", .word("M", of: DayQuestion.Method.allCases.map(\.rawValue)),
                "what is kept where sources overlap: cover (default), greatest or sources"),
            Tool.Option(
                "--by", .word("P", of: DayQuestion.Period.allCases.map(\.rawValue)), "day (default) or month"),
            Tool.Option(
                "--prefer", .text("S"), isRepeatable: true,
                "the source that comes first: its bundle identifier, name, label or hash; again for the next"),
            Tool.Option(
                "--since", .text("D"),
                "only days that begin in D or later: 2024-01-31, 2024-01 or 2024 in the observation's time zone, or "
                    + "2024-01-31T10:00:00Z"),
            Tool.Option("--until", .text("D"), "only days that begin before D"),
        ] + ExportArguments.optionsOfViews + common
    }()

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, call, output: Path("-"))
        let container = try export.container("csv")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open()
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: .pointInTime, observationID: observation, filter: try selection.filter(of: observation, in: archive))
        let question = DayQuestion(
            method: try arguments.text("--method").flatMap { DayQuestion.Method(rawValue: $0) } ?? .cover,
            period: try arguments.text("--by").flatMap { DayQuestion.Period(rawValue: $0) } ?? .day,
            preferred: try preferred(arguments.texts("--prefer") ?? [], archive, call.archive))
        let view = try export.view(container, zone: archive.timeZone(of: observation))
        if let offset = try archive.dayZone(of: observation).offsetSeconds, offset != 0 {
            call.note("days are counted at \(TimeZoneRules.name(ofOffset: offset)) all year")
        }
        return try await export.run(.dayReport, scope, container, days: question, view: view, of: archive)
    }

    /// Returns the bundle identifiers and hashes of the sources that are named.
    private static func preferred(
        _ names: [String], _ archive: borrowing Archive, _ path: Path
    ) throws -> [String] {
        guard !names.isEmpty else { return [] }
        let bundles = Set(try archive.bundleIdentifiers())
        let known = SourceChoice(
            hashes: Set(try archive.hashesOfSourceNames()),
            labels: try Labels.read(Labels.defaultPath(of: path)) ?? Labels(), option: "--prefer")
        return try names.map { try bundles.contains($0) ? $0 : known.find($0, path) }
    }
}
