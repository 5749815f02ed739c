extension ItemFacts {
    /// Whether nothing has to be held against anything else: no defects, and at most one entry in arrays that are sorted.
    func isUnremarkable(_ kind: ItemKinds) -> Bool {
        guard defects.isEmpty, ranges.count < 2, events.count < 2, relationships.count < 2 else { return false }
        if kind == .record, let range = ranges.first, range.hasEnd || range.hasEndTime { return false }
        return kind != .record || !ranges.isEmpty
    }

    /// A record has visible ranges, and says nothing of their ends.
    func faultsOfRecord(_ kind: ItemKinds) -> [ShapeFault] {
        guard kind == .record else { return [] }
        var faults: [ShapeFault] = []
        if !hasVisibility { faults.append(ShapeFault(code: .missing, pointer: "/item/visibility")) }
        for (index, range) in ranges.enumerated() {
            if range.hasEnd { faults.append(ShapeFault(code: .unknown, pointer: "/item/visibility/\(index)/last_observation_id")) }
            if range.hasEndTime { faults.append(ShapeFault(code: .unknown, pointer: "/item/visibility/\(index)/last_seen_at")) }
        }
        return faults
    }

    /// Counts the provenance losses of this item, in the order of `ShapeTables.losses`.
    func addLosses(_ kind: ItemKinds, to losses: inout [Int64]) {
        func raise(_ index: Int, _ isRaised: Bool) { if isRaised { losses[index] += 1 } }
        let hasPayload = kind != .sample
        let hasSource = self[.source] != nil
        raise(0, hasPayload && self[.device] == nil)
        raise(1, self[.deviceIdentifier] != nil)
        raise(2, self[.metadata]?.isText ?? false)
        raise(3, hasSource && self[.sourceSystemVersion] == nil)
        raise(4, hasPayload && self[.payloadHash] == nil)
        raise(5, relationships.contains { !$0.isInScope })
        raise(6, self[.sampleUUIDHash] == nil)
        raise(7, hasPayload && !hasSource)
        raise(8, self[.sourceName] != nil)
        raise(9, hasSource && self[.sourceVersion] == nil)
    }
}
