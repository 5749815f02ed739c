/// The tables that items of each kind are read by, made when the first item of the kind comes. Each verifier has
/// its own, for the reason that `ShapeTables` gives.
struct ItemTables {
    private lazy var evidence = ShapeTables.itemLine
    private lazy var change = ShapeTables.changeLine
    private lazy var comparison = ShapeTables.comparisonLine
    private lazy var finding = ShapeTables.findingLine
    private lazy var pair = ShapeTables.pairLine
    private lazy var typeManifest = ShapeTables.typeManifestLine
    private let kinds = ItemKind.allCases

    /// The table of a kind.
    mutating func table(_ kind: ItemKind) -> ObjectShape {
        switch kind {
        case .record, .sample, .version, .sharedRecord: evidence
        case .change: change
        case .comparison: comparison
        case .finding: finding
        case .pair: pair
        case .typeManifest: typeManifest
        }
    }

    /// Whether two kinds have the same table.
    mutating func areAlike(_ left: ItemKind, _ right: ItemKind) -> Bool {
        left == right || table(left) === table(right)
    }

    /// The kind that a text names.
    func kind(_ text: Span<UInt8>) -> ItemKind? {
        for kind in kinds where text.isText(kind.rawValue) { return kind }
        return nil
    }
}

extension ItemFacts {
    /// The form of an item; where the member that tells is absent or at fault, all forms of its kind.
    func form(of kind: ItemKind, in line: Span<UInt8>) -> Forms {
        switch kind {
        case .change: return form(.change, of: Forms.changes, in: line) ?? .change
        case .comparison:
            if self[.windowPart] != nil || self[.windowStart] != nil || self[.windowEnd] != nil { return .window }
            return self[.sampleType] != nil || hasComparisonSources ? .wholeType : .allTypes
        case .finding: return form(.finding, of: Forms.findings, in: line) ?? .finding
        case .pair: return form(.pairKind, of: Forms.pairs, in: line) ?? .pair
        default: return kind.forms
        }
    }

    private func form(_ slot: Slot, of list: [(name: String, form: Forms)], in line: Span<UInt8>) -> Forms? {
        guard let value = self[slot] else { return nil }
        let text = line.extracting(value.range)
        for entry in list where text.isText(entry.name) { return entry.form }
        return nil
    }

    /// Where the dates and the hash of the version stand that an item is sorted by.
    func leading(_ form: Forms) -> (start: Slot, end: Slot, payload: Slot) {
        guard Forms.change.isSuperset(of: form) else { return (.startDate, .endDate, .payloadHash) }
        return form == .appeared ? (.afterStart, .afterEnd, .afterPayload) : (.beforeStart, .beforeEnd, .beforePayload)
    }
}
