internal import Bytes
internal import Codes
internal import Format

extension ItemFacts {
    /// Whether nothing has to be held against anything else: no defects, and at most one entry in arrays that are
    /// sorted.
    func isUnremarkable(_ kind: Forms) -> Bool {
        guard defects.isEmpty, ranges.count < 2, events.count < 2, relationships.count < 2 else { return false }
        return ![.window, .wholeType, .representationChanged].contains(kind)
    }

    /// The faults of an item whose kind is missing or unknown: without it, its members cannot be judged.
    func faultsWithoutKind(_ every: [ShapeFault]) -> [ShapeFault] {
        let faults = every.filter { !$0.pointer.hasPrefix("/item/") || $0.pointer == "/item/item_kind" }
        guard !faults.contains(where: { $0.pointer == "/item" || $0.pointer == "/item/item_kind" }) else {
            return faults
        }
        let code: Code = self[.itemKind] == nil ? .shapeMemberMissing : .shapeValue
        return faults + [ShapeFault(code: code, pointer: "/item/item_kind")]
    }

    /// Whether both sides of a change without defects say the same.
    func hasEqualSides(_ kind: Forms, in line: Span<UInt8>) -> Bool {
        guard kind == .representationChanged, defects.isEmpty, let before = self[.before], let after = self[.after]
        else { return false }
        return line.extracting(before.range).isSame(as: line.extracting(after.range))
    }

    /// Counts the provenance losses of this item, in the order of `ShapeTables.losses`.
    func addLosses(_ kind: Forms, to losses: inout [Int64]) {
        func raise(_ index: Int, _ isRaised: Bool) { if isRaised { losses[index] += 1 } }
        let hasPayload = kind != .sample
        let hasSource = has(.source)
        raise(0, hasPayload && !has(.device))
        raise(1, has(.deviceIdentifier))
        raise(2, self[.metadata]?.isText ?? false)
        raise(3, hasSource && !has(.sourceSystemVersion))
        raise(4, hasPayload && !has(.payloadHash))
        raise(5, relationships.contains { !$0.isInScope })
        raise(6, !has(.sampleUUIDHash))
        raise(7, hasPayload && !hasSource)
        raise(8, has(.sourceName))
        raise(9, hasSource && !has(.sourceVersion))
    }

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
