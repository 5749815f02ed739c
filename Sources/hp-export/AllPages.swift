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
        var entry: PageIndex.Entry
        /// `true` if the page in the folder is that of the export.
        let isThere: Bool
        /// `true` if its page is written.
        var isWritten: Bool { entry.hasPage && !isThere }
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
        var places = try places()
        let types = try PageIndex(places.map(\.entry), exports: []).types + typesToCome(places)
        try checkPlaces(
            ["index.html"] + types.map { PageIndex.name(of: $0) } + places.filter(\.isWritten).map(\.entry.name))
        var written: [String] = []
        for index in places.indices where places[index].isWritten {
            if Signals.first != nil { throw ExportError.interrupted }
            let entry = places[index].entry
            let archive = try export.open()
            let result = try await export.writing(to: path(entry.name), isReplacing: true).export(
                .pageReport, scope(entry.from ?? entry.to, entry.to, archive), container,
                thresholds: Threshold.ofSummaries, of: archive)
            places[index].entry.facts = result.answer.map { PageIndex.Facts($0) }
            written.append(entry.name)
        }
        // The list comes last: all that it links to is there.
        let index = PageIndex(places.map(\.entry), exports: try exports(), check: try lastCheck())
        for type in index.types {
            if try put(index.html(of: type), PageIndex.name(of: type)) { written.append(PageIndex.name(of: type)) }
        }
        if try put(index.html(), "index.html") { written.append("index.html") }
        if !arguments.has("--json") {
            let files = AnswerNumbers.counted(written.count, "file")
            call.note("\(export.output.display): \(files) written; open index.html")
        }
        return try call.show(
            json: [
                "folder": export.output.display,
                "pages": places.map(\.entry).filter(\.hasPage).map { entry -> JSONObject in
                    [
                        "export_id": entry.exportID, "file": entry.name,
                        "from_observation_id": entry.from ?? entry.to, "to_observation_id": entry.to,
                    ]
                }, "written": written,
            ])
    }

    private func path(_ name: String) -> Path { export.output.appending(Array(name.utf8)) }

    private func scope(_ from: Int64, _ to: Int64, _ archive: borrowing Archive) throws -> Scope {
        Scope(
            changesFrom: from, to: to, kinds: nil, labels: nil, filter: try selection.filter(of: to, in: archive))
    }

    /// Returns all observations that are over, by id. A comparison's facts are taken from the list in the folder if it
    /// is of the same export, and computed if not. Those of the newest one are computed by its page.
    private func places() throws -> [Place] {
        let archive = try export.open()
        let pairs = try archive.neighbours()
        let newest = try archive.observationID(.latest)
        let compared = Set(pairs.map(\.to))
        let firsts = Set(pairs.map(\.from) + [newest]).subtracting(compared)
        let all = pairs.map { ($0.from as Int64?, $0.to) } + firsts.map { (nil, $0) }
        // Whoever asks to replace pages believes none of them.
        let list = arguments.has("--force") ? nil : try read(path("index.html"))
        let known = list.map { PageIndex.comparisons(in: $0) } ?? [:]
        return try all.sorted { $0.1 < $1.1 }.map { from, to in
            if Signals.first != nil { throw ExportError.interrupted }
            let scope = try scope(from ?? to, to, archive)
            let request = ExportRequest(
                .pageReport, scope: scope, container: container, destination: .standardOutput,
                thresholds: Threshold.ofSummaries)
            let id = try Export.id(of: request, in: archive)
            var entry = PageIndex.Entry(
                from: from, to: to, day: try archive.observationDay(to), facts: known[id], exportID: id, hasPage: false)
            let isThere = try read(path(entry.name)).map { Export.isPage($0, of: id) } ?? false
            if entry.facts == nil, from != nil, to != newest || isThere {
                entry.facts = PageIndex.Facts(
                    try archive.answer(
                        of: scope, in: archive.context(of: scope), thresholds: Threshold.ofSummaries))
            }
            entry.hasPage = isThere || from == nil || to == newest || entry.isNotable
            return Place(entry: entry, isThere: isThere)
        }
    }

    /// Returns the types of comparisons that are still to be computed.
    private func typesToCome(_ places: [Place]) throws -> [String] {
        let archive = try export.open()
        return try places.map(\.entry).filter { $0.from != nil && $0.facts == nil }.flatMap { entry in
            try archive.context(of: scope(entry.from ?? entry.to, entry.to, archive)).typeNames.map {
                String(decoding: $0, as: UTF8.self)
            }
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

    /// Checks, before the first file is written, that no name belongs to a file of somebody else.
    private func checkPlaces(_ names: [String]) throws {
        guard !arguments.has("--force") else { return }
        for name in names {
            guard FileStatus.exists(path(name)) else { continue }
            guard try read(path(name)).map({ ReportPage.isPage($0) }) ?? false else {
                throw UsageError("\(path(name).display): the file exists", hint: "use --force to replace it")
            }
        }
    }

    /// Returns the bytes of a file; `nil` if there is none, or one that cannot be a page.
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
        try PendingFile.write(bytes, to: path(name), replacing: true)
        return true
    }
}
