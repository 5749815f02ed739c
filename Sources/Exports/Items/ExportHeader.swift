internal import Archive
internal import Changes
internal import CanonicalJSON
internal import Days
internal import Format
internal import Manifest
internal import Timestamps

/// The `export` object of a bundle's header (`Spec/bundle.md`, Header).
struct ExportHeader: Sendable {
    /// Canonical bytes of the object.
    let bytes: [UInt8]
    /// UUID of the export.
    let exportID: String
    /// Entries in its `defects`.
    let defectCount: Int
    /// Canonical bytes of `filter_json`.
    let filterJSON: [UInt8]

    /// Creates the header from the archive's facts about the scope.
    ///
    /// - Parameters:
    ///   - thresholds: of summaries and findings.
    ///   - days: of day reports.
    ///   - generator: name and version of the tool that makes, or made, the export.
    ///   - history: the entry of the history that it carries, if any.
    ///   - hidden: rows of the coverage that are left out, as if the archive did not know their types yet.
    init(
        _ scope: Scope, _ context: ExportContext, kind: ExportKind, thresholds: [Threshold: Double]? = nil,
        days: StatedDays? = nil,
        generator: (name: String, version: String) = (Generator.name, Generator.version), history: HistoryHead?,
        hiding hidden: Set<Int> = []
    ) {
        var writer = HeaderWriter(
            scope: scope, context: context, kind: kind, thresholds: thresholds, days: days, generator: generator,
            history: kind.profile == .whole ? history : nil, hidden: hidden)
        // Twice without an id: the first writing finds the defects, the second has them, and the id is a hash of that.
        writer.write(exportID: nil, defects: [])
        let defects = writer.writer.defects
        if !defects.isEmpty { writer.write(exportID: nil, defects: defects) }
        exportID = writer.exportID()
        writer.write(exportID: exportID, defects: defects)
        bytes = writer.writer.json.bytes
        defectCount = defects.count
        filterJSON = writer.filterJSON()
    }
}

/// The facts about its days that the header of a day report states.
struct StatedDays {
    let question: DayQuestion
    let zone: DayZone

    /// Reads what decides the days of a scope; `nil` if there is no question about days.
    init?(_ question: DayQuestion?, of scope: Scope, in archive: borrowing Archive) throws(ArchiveError) {
        guard let question else { return nil }
        self.question = question
        zone = try archive.dayZone(of: scope.observationID)
    }
}

private struct HeaderWriter: ~Copyable {
    let scope: Scope
    let context: ExportContext
    let kind: ExportKind
    let thresholds: [Threshold: Double]?
    let days: StatedDays?
    let generator: (name: String, version: String)
    let history: HistoryHead?
    let hidden: Set<Int>
    var writer = StoredWriter()

    init(
        scope: Scope, context: ExportContext, kind: ExportKind, thresholds: [Threshold: Double]?, days: StatedDays?,
        generator: (name: String, version: String), history: HistoryHead?, hidden: Set<Int>
    ) {
        self.history = history
        self.thresholds = thresholds
        self.days = days
        self.scope = scope
        self.context = context
        self.kind = kind
        self.generator = generator
        self.hidden = hidden
    }

    mutating func write(exportID: String?, defects: [Defect]) {
        writer.json.removeAll()
        writer.defects.removeAll()
        writer.json.beginObject()
        writer.json.key("archive_schema_version")
        writer.json.integer(context.schemaVersion)
        writeCoverage(context.coverage, as: "coverage")
        if !defects.isEmpty { writer.write(defects: defects) }
        if kind.profile == .whole {
            writeDeviceChain(context.deviceChain, id: context.deviceChainID, as: "device_chain")
        }
        if let exportID { writer.json.member("export_id", exportID) }
        writer.json.member("export_kind", kind.rawValue)
        writeFilter()
        writer.json.member("format", kind.format)
        writer.json.key("format_version")
        writer.json.integer(Bundle.version)
        if let coverage = context.fromCoverage { writeCoverage(coverage, as: "from_coverage") }
        if let chain = context.fromDeviceChain { writeDeviceChain(chain.row, id: chain.id, as: "from_device_chain") }
        writeGenerator()
        if let history {
            writer.json.key("history")
            writer.json.beginObject()
            writer.json.member("archive", history.archive.hex)
            writer.json.member("link", history.link.hex)
            writer.json.key("sequence")
            writer.json.integer(history.length)
            writer.json.endObject()
        }
        if let rules = context.identityRules {
            writer.json.key("identity_rules")
            writer.json.integer(rules.rawValue)
        }
        if kind.profile == .shared { write("left_out", ExportProfile.kindsLeftOut) }
        writeObservations()
        writeScope()
        writer.json.endObject()
    }

    /// Returns the id of the header as it stands.
    func exportID() -> String { ExportID.text(forHeader: writer.json.span) }

    /// Returns the members of the header that name the export's question; recorded beside the export so that it can be
    /// asked again.
    mutating func filterJSON() -> [UInt8] {
        writer.json.removeAll()
        writer.json.beginObject()
        writeFilter()
        writeGenerator()
        writeScope()
        writer.json.endObject()
        return writer.json.bytes
    }

    private mutating func writeGenerator() {
        writer.json.key("generator")
        writer.json.beginObject()
        writer.json.member("name", generator.name)
        writer.json.member("version", generator.version)
        writer.json.endObject()
    }

    private mutating func writeScope() {
        writer.json.key("scope")
        writer.json.beginObject()
        if scope.mode == .changes, let changes = scope.changes { write("changes", changes.map(\.rawValue)) }
        let list = MemberList(.headerExportScope)
        if let from = scope.fromObservationID {
            writer.put(list["from_observation_id"], of: list.keys, .integer(from), in: [UInt8]().span, at: "/scope")
        }
        if let labels = scope.labels { write("labels", labels.map(\.rawValue)) }
        if let days { writer.json.member("method", days.question.method.rawValue) }
        writer.json.member("mode", scope.mode.rawValue)
        writer.put(
            list["observation_id"], of: list.keys, .integer(scope.observationID), in: [UInt8]().span, at: "/scope")
        if let days {
            writer.json.member("period", days.question.period.rawValue)
            if !days.question.preferred.isEmpty { write("preferred", days.question.preferred) }
        }
        if let thresholds { write(thresholds) }
        if let days { write(days.zone) }
        writer.json.endObject()
    }

    private mutating func write(_ zone: DayZone) {
        writer.json.key("zone")
        writer.json.beginObject()
        writer.json.member("basis", zone.basis.rawValue)
        writer.json.member("offset_seconds", zone.offsetSeconds)
        writer.json.member("rules_hash", zone.rulesHash)
        writer.json.endObject()
    }

    private mutating func write(_ thresholds: [Threshold: Double]) {
        writer.json.key("thresholds")
        writer.json.beginObject()
        for (threshold, value) in thresholds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.json.key(Key(threshold.rawValue))
            writer.json.number(value)
        }
        writer.json.endObject()
    }

    private mutating func writeFilter() {
        writer.json.key("filter")
        writer.json.beginObject()
        if scope.filter.isOverlapping { writer.json.member("overlapping", true) }
        write("sample_types", scope.filter.sampleTypes)
        write("since", moment: scope.filter.since)
        write("source_names", scope.filter.sourceNames)
        write("sources", scope.filter.sources)
        write("until", moment: scope.filter.until)
        if scope.filter.isWithRelated { writer.json.member("with_related", true) }
        writer.json.endObject()
    }

    private mutating func write(_ key: Key, _ texts: [String]?) {
        guard let texts else { return }
        writer.json.key(key)
        writer.json.beginArray()
        for text in texts { writer.json.string(text) }
        writer.json.endArray()
    }

    private mutating func write(_ key: Key, moment: Double?) {
        guard let moment, let text = try? TimestampText(moment) else { return }
        writer.json.member(key, text.string)
    }

    private mutating func writeDeviceChain(_ chain: PackedTable, id: PackedTable, as name: String) {
        guard chain.count > 0 else {
            // A recorded export may name an observation that is not there, and nothing names its chain then.
            let value = id.count > 0 ? id.values(0)[0] : .null
            writer.defects.append(
                Defect(pointer: "/\(name)", StoredWriter.fault(inReference: value), value, in: id.bytes.span))
            return
        }
        writer.json.key(Key(name))
        write(Members.deviceChain, chain, row: 0, at: "/\(name)")
    }

    private mutating func writeObservations() {
        writer.json.key("observations")
        writer.json.beginArray()
        let members = Members.observation(kind.profile)
        for row in 0..<context.observations.count {
            write(members, context.observations, row: row, at: "/observations/\(row)")
        }
        writer.json.endArray()
    }

    private mutating func write(_ list: MemberList, _ table: PackedTable, row: Int, at pointer: String) {
        let values = table.values(row)
        writer.json.beginObject()
        for member in list.members {
            writer.put(member, of: list.keys, values[member.column], in: table.bytes.span, at: pointer)
        }
        writer.json.endObject()
    }

    /// Writes the archive's types and the filter's unknown ones, merged in order.
    private mutating func writeCoverage(_ coverage: PackedTable, as name: String) {
        writer.json.key(Key(name))
        writer.json.beginArray()
        let names = TypeNames(coverage, column: CoverageColumn.sampleType.rawValue)
        var unknown = unknownTypes(names)[...]
        var index = 0
        func precedes(_ name: String, _ other: [UInt8]?) -> Bool {
            other.map { Array(name.utf8).lexicographicallyPrecedes($0) } ?? false
        }
        for row in 0..<coverage.count where !hidden.contains(row) {
            while let name = unknown.first, precedes(name, names.name(row)) {
                writeUnknown(unknown.removeFirst())
                index += 1
            }
            write(coverage, row, at: "/\(name)/\(index)")
            index += 1
        }
        for name in unknown { writeUnknown(name) }
        writer.json.endArray()
    }

    /// Types of the filter that the archive does not know, and those that are hidden, sorted.
    private func unknownTypes(_ names: TypeNames) -> [String] {
        guard !hidden.isEmpty, let asked = scope.filter.sampleTypes else { return context.unknownTypes }
        let others = hidden.compactMap { names.name($0).map { String(decoding: $0, as: UTF8.self) } }
        // With related samples coverage also has types that nobody asked for.
        let all = context.unknownTypes + others.filter { other in asked.contains { $0.utf8.elementsEqual(other.utf8) } }
        return all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func writeUnknown(_ name: String) {
        writer.json.beginObject()
        writer.json.member("sample_type", name)
        writer.json.member("status", "never_queried")
        writer.json.endObject()
    }

    private mutating func write(_ coverage: PackedTable, _ row: Int, at pointer: String) {
        let values = coverage.values(row)
        let hasRun = values[CoverageColumn.hasRun.rawValue] == .integer(1)
        let ofType: [CoverageColumn] = [.category, .displayName, .sampleType]
        writer.json.beginObject()
        let list = Members.coverage(kind.profile)
        for member in list.members {
            if hasRun || ofType.contains(where: { $0.rawValue == member.column }) {
                writer.put(member, of: list.keys, values[member.column], in: coverage.bytes.span, at: pointer)
            } else if member.column == CoverageColumn.status.rawValue {
                writer.json.member("status", "never_queried")
            }
        }
        writer.json.endObject()
    }
}
