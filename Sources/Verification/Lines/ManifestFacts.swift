internal import Format

/// Counts of the items of one sample type.
package struct TypeCounts: Sendable, Equatable {
    package var itemCount: Int64 = 0
    package var defectCount: Int64 = 0
    /// Items per code, in the order of `ShapeTables.losses`.
    package var losses = [Int64](repeating: 0, count: ShapeTables.losses.count)

    /// Nothing counted yet.
    package init() {}

    /// Adds the counts of other items.
    package mutating func add(_ other: TypeCounts) {
        itemCount += other.itemCount
        defectCount += other.defectCount
        for index in losses.indices { losses[index] += other.losses[index] }
    }
}

/// What a manifest says.
package struct ManifestFacts: Sendable {
    package let hash: String
    /// Canonical bytes of `totals`.
    package let totals: [UInt8]
    package let defectCount: Int64
    package let itemCount: Int64
    /// Whether it states the hash of a page.
    package let hasPageHash: Bool
    /// The version of what rendered a page.
    package let renderer: Int64?
    package let types: [(name: [UInt8]?, counts: TypeCounts)]

    /// The first member, by JSON Pointer, that differs from what was counted.
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
            if stated.counts.itemCount != found.counts.itemCount { return pointer + "/item_count" }
            for loss in ShapeTables.losses.indices where stated.counts.losses[loss] != found.counts.losses[loss] {
                return "\(pointer)/provenance_loss/\(ShapeTables.losses[loss])"
            }
            if stated.name != found.name { return pointer + "/sample_type" }
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

    /// The facts of a manifest without faults.
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
