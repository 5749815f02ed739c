internal import Format
internal import Timestamps

/// Whether items belong to what the header says (`manifest.scope`).
extension HeaderFacts {
    /// Whether an item does not belong to the scope or the filter. Whether its type is covered, is asked once a type.
    func excludes(_ item: ItemFacts, _ form: Forms, in line: Span<UInt8>) -> Bool {
        if !items.isSuperset(of: form) { return true }
        if isOfItself,
            Forms.change.union([.pair, .disappearance, .lateArrival]).isSuperset(of: form)
        {
            return true
        }
        if Forms.change.isSuperset(of: form) { return excludesChange(item, form, line) }
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

    private func isFilteredOut(_ item: ItemFacts, _ line: Span<UInt8>) -> Bool {
        if isWithRelated, let sampleTypes {
            // Without related samples coverage says which types there are.
            guard let type = ItemFacts.bytes(item[.sampleType], line), sampleTypes.contains(type) else { return true }
        }
        return isFilteredOut(
            bundle(item, .source, .sourceBundle, line), name(item, .source, .sourceName, line), item[.startDate],
            item[.endDate])
    }

    /// Whether an item may be there because it is linked to another.
    private func isRelated(_ item: ItemFacts) -> Bool { isWithRelated && item.relationships.contains { $0.isInScope } }

    /// Whether a link cannot have ended where it says so. At a point in time, one that ended is not there.
    private func isEndWrong(_ link: ItemFacts.RelationshipEntry, _ form: Forms) -> Bool {
        guard let ended = link.ended else { return false }
        return form == .record || link.observation.map { ended <= $0 } ?? false
    }

    /// Whether an observation is compared with itself: then nothing changes, disappears or arrives.
    var isOfItself: Bool { fromObservationID == observationID }

    /// A change is selected where one of its versions is, and its events lie between the observations.
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
