import Answer
import Archive
import CanonicalJSON
import Changes
import Exports
import Files
import ReportPage
import Timestamps
import Tool

/// `hp-export report --all`: a folder of pages, of which only what differs is written.
struct AllPages {
    /// An observation, and its page.
    private struct Place {
        let from: Int64?
        let to: Int64
        let day: Int64?
        let answer: Answer?
        let exportID: String
        /// `true` if the page in the folder is that of the export.
        let isThere: Bool
        /// `true` if its page is written.
        let isChosen: Bool
        var entry: PageIndex.Entry {
            PageIndex.Entry(from: from, to: to, day: day, answer: answer, hasPage: isThere || isChosen)
        }
    }

    private let export: ExportArguments
    private let selection: ScopeArguments
    private let container: ExportContainer
    private let arguments: Arguments

    /// The largest file that can be a page.
    private static let mostBytes = 32 << 20

    static func write(
        _ export: ExportArguments, _ selection: ScopeArguments, _ container: ExportContainer, _ arguments: Arguments,
        _ call: Call
    ) async throws -> ExitStatus {
        guard try arguments.text("--from") == nil, try arguments.text("--to") == nil else {
            throw UsageError("--all compares every observation with the one before it: without --from and --to")
        }
        guard !export.isStream else { throw UsageError("--all writes a folder, not standard output") }
        let pages = AllPages(export: export, selection: selection, container: container, arguments: arguments)
        return try await pages.write(call)
    }

    private func write(_ call: Call) async throws -> ExitStatus {
        try makeFolder(export.output)
        let places = try places()
        let lists = PageIndex(places.map(\.entry), exports: [])
        let chosen = places.filter { $0.isChosen && !$0.isThere }
        try checkPlaces(["index.html"] + lists.types.map { PageIndex.name(of: $0) } + chosen.map(\.entry.name))
        var written: [String] = []
        for place in chosen {
            if Signals.first != nil { throw ExportError.interrupted }
            let archive = try export.open()
            _ = try await export.writing(to: path(place.entry.name), isReplacing: true).export(
                .pageReport, scope(place.from ?? place.to, place.to, archive), container,
                thresholds: Threshold.ofSummaries, of: archive)
            written.append(place.entry.name)
        }
        for type in lists.types {
            if try put(lists.html(of: type), PageIndex.name(of: type)) { written.append(PageIndex.name(of: type)) }
        }
        // The list comes last: all that it links to is there.
        let index = PageIndex(places.map(\.entry), exports: try exports(), check: try lastCheck())
        if try put(index.html(), "index.html") { written.append("index.html") }
        if !arguments.has("--json") {
            let files = AnswerNumbers.counted(written.count, "file")
            call.note("\(export.output.display): \(files) written; open index.html")
        }
        return try call.show(
            json: [
                "folder": export.output.display,
                "pages": places.filter { $0.isThere || $0.isChosen }.map { place -> JSONObject in
                    [
                        "export_id": place.exportID, "file": place.entry.name,
                        "from_observation_id": place.from ?? place.to, "to_observation_id": place.to,
                    ]
                }, "written": written,
            ])
    }

    private func path(_ name: String) -> Path { export.output.appending(Array(name.utf8)) }

    private func scope(_ from: Int64, _ to: Int64, _ archive: borrowing Archive) throws -> Scope {
        Scope(
            changesFrom: from, to: to, kinds: nil, labels: nil, filter: try selection.filter(of: to, in: archive))
    }

    /// All observations that are over, by id.
    private func places() throws -> [Place] {
        let archive = try export.open()
        let pairs = try archive.neighbours()
        let newest = try archive.observationID(.latest)
        let compared = Set(pairs.map(\.to))
        let firsts = Set(pairs.map(\.from) + [newest]).subtracting(compared)
        let all = pairs.map { ($0.from as Int64?, $0.to) } + firsts.map { (nil, $0) }
        return try all.sorted { $0.1 < $1.1 }.map { from, to in
            if Signals.first != nil { throw ExportError.interrupted }
            let scope = try scope(from ?? to, to, archive)
            let context = try archive.context(of: scope)
            let answer =
                from == nil
                ? nil : try archive.answer(of: scope, in: context, thresholds: Threshold.ofSummaries)
            let request = ExportRequest(
                .pageReport, scope: scope, container: container, destination: .standardOutput,
                thresholds: Threshold.ofSummaries)
            let id = try Export.id(of: request, in: archive)
            let entry = PageIndex.Entry(
                from: from, to: to, day: try archive.observationDay(to), answer: answer, hasPage: false)
            return Place(
                from: from, to: to, day: entry.day, answer: answer, exportID: id,
                isThere: try read(path(entry.name)).map { Export.isPage($0, of: id) } ?? false,
                isChosen: from == nil || to == newest || entry.isNotable)
        }
    }

    private func lastCheck() throws -> PageIndex.Check? {
        try export.open().lastCheck().map { check in
            PageIndex.Check(
                time: check.loggedAt.flatMap { try? TimestampText($0) }?.string ?? PageIndex.noTime,
                isGood: check.isGood)
        }
    }

    private func exports() throws -> [PageIndex.Recorded] {
        try export.open().exportRecords().map { record in
            PageIndex.Recorded(
                kind: record.exportKind, id: record.exportID,
                time: (try? TimestampText(record.createdAt))?.string ?? "")
        }
    }

    // MARK: Files

    /// Before the first file is written, no name belongs to a file of somebody else.
    private func checkPlaces(_ names: [String]) throws {
        guard !arguments.has("--force") else { return }
        for name in names {
            guard FileStatus.exists(path(name)) else { continue }
            guard try read(path(name)).map({ ReportPage.isPage($0) }) ?? false else {
                throw UsageError("\(path(name).display): the file exists", hint: "use --force to replace it")
            }
        }
    }

    /// The bytes of a file; `nil` if there is none, or one that cannot be a page.
    private func read(_ path: Path) throws -> [UInt8]? {
        guard let status = try FileStatus.of(path), status.isRegular else { return nil }
        let file = try Descriptor.reading(path)
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count <= Self.mostBytes {
            let count = try file.read(into: &buffer)
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        return nil
    }

    /// Writes a file if it differs; `true` if it was written.
    private func put(_ bytes: [UInt8], _ name: String) throws -> Bool {
        guard try read(path(name)) != bytes else { return false }
        var file = try PendingFile(destination: path(name), token: PendingFile.token(of: 0))
        try file.write(bytes.span)
        try file.synchronize()
        try file.publish(replacing: true)
        return true
    }
}
