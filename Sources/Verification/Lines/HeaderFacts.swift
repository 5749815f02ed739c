package import Archive
internal import CanonicalJSON
internal import Format
internal import Manifest
internal import Timestamps

/// The header's facts that items are compared with.
package struct HeaderFacts: Sendable {
    /// Canonical bytes of `export`.
    package let bytes: [UInt8]
    package let exportID: String
    package let defectCount: Int
    let kind: ExportKind
    let mode: String
    package let observationID: Int64
    /// The observation that the other one is compared with.
    package let fromObservationID: Int64?
    /// The forms of item that the export can have.
    let items: Forms
    /// The changes among them that need no pair.
    let wholeKinds: Forms
    /// The labels of the windows that changes are in; nil where all are.
    let labels: Set<[UInt8]>?
    /// Types in the coverage; nil stands for one without an identifier.
    let coveredTypes: Set<[UInt8]?>
    let sources: Set<[UInt8]>?
    /// Hashes of names of sources.
    let sourceNames: Set<[UInt8]>?
    /// The types of the filter.
    let sampleTypes: Set<[UInt8]>?
    let since, until: Moment?
    /// `true` if dates select items that have any part between them.
    let isOverlapping: Bool
    /// `true` if samples are there that the selected ones are linked to.
    let isWithRelated: Bool
    /// The version of `Spec/identity.md` that the hashes in items follow; `nil` if none is stated.
    package let identityRules: Int64?
    /// The entry of the archive's history that was the newest of its observation.
    package let history: HistoryHead?

    /// The kind of item that is to be expected: one of those that are read alike.
    let itemKind: ItemKind
    /// `true` if it is in the header of a salvage: the items are not all of its export, and are not compared with its
    /// scope.
    var isOfSalvage = false
}

extension HeaderFacts {
    /// `export_kind`.
    package var exportKind: String { kind.rawValue }

    /// `filter`, `generator` and `scope` of the header as one canonical object: what a record keeps of them.
    package var filterJSON: [UInt8]? {
        var reader = Reader(.canonical)
        var parts: [String: Range<Int>] = [:]
        do throws(JSONError) {
            _ = try reader.next(in: bytes.span)
            while case .key(let key) = try reader.next(in: bytes.span) {
                let name = String(decoding: bytes[key.range], as: UTF8.self)
                parts[name] = try reader.skipValue(in: bytes.span)
            }
        } catch {
            return nil
        }
        var text = Array("{".utf8)
        for name in ["filter", "generator", "scope"] {
            guard let part = parts[name] else { return nil }
            text += Array("\(text.count > 1 ? "," : "")\"\(name)\":".utf8) + bytes[part]
        }
        return text + Array("}".utf8)
    }
}

/// A list of texts that ought to be sorted and name each once. Of a text that is named again nothing is kept.
struct TextList {
    /// The texts.
    private(set) var texts: Set<[UInt8]> = []
    /// `true` if each sorts after the one before it.
    private(set) var rises = true
    private var last: [UInt8]?

    /// Adds the next text.
    mutating func add(_ text: [UInt8]) {
        if let last, !last.lexicographicallyPrecedes(text) { rises = false }
        last = text
        texts.insert(text)
    }
}

/// A format, or a version of one, that this verifier does not know.
struct UnknownFormat {
    /// The member that says so.
    let pointer: String
    /// The version, where that is what is unknown and a whole number.
    let version: Int64?

    /// The version, where builds before the first release wrote it.
    var unreleased: Int64? { version.flatMap { Bundle.unreleasedVersions.contains($0) ? $0 : nil } }
}

/// Takes the values of a header's line.
struct HeaderVisitor: ShapeVisitor {
    var facts = ItemFacts()
    var format: [UInt8]?
    var formatVersion: Captured?
    var observations: [Int64?] = []
    var changes = TextList()
    var labels: TextList?
    var leftOut: TextList?
    /// A coverage entry: a type, and the observation whose run it is.
    struct Run {
        var type: [UInt8]?
        var observation: Int64?
    }
    /// Coverage at both observations.
    var runs: [Run] = []
    var fromRuns: [Run] = []
    private var isFrom = false
    var preferred: [[UInt8]] = []
    var filterTypes: TextList?
    var filterNames: TextList?
    var filterSources: TextList?

    mutating func beginEntry(of slot: Slot) {
        switch slot {
        case .coverage: runs.append(Run())
        case .fromCoverage: fromRuns.append(Run())
        case .observations: observations.append(nil)
        case .filterTypes, .filterNames, .filterSources, .changes, .labels, .leftOut, .preferred: break
        default: facts.beginEntry(of: slot)
        }
    }

    mutating func beginArray(of slot: Slot) {
        if slot == .filterTypes { filterTypes = TextList() }
        if slot == .filterNames { filterNames = TextList() }
        if slot == .filterSources { filterSources = TextList() }
        if slot == .labels { labels = TextList() }
        if slot == .leftOut { leftOut = TextList() }
        if slot == .fromCoverage { isFrom = true }
    }

    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        switch slot {
        case .coverageType where isFrom: fromRuns[fromRuns.count - 1].type = ItemFacts.bytes(value, line)
        case .coverageType: runs[runs.count - 1].type = ItemFacts.bytes(value, line)
        case .coverageObservation where isFrom:
            fromRuns[fromRuns.count - 1].observation = ItemFacts.integer(value, line)
        case .coverageObservation: runs[runs.count - 1].observation = ItemFacts.integer(value, line)
        case .observation: observations[observations.count - 1] = ItemFacts.integer(value, line)
        case .changes: changes.add(ItemFacts.bytes(value, line) ?? [])
        case .labels: labels?.add(ItemFacts.bytes(value, line) ?? [])
        case .preferred: preferred.append(ItemFacts.bytes(value, line) ?? [])
        case .leftOut: leftOut?.add(ItemFacts.bytes(value, line) ?? [])
        case .filterTypes: filterTypes?.add(ItemFacts.bytes(value, line) ?? [])
        case .filterNames: filterNames?.add(ItemFacts.bytes(value, line) ?? [])
        case .filterSources: filterSources?.add(ItemFacts.bytes(value, line) ?? [])
        case .format: format = ItemFacts.bytes(value, line)
        case .formatVersion: formatVersion = value
        default: facts.visit(slot, value, in: line)
        }
    }

    /// Returns the members of an unknown format; none if this verifier knows the format.
    func unknownFormats(in line: Span<UInt8>) -> [String] {
        var found: [String] = []
        if let format, !ExportKind.allCases.contains(where: { Array($0.format.utf8) == format }) {
            found.append("/export/format")
        }
        if let formatVersion, Reader.double(formatVersion.range, in: line) != Double(Bundle.version) {
            found.append("/export/format_version")
        }
        return found
    }

    /// Returns the first of them; `nil` if the format is known.
    func unknownFormat(in line: Span<UInt8>) -> UnknownFormat? {
        guard let pointer = unknownFormats(in: line).first else { return nil }
        let version = pointer == "/export/format_version" ? formatVersion : nil
        return UnknownFormat(pointer: pointer, version: version.flatMap { ItemFacts.integer($0, line) })
    }

    /// Returns the kind of the export; `nil` if it has none that is known.
    func kind(in line: Span<UInt8>) -> ExportKind? { text(.exportKind, line).flatMap(ExportKind.init) }

    private func text(_ slot: Slot, _ line: Span<UInt8>) -> String? {
        ItemFacts.bytes(facts[slot], line).map { String(decoding: $0, as: UTF8.self) }
    }

    private func integer(_ slot: Slot, _ line: Span<UInt8>) -> Int64? {
        facts[slot].flatMap { ItemFacts.integer($0, line) }
    }

    /// Pointers, from `export`, to values that the kind of the export does not have.
    func valuesOfOtherKinds(in line: Span<UInt8>) -> [String] {
        guard let kind = kind(in: line) else { return [] }
        var found: [String] = []
        if let format, format != Array(kind.format.utf8) { found.append("/format") }
        if let mode = text(.mode, line), !kind.modes.contains(mode) { found.append("/scope/mode") }
        return found
    }

    private static let ofSomeKinds = [
        "/export/device_chain", "/export/from_coverage", "/export/from_device_chain", "/export/history",
        "/export/left_out", "/export/scope/changes", "/export/scope/from_observation_id", "/export/scope/labels",
        "/export/scope/method", "/export/scope/period", "/export/scope/preferred", "/export/scope/thresholds",
        "/export/scope/zone",
    ]

    /// Returns `true` if a fault is in a part that every kind of export has. If the kind is not known, nothing else is
    /// judged.
    static func isOfEveryKind(_ fault: ShapeFault) -> Bool {
        !ofSomeKinds.contains { fault.pointer == $0 || fault.pointer.hasPrefix($0 + "/") }
    }

    /// Pointers, from `export`, to what contradicts something else.
    func contradictions(in line: Span<UInt8>) -> [String] {
        var found = facts.contradictions(in: line, holder: facts[.export])
        let mode = text(.mode, line)
        let ids = observations.compactMap { $0 }
        let scope = integer(.observationID, line), from = integer(.fromObservationID, line)
        if ids.count == observations.count {
            let areThoseOfScope =
                switch mode {
                case "changes":
                    Set(ids.map { Optional($0) }) == [scope, from] && ids.count == (scope == from ? 1 : 2)
                case "point_in_time": ids.count == 1 && ids.first == scope
                default: ids.max() == scope
                }
            if !areThoseOfScope { found.append("/observations") }
        }
        for (name, runs, latest) in [("coverage", runs, scope), ("from_coverage", fromRuns, from)] {
            guard let latest else { continue }
            for (index, run) in runs.enumerated() where run.observation.map({ $0 > latest }) ?? false {
                found.append("/\(name)/\(index)/observation_id")
            }
        }
        let types = Set(runs.map(\.type))
        let filtered = filterTypes.map { Set($0.texts.map { Optional($0) }) }
        let isWithRelated = facts[.withRelated]?.isTrue ?? false
        if let filtered, isWithRelated ? !filtered.isSubset(of: types) : filtered != types { found.append("/coverage") }
        if isWithRelated, mode != "point_in_time" { found.append("/filter/with_related") }
        if let leftOut, !leftOut.rises || leftOut.texts != Set(ShapeTables.leftOut.map { Array($0.utf8) }) {
            found.append("/left_out")
        }
        if Set(preferred).count != preferred.count { found.append("/scope/preferred") }
        let chains = [text(.chainHash, line), text(.fromChainHash, line)]
        if facts[.fromChain] != nil, from == scope || chains[0] != nil && chains[0] == chains[1] {
            found.append("/from_device_chain")
        }
        if mode == "changes", Set(fromRuns.map(\.type)) != filtered ?? types { found.append("/from_coverage") }
        return found
    }

    /// `true` if the runs of a history are sorted by type, then by observation, and none is there twice.
    private var areRunsSorted: Bool {
        let present = runs.filter { $0.type != nil }
        return zip(present, present.dropFirst()).allSatisfy { one, other in
            guard let left = one.type, let right = other.type, left == right else {
                return (one.type ?? []).lexicographicallyPrecedes(other.type ?? [])
            }
            return (one.observation ?? .min) < (other.observation ?? .min)
        }
    }

    /// Lists of the header that are not sorted or repeat an entry.
    func unsorted(in line: Span<UInt8>) -> [String] {
        let mode = text(.mode, line)
        let types = runs.map(\.type)
        func rises(_ values: [[UInt8]?]) -> Bool {
            let present = values.compactMap { $0 }
            return zip(present, present.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        }
        let ids = observations.compactMap { $0 }
        var found: [String] = []
        if mode.map({ $0 == "history" }) ?? false ? !areRunsSorted : !rises(types) { found.append("/export/coverage") }
        if !rises(fromRuns.map(\.type)) { found.append("/export/from_coverage") }
        if filterTypes?.rises == false { found.append("/export/filter/sample_types") }
        if filterNames?.rises == false { found.append("/export/filter/source_names") }
        if filterSources?.rises == false { found.append("/export/filter/sources") }
        if !zip(ids, ids.dropFirst()).allSatisfy(<) { found.append("/export/observations") }
        if !changes.rises { found.append("/export/scope/changes") }
        if labels?.rises == false { found.append("/export/scope/labels") }
        return found
    }

    /// Returns the facts of a header without faults.
    func headerFacts(in line: Span<UInt8>) -> HeaderFacts {
        let kind = kind(in: line) ?? .recoveryBundle, mode = text(.mode, line) ?? ""
        let export = line.extracting(facts[.export]!.range)
        let from = integer(.fromObservationID, line), to = integer(.observationID, line) ?? 0
        let wanted = changes.texts.map { name in Forms.changes.first { Array($0.name.utf8) == name }?.form ?? [] }
        let hasReIdentified = changes.texts.contains(Array("re_identified".utf8))
        let items =
            kind == .changeSet
            ? Forms(wanted).union(hasReIdentified ? [.appeared, .disappeared] : []) : kind.items(mode: mode)
        return HeaderFacts(
            bytes: export.indices.map { export[$0] },
            exportID: text(.exportID, line) ?? "",
            defectCount: facts.defects.count,
            kind: kind, mode: mode, observationID: to, fromObservationID: from,
            items: items, wholeKinds: hasReIdentified ? Forms(wanted) : items, labels: labels?.texts,
            coveredTypes: Set(runs.map(\.type)),
            sources: filterSources?.texts, sourceNames: filterNames?.texts, sampleTypes: filterTypes?.texts,
            since: facts[.since]?.moment, until: facts[.until]?.moment,
            isOverlapping: facts[.overlapping]?.isTrue ?? false,
            isWithRelated: facts[.withRelated]?.isTrue ?? false,
            identityRules: integer(.identityRules, line), history: history(line),
            itemKind: ItemKind.allCases.first { $0.forms.isSuperset(of: items) } ?? .record)
    }

    private func history(_ line: Span<UInt8>) -> HistoryHead? {
        func digest(_ slot: Slot) -> Digest? { facts[slot].flatMap { Digest(hex: line.extracting($0.range)) } }
        guard let archive = digest(.historyArchive), let link = digest(.historyLink),
            let sequence = integer(.historySequence, line)
        else { return nil }
        return HistoryHead(archive: archive, length: sequence, link: link)
    }

    /// Returns the id that the header's bytes give: `export` without its member `export_id`.
    func computedExportID(in line: Span<UInt8>) -> String {
        let export = facts[.export]!.range
        let value = facts[.exportID]!.range
        // ,"export_id":"…" stands between two other members, since keys before and after it are required.
        let start = value.lowerBound - 14
        var bytes = (export.lowerBound..<start).map { line[$0] }
        bytes += (value.upperBound + 1..<export.upperBound).map { line[$0] }
        return ExportID.text(forHeader: bytes.span)
    }
}

/// Checks that items belong to the scope of the header (`manifest.scope`).
extension HeaderFacts {
    /// Returns `true` if an item does not belong to the scope or the filter. The coverage of its type is checked once
    /// for a type.
    func excludes(_ item: ItemFacts, _ form: Forms, in line: Span<UInt8>) -> Bool {
        if !items.isSuperset(of: form) { return true }
        if isOfItself,
            Forms.change.union([.pair, .disappearance, .lateArrival]).isSuperset(of: form)
        {
            return true
        }
        if Forms.change.isSuperset(of: form) { return excludesChange(item, form, line) }
        if Forms.day.isSuperset(of: form) { return excludesDay(item, line) }
        if form != .sample, Forms.selected.isSuperset(of: form), isFilteredOut(item, line), !isRelated(item) {
            return true
        }
        if form == .exactDuplicate || form == .lateArrival {
            return isOutside(item[.startDate], item[.endDate])
        }
        func isLate(_ observation: Int64?) -> Bool { observation.map { $0 > observationID } ?? false }
        return item.ranges.contains { isLate($0.first) || isLate($0.last) }
            || item.events.contains { isLate($0.observation) }
            || item.relationships.contains { isLate($0.observation) || isLate($0.ended) || isEndWrong($0, form) }
    }

    /// Returns `true` if a day is excluded: it is selected by its beginning, and by its source if it has one.
    private func excludesDay(_ item: ItemFacts, _ line: Span<UInt8>) -> Bool {
        func isOther(_ wanted: Set<[UInt8]>?, _ slot: Slot) -> Bool {
            guard let wanted, item[.source] != nil else { return false }
            return !(ItemFacts.bytes(item[slot], line).map(wanted.contains) ?? false)
        }
        if isOther(sources, .sourceBundle) || isOther(sourceNames, .sourceName) { return true }
        guard since != nil || until != nil else { return false }
        guard let start = item[.dayStart]?.moment else { return true }
        return since.map { start < $0 } ?? false || until.map { !(start < $0) } ?? false
    }

    private func isFilteredOut(_ item: ItemFacts, _ line: Span<UInt8>) -> Bool {
        if isWithRelated, let sampleTypes {
            // Without related samples coverage says which types there are.
            guard let type = ItemFacts.bytes(item[.sampleType], line), sampleTypes.contains(type) else { return true }
        }
        return isFilteredOut(
            bundle(item, .source, .sourceBundle, line), name(item, .source, .sourceName, line), item[.startDate],
            item[.endDate])
    }

    /// Returns `true` if an item may be there because it is linked to another.
    private func isRelated(_ item: ItemFacts) -> Bool { isWithRelated && item.relationships.contains { $0.isInScope } }

    /// Returns `true` if a link cannot have ended where it says so. At a point in time, one that ended is not there.
    private func isEndWrong(_ link: ItemFacts.RelationshipEntry, _ form: Forms) -> Bool {
        guard let ended = link.ended else { return false }
        return form == .record || link.observation.map { ended <= $0 } ?? false
    }

    /// `true` if an observation is compared with itself: then nothing changes, disappears or arrives.
    var isOfItself: Bool { fromObservationID == observationID }

    /// Returns `true` if a change is excluded: it is selected if one of its versions is, and its events are between the
    /// observations.
    private func excludesChange(_ item: ItemFacts, _ form: Forms, _ line: Span<UInt8>) -> Bool {
        if !wholeKinds.isSuperset(of: form),
            ItemFacts.bytes(item[.markKind], line) != Array("re_identified".utf8)
        {
            return true
        }
        if let labels {
            guard let label = ItemFacts.bytes(item[.label], line), labels.contains(label) else { return true }
        }
        // Which samples a filter selects, a changed relationship does not say.
        if Forms.linkChange.isSuperset(of: form) { return false }
        let isBeforeOut =
            form == .appeared
            || isFilteredOut(
                ItemFacts.bytes(item[.beforeBundle], line), ItemFacts.bytes(item[.beforeName], line),
                item[.beforeStart],
                item[.beforeEnd])
        let isAfterOut =
            form == .disappeared
            || isFilteredOut(
                ItemFacts.bytes(item[.afterBundle], line), ItemFacts.bytes(item[.afterName], line), item[.afterStart],
                item[.afterEnd])
        if isBeforeOut, isAfterOut { return true }
        let from = fromObservationID ?? observationID
        let between = min(from, observationID)..<max(from, observationID)
        return item.events.contains { event in
            event.observation.map { $0 <= between.lowerBound || $0 > between.upperBound } ?? false
        }
    }

    private func bundle(_ item: ItemFacts, _ source: Slot, _ bundle: Slot, _ line: Span<UInt8>) -> [UInt8]? {
        sources == nil || item[source] == nil ? nil : ItemFacts.bytes(item[bundle], line)
    }

    private func name(_ item: ItemFacts, _ source: Slot, _ name: Slot, _ line: Span<UInt8>) -> [UInt8]? {
        sourceNames == nil || item[source] == nil ? nil : ItemFacts.bytes(item[name], line)
    }

    private func isFilteredOut(
        _ bundle: @autoclosure () -> [UInt8]?, _ name: @autoclosure () -> [UInt8]?, _ start: Captured?, _ end: Captured?
    ) -> Bool {
        if let sources {
            guard let bundle = bundle(), sources.contains(bundle) else { return true }
        }
        if let sourceNames {
            guard let name = name(), sourceNames.contains(name) else { return true }
        }
        return isOutside(start, end)
    }

    private func isOutside(_ start: Captured?, _ end: Captured?) -> Bool {
        guard since != nil || until != nil, let start = start?.moment else { return false }
        if let until, !(start < until) { return true }
        guard let since, start < since else { return false }
        // What began before may last beyond; an absent end is not judged.
        return !isOverlapping || (end?.moment).map { !(since < $0) } ?? false
    }
}
