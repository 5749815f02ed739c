internal import Bytes
internal import Codes

extension ItemFacts {
    /// Whether nothing has to be held against anything else: no defects, and at most one entry in arrays that are
    /// sorted.
    func isUnremarkable(_ kind: Forms) -> Bool {
        guard defects.isEmpty, ranges.count < 2, events.count < 2, relationships.count < 2 else { return false }
        if kind == .window || kind == .wholeType || kind == .representationChanged || Forms.finding.isSuperset(of: kind)
        {
            return false
        }
        return ![.record, .sharedRecord].contains(kind) || !ranges.isEmpty
    }

    /// What is missing or too much beside other members. A record has visible ranges.
    func faultsBesideOthers(_ kind: Forms) -> [ShapeFault] {
        if kind == .lateArrival, self[.startDate] == nil {
            return [ShapeFault(code: .shapeMemberMissing, pointer: "/item/start_date")]
        }
        if kind == .exactDuplicate, self[.payloadHash] == nil {
            return [ShapeFault(code: .shapeMemberMissing, pointer: "/item/payload_hash")]
        }
        return [.record, .sharedRecord].contains(kind) && !hasVisibility
            ? [ShapeFault(code: .shapeMemberMissing, pointer: "/item/visibility")] : []
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
}
