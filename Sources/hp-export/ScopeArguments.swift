import Archive
import Capture
import Files
import Measures
import Timestamps
import Tool

/// The options that select a part of a scope, alike for every command.
///
/// A date without a time is a local day of the observation that is exported, so the filter is known when that is.
struct ScopeArguments {
    private enum Bound {
        case moment(Double)
        case span(CalendarSpan)
    }

    private let sampleTypes, sources, sourceNames: [String]?
    private let archive: Path
    private let since, until: Bound?
    private let isOverlapping, isWithRelated: Bool

    /// Reads the options.
    init(_ arguments: Arguments, _ archive: Path) throws(UsageError) {
        self.archive = archive
        sourceNames = try arguments.texts("--source-name")
        sampleTypes = try arguments.texts("--type")
        sources = try arguments.texts("--source")
        since = try Self.bound("--since", arguments)
        until = try Self.bound("--until", arguments)
        isOverlapping = arguments.has("--overlapping")
        guard !isOverlapping || since != nil || until != nil else {
            throw UsageError("--overlapping needs --since or --until")
        }
        isWithRelated = arguments.has("--with-related")
        let isFiltered = since != nil || until != nil || sampleTypes != nil || sources != nil || sourceNames != nil
        guard !isWithRelated || isFiltered else {
            throw UsageError("--with-related needs --type, --since, --until, --source or --source-name")
        }
    }

    /// Returns the filter that the options make; a day, a month or a year begins as in the zone of an observation.
    func filter(of observation: Int64, in archive: borrowing Archive) throws -> Filter {
        let days = try archive.localDays(of: observation)
        return Filter(
            sampleTypes: try types(in: archive), since: try Self.moment(since, "--since", days), sources: sources,
            until: try Self.moment(until, "--until", days), isOverlapping: isOverlapping,
            sourceNames: try names(in: archive), isWithRelated: isWithRelated)
    }

    /// Returns the hashes of the sources that are named.
    private func names(in archive: borrowing Archive) throws -> [String]? {
        guard let sourceNames else { return nil }
        let known = SourceChoice(
            hashes: Set(try archive.hashesOfSourceNames()),
            labels: try Labels.read(Labels.defaultPath(of: self.archive)) ?? Labels())
        return try sourceNames.map { try known.find($0, self.archive) }
    }

    private static func hint(_ alike: [String]) -> String {
        alike.isEmpty
            ? "hp-export list ARCHIVE types lists the types of an archive"
            : "types that begin like it: \(alike.map { printable($0.utf8) }.joined(separator: ", "))"
    }

    /// Returns the identifiers of the types that are named.
    private func types(in archive: borrowing Archive) throws -> [String]? {
        guard let sampleTypes else { return nil }
        let known = KnownTypes(adding: try archive.sampleTypeIdentifiers())
        return try sampleTypes.map { name throws(UsageError) in
            switch known.find(name) {
            case .type(let identifier): return identifier
            case .several(let types):
                throw UsageError(
                    "--type \(printable(name.utf8)) names several sample types: "
                        + types.map { printable($0.utf8) }.joined(separator: ", "))
            case .none:
                throw UsageError(
                    "--type \(printable(name.utf8)): there is no such sample type",
                    hint: NearestName.hint(for: name.utf8, among: known.names) ?? Self.hint(known.alike(name)))
            }
        }
    }

    private static let forms = "a date like 2024-01-31, 2024-01, 2024 or 2024-01-31T10:00:00Z"

    private static func bound(_ option: String, _ arguments: Arguments) throws(UsageError) -> Bound? {
        guard let text = try arguments.text(option) else { return nil }
        if let span = CalendarSpan(text) { return .span(span) }
        guard let seconds = TimestampInput.unixSeconds(text), (try? TimestampText(seconds)) != nil else {
            throw UsageError("\(option) accepts \(forms), not \(printable(text.utf8))")
        }
        return .moment(seconds)
    }

    private static func moment(_ bound: Bound?, _ option: String, _ days: LocalDays) throws(UsageError) -> Double? {
        switch bound {
        case nil: return nil
        case .moment(let seconds): return seconds
        case .span(let span):
            let start = Double(days.start(of: span.days.lowerBound))
            guard (try? TimestampText(start)) != nil else {
                throw UsageError("\(option): that day begins outside the years 1 to 9999 in the observation's zone")
            }
            return start
        }
    }
}

/// The sources of an archive that `--source-name` and `--prefer` can name (`Spec/command-line.md`, "Names of
/// sources"). Names are not said again: what is said may be logged.
struct SourceChoice {
    /// Hashes that stand in the archive.
    let hashes: Set<String>
    let labels: Labels
    /// The option that names them.
    var option = "--source-name"

    /// Returns the hash of the source that a text names: by its label, by its hash or the first digits of it, or by its
    /// name, which needs the secret of the archive.
    func find(_ text: String, _ archive: Path) throws -> String {
        let labelled = labels.names.filter { hashes.contains($0.key) && $0.value.utf8.elementsEqual(text.utf8) }
        if labelled.count == 1, let label = labelled.first { return label.key }
        guard labelled.isEmpty else {
            let found = labelled.keys.sorted().map { $0.prefix(16) }.joined(separator: ", ")
            throw UsageError("\(option): \(labelled.count) sources have this label: \(found)")
        }
        if let hash = try hash(ofName: text, archive), hashes.contains(hash) { return hash }
        switch HashPrefix.find(text, among: hashes) {
        case .one(let hash): return hash
        case .several(let count):
            throw UsageError("\(option): \(count) sources have a hash that begins so")
        case .none(let nearest?):
            throw UsageError(
                "\(option): there is no such source; the nearest is \(nearest.prefix(max(16, text.utf8.count)))")
        case .none(nil), .malformed:
            throw UsageError(
                "\(option): there is no source of this name, label or hash; hp-export list \(archive.display) "
                    + "sources has them")
        }
    }

    /// Returns the hash of a name with the secret at its usual place; `nil` if there is none.
    private func hash(ofName name: String, _ archive: Path) throws -> String? {
        let path = SecretFile.defaultPath(of: archive)
        guard FileStatus.exists(path) else { return nil }
        let secret = try ArchiveSecret.find(path, for: archive, changesNothing: true)
        return secret.isNew ? nil : secret.sourceNameHash(Array(name.utf8))
    }
}
