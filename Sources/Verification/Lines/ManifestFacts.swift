internal import CanonicalJSON
internal import Format
internal import Measures

/// The sums of the items of a day report (`Spec/days.md`, Totals).
package struct DayCounts: Sendable, Equatable {
    /// The kept and the dropped amount, in whole numbers of the last decimal of the unit that came last.
    package struct Sums: Sendable, Equatable {
        package var unit: [UInt8]
        package var kept, dropped: Int128
    }

    /// Records, without nights and naps.
    package var recordCount: Int128 = 0
    package var sums: Sums?

    mutating func add(_ other: DayCounts) {
        recordCount += other.recordCount
        guard let added = other.sums else { return }
        sums = Sums(
            unit: added.unit, kept: (sums?.kept ?? 0) &+ added.kept, dropped: (sums?.dropped ?? 0) &+ added.dropped)
    }

    /// Returns the number of fraction digits of the amounts of a unit.
    static func digits(_ unit: [UInt8]?) -> Int {
        DecimalAmount.digits(ofUnit: unit.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The kept and the dropped amount, as totals state them.
    package var stated: StatedDays {
        let digits = Self.digits(sums?.unit)
        func number(_ sum: Int128?) -> Double? { sum.map { DecimalAmount.number($0, digits: digits) } }
        return StatedDays(
            recordCount: recordCount, unit: sums?.unit, kept: number(sums?.kept),
            dropped: number(sums?.dropped))
    }
}

/// The totals' statements about the items of a day report.
package struct StatedDays: Sendable, Equatable {
    package var recordCount: Int128?
    package var unit: [UInt8]?
    package var kept, dropped: Double?

    /// Returns the first member that differs from what was counted.
    func difference(from counted: StatedDays?) -> String? {
        let found = counted ?? StatedDays()
        if dropped != found.dropped { return "dropped_sum" }
        if recordCount != found.recordCount { return "record_count" }
        return unit != found.unit ? "unit" : kept != found.kept ? "value_sum" : nil
    }
}

/// Counts of the items of one sample type.
package struct TypeCounts: Sendable, Equatable {
    package var itemCount: Int64 = 0
    package var defectCount: Int64 = 0
    /// Items per code, in the order of `ShapeTables.losses`.
    package var losses = [Int64](repeating: 0, count: ShapeTables.losses.count)

    /// Of a day report.
    package var days: DayCounts?
    /// Of a day report, as a manifest states it.
    package var stated = StatedDays()

    /// Nothing counted yet.
    package init() {}

    /// Adds the counts of other items.
    package mutating func add(_ other: TypeCounts) {
        itemCount += other.itemCount
        defectCount += other.defectCount
        for index in losses.indices { losses[index] += other.losses[index] }
        if let added = other.days, days?.add(added) == nil { days = added }
    }
}

/// The facts of a manifest.
package struct ManifestFacts: Sendable {
    package let hash: String
    /// Canonical bytes of `totals`.
    package let totals: [UInt8]
    package let defectCount: Int64
    package let itemCount: Int64
    /// `true` if it states the hash of a page.
    package let hasPageHash: Bool
    /// The version of what rendered a page.
    package let renderer: Int64?
    package let types: [(name: [UInt8]?, counts: TypeCounts)]

    /// Returns the first member, by JSON Pointer, that differs from what was counted.
    package func difference(defectCount: Int64, itemCount: Int64, types counted: [(name: [UInt8]?, counts: TypeCounts)])
        -> String?
    {
        if defectCount != self.defectCount { return "/totals/defect_count" }
        if itemCount != self.itemCount { return "/totals/item_count" }
        for index in 0..<max(types.count, counted.count) {
            guard index < types.count, index < counted.count else { return "/totals/types/\(index)" }
            let (stated, found) = (types[index], counted[index])
            let pointer = "/totals/types/\(index)"
            if stated.counts.defectCount != found.counts.defectCount { return pointer + "/defect_count" }
            let days = stated.counts.stated.difference(from: found.counts.days?.stated)
            if let days, days < "item_count" { return pointer + "/" + days }
            if stated.counts.itemCount != found.counts.itemCount { return pointer + "/item_count" }
            for loss in ShapeTables.losses.indices where stated.counts.losses[loss] != found.counts.losses[loss] {
                return "\(pointer)/provenance_loss/\(ShapeTables.losses[loss])"
            }
            if let days, days < "sample_type" { return pointer + "/" + days }
            if stated.name != found.name { return pointer + "/sample_type" }
            if let days { return pointer + "/" + days }
        }
        return nil
    }
}

extension ManifestFacts {
    /// The first member, by JSON Pointer, that a page has and nothing else, and that is missing or there wrongly.
    func difference(isPage: Bool) -> String? {
        if hasPageHash != isPage { return "/totals/page_sha256" }
        return (renderer != nil) != isPage ? "/totals/renderer" : nil
    }
}

/// Takes the values of a manifest's line.
struct ManifestVisitor: ShapeVisitor {
    private var values: [Slot: Captured] = [:]
    private var types: [(name: [UInt8]?, counts: TypeCounts)] = []

    mutating func beginEntry(of slot: Slot) {
        if slot == .totalTypes { types.append((nil, TypeCounts())) }
    }

    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        let last = types.count - 1
        switch slot {
        case .typeDefects: types[last].counts.defectCount = ItemFacts.integer(value, line) ?? 0
        case .typeItems: types[last].counts.itemCount = ItemFacts.integer(value, line) ?? 0
        case .typeRecords: types[last].counts.stated.recordCount = ItemFacts.integer(value, line).map { Int128($0) }
        case .typeUnit: types[last].counts.stated.unit = ItemFacts.bytes(value, line)
        case .typeValueSum: types[last].counts.stated.kept = Reader.double(value.range, in: line)
        case .typeDroppedSum: types[last].counts.stated.dropped = Reader.double(value.range, in: line)
        case .typeName: types[last].name = ItemFacts.bytes(value, line)
        case .loss:
            // The member's name stands before its value: "name":value.
            let end = value.range.lowerBound - 2
            var start = end
            while line[start - 1] != UInt8(ascii: "\"") { start -= 1 }
            let name = String(decoding: (start..<end).map { line[$0] }, as: UTF8.self)
            if let index = ShapeTables.losses.firstIndex(of: name) {
                types[last].counts.losses[index] = ItemFacts.integer(value, line) ?? 0
            }
        default: values[slot] = value
        }
    }

    /// Returns the facts of a manifest without faults.
    func facts(in line: Span<UInt8>) -> ManifestFacts {
        ManifestFacts(
            hash: String(decoding: ItemFacts.bytes(values[.manifestHash], line) ?? [], as: UTF8.self),
            totals: values[.totals]!.range.map { line[$0] },
            defectCount: values[.totalDefects].flatMap { ItemFacts.integer($0, line) } ?? 0,
            itemCount: values[.totalItems].flatMap { ItemFacts.integer($0, line) } ?? 0,
            hasPageHash: values[.pageHash] != nil, renderer: values[.renderer].flatMap { ItemFacts.integer($0, line) },
            types: types)
    }
}

extension TypeCounts {
    /// Codes of provenance loss that occur and how often, sorted.
    package var namedLosses: [(code: String, count: Int64)] {
        zip(ShapeTables.losses, losses).compactMap { $1 > 0 ? ($0, $1) : nil }
    }
}

extension ManifestFacts {
    /// The line of a manifest, without its LF.
    package var line: [UInt8] { Array("{\"manifest_hash\":\"\(hash)\",\"totals\":".utf8) + totals + Array("}".utf8) }
}
