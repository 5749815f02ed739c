internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// What the header says that items are held against.
package struct HeaderFacts: Sendable {
    /// Canonical bytes of `export`.
    package let bytes: [UInt8]
    package let exportID: String
    package let defectCount: Int
    let isPointInTime: Bool
    let observationID: Int64
    /// Types in the coverage; nil stands for one without an identifier.
    let coveredTypes: Set<[UInt8]?>
    let sources: Set<[UInt8]>?
    let since, until: Moment?
    /// Whether the hashes in items follow `Spec/identity.md`.
    let statesIdentityRules: Bool
    /// Whether it stands in the header of a salvage: the items are not all of its export, and are not held against its scope.
    var isOfSalvage = false

    /// Whether an item does not belong to the scope or the filter. Whether its type is covered, is asked once a type.
    func excludes(_ item: ItemFacts, kind: ItemKinds, in line: Span<UInt8>) -> Bool {
        if (kind == .record) != isPointInTime { return true }
        if kind != .sample, isFilteredOut(item, line) { return true }
        func isLate(_ observation: Int64?) -> Bool { observation.map { $0 > observationID } ?? false }
        return item.ranges.contains { isLate($0.first) || isLate($0.last) } || item.events.contains { isLate($0.observation) } || item.relationships.contains { isLate($0.observation) }
    }

    private func isFilteredOut(_ item: ItemFacts, _ line: Span<UInt8>) -> Bool {
        if let sources {
            guard item[.source] != nil, let bundle = ItemFacts.bytes(item[.sourceBundle], line), sources.contains(bundle) else { return true }
        }
        guard since != nil || until != nil, let start = item[.startDate]?.moment else { return false }
        return since.map { start < $0 } ?? false || until.map { !(start < $0) } ?? false
    }
}

/// Takes the values of a header's line.
struct HeaderVisitor: ShapeVisitor {
    var facts = ItemFacts()
    var format: [UInt8]?
    var formatVersion: Captured?
    var types: [[UInt8]?] = []
    var observations: [Int64?] = []
    var filterTypes: [[UInt8]]?
    var filterSources: [[UInt8]]?

    mutating func beginEntry(of slot: Slot) {
        switch slot {
        case .coverage: types.append(nil)
        case .observations: observations.append(nil)
        case .filterTypes, .filterSources: break
        default: facts.beginEntry(of: slot)
        }
    }

    mutating func beginArray(of slot: Slot) {
        if slot == .filterTypes { filterTypes = [] }
        if slot == .filterSources { filterSources = [] }
    }

    mutating func take(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        switch slot {
        case .coverageType: types[types.count - 1] = ItemFacts.bytes(value, line)
        case .observation: observations[observations.count - 1] = ItemFacts.integer(value, line)
        case .filterTypes: filterTypes?.append(ItemFacts.bytes(value, line) ?? [])
        case .filterSources: filterSources?.append(ItemFacts.bytes(value, line) ?? [])
        case .format: format = ItemFacts.bytes(value, line)
        case .formatVersion: formatVersion = value
        default: facts.take(slot, value, in: line)
        }
    }

    /// The member of an unknown format, or nil where this verifier knows the format.
    func unknownFormat(in line: Span<UInt8>) -> String? {
        if let format, format != Array(Bundle.format.utf8) { return "/export/format" }
        if let formatVersion, Reader(.canonical).double(formatVersion.range, in: line) != Double(Bundle.version) { return "/export/format_version" }
        return nil
    }

    /// Pointers, from `export`, to what contradicts something else.
    func contradictions(in line: Span<UInt8>) -> [String] {
        var found = facts.contradictions(in: line)
        let ids = observations.compactMap { $0 }
        let scope = facts[.observationID].flatMap { ItemFacts.integer($0, line) }
        if ids.count == observations.count, ids.max() != scope || (isPointInTime(line) && ids.count > 1) { found.append("/observations") }
        if let filterTypes, Set(filterTypes.map { Optional($0) }) != Set(types) { found.append("/coverage") }
        return found
    }

    private func isPointInTime(_ line: Span<UInt8>) -> Bool { ItemFacts.bytes(facts[.mode], line) == Array("point_in_time".utf8) }

    /// Lists of the header that are not sorted or repeat an entry.
    func unsorted() -> [String] {
        func rises(_ values: [[UInt8]?]) -> Bool {
            let present = values.compactMap { $0 }
            return zip(present, present.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        }
        let ids = observations.compactMap { $0 }
        var found: [String] = []
        if !rises(types) { found.append("/export/coverage") }
        if !rises(filterTypes ?? []) { found.append("/export/filter/sample_types") }
        if !rises(filterSources ?? []) { found.append("/export/filter/sources") }
        if !zip(ids, ids.dropFirst()).allSatisfy(<) { found.append("/export/observations") }
        return found
    }

    /// The facts of a header without faults.
    func headerFacts(in line: Span<UInt8>) -> HeaderFacts {
        return HeaderFacts(
            bytes: facts[.export]!.range.map { line[$0] },
            exportID: String(decoding: ItemFacts.bytes(facts[.exportID], line) ?? [], as: UTF8.self),
            defectCount: facts.defects.count,
            isPointInTime: isPointInTime(line),
            observationID: facts[.observationID].flatMap { ItemFacts.integer($0, line) } ?? 0,
            coveredTypes: Set(types),
            sources: filterSources.map { Set($0) },
            since: facts[.since]?.moment, until: facts[.until]?.moment,
            statesIdentityRules: facts[.identityRules] != nil)
    }

    /// The id that the header's bytes give: `export` without its member `export_id`.
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
