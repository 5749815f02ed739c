internal import Archive
internal import Bytes
internal import Timestamps

/// Finds containers and their parts among records in their order (`Spec/pairs.md`, Condensed).
///
/// A container is open as long as records can begin within it. Of a container that fits it is known whether its
/// records are in others once no open one reaches back to it; until then it waits.
///
/// - Complexity: O(n) for n records; memory for the parts of as many containers as can be open.
struct Condensation {
    /// So many parts a container has at most.
    static let partLimit = 1024
    /// So many containers of a side are open at most.
    static let openLimit = 16

    /// A pair, and what its records are to say of the pairs that they are in.
    struct Found {
        let pair: Pair
        let marks: [(record: PairRecord, keys: [[UInt8]])]
    }

    fileprivate struct Container {
        let node: PairNode
        var parts: [PairNode] = []
    }

    /// A container that fits.
    private struct Fit {
        let container: Container
        let law: CondensationLaw.Result
    }

    private var laws: CondensationLaw
    private let inWholeSeconds: Bool
    private var open: [Container] = []
    private var waiting: [Fit] = []
    /// Records that overlap, and those before them that open containers reach to.
    private var stretch = OverlappingRecords()
    private var ended: [OverlappingRecords] = []

    /// - Parameter days: of the later observation of the comparison.
    init(keys: PairKeys, _ days: LocalDays) {
        laws = CondensationLaw(keys: keys, days)
        inWholeSeconds = keys.isAcrossChains
    }

    /// Takes the next record of the group; returns what is known of those before.
    mutating func add(_ record: PairRecord) -> [Found] {
        let node = PairNode(record, inWholeSeconds: inWholeSeconds)
        close { $0.node.end < node.start }
        let found = settled() + regrouped(before: node.start)
        if node.length > 0 {
            if !stretch.overlaps(node) {
                if !stretch.nodes.isEmpty { ended.append(stretch) }
                stretch = OverlappingRecords()
            }
            stretch.add(node)
        }
        var isOver = false
        for index in containers(of: node) {
            open[index].parts.append(node)
            isOver = isOver || open[index].parts.count > Self.partLimit
        }
        if isOver { open.removeAll { $0.parts.count > Self.partLimit } }
        if node.length > 0, open.count(where: { $0.node.record.isBefore == record.isBefore }) < Self.openLimit {
            open.append(Container(node: node))
        }
        return found
    }

    /// Closes everything; returns what is left.
    mutating func finish() -> [Found] {
        close { _ in true }
        if !stretch.nodes.isEmpty { ended.append(stretch) }
        stretch = OverlappingRecords()
        return settled() + regrouped(before: .infinity)
    }

    /// Returns the open containers of which a record is a part.
    private func containers(of node: PairNode) -> [Int] {
        let fitting = open.indices.filter { index in
            let other = open[index].node
            return other.record.isBefore != node.record.isBefore && node.length < other.length
                && other.start <= node.start && node.end <= other.end
        }
        // An instant at an edge belongs to what begins there.
        guard node.length == 0, fitting.contains(where: { open[$0].node.start == node.start }) else { return fitting }
        return fitting.filter { open[$0].node.end != node.start }
    }

    private mutating func close(where isOver: (Container) -> Bool) {
        for container in open where isOver(container) && container.parts.count >= 2 {
            guard let law = laws.result([container.node], container.parts, isContainer: true) else { continue }
            for node in container.parts + [container.node] { node.keys.append(container.node.record.identity) }
            waiting.append(Fit(container: container, law: law))
        }
        open.removeAll(where: isOver)
    }

    /// Returns those that wait and that no open container reaches back to.
    private mutating func settled() -> [Found] {
        guard !waiting.isEmpty else { return [] }
        let earliest = open.map(\.node.start).min() ?? .infinity
        var found: [Found] = []
        waiting.removeAll { fit in
            guard fit.container.node.end < earliest else { return false }
            found.append(Self.found(fit))
            return true
        }
        return found
    }

    private static func found(_ fit: Fit) -> Found {
        let whole = fit.container.node.record
        let parts = fit.container.parts.map(\.record).sorted(by: PairRecord.precedes)
        let nodes = fit.container.parts + [fit.container.node]
        let others = sorted(nodes.flatMap(\.keys)).filter { $0 != whole.identity }
        let (before, after) = whole.isBefore ? ([whole], parts) : (parts, [whole])
        let kind: Pair.Kind = !others.isEmpty ? .ambiguous : whole.isBefore ? .expandedInto : .condensedInto
        let pair = pair(
            kind, fit.law, of: whole, key: whole.identity, ambiguousWith: others, before, after,
            residual: fit.law.figures.one - fit.law.figures.other)
        return Found(pair: pair, marks: nodes.map { ($0.record, sorted($0.keys)) })
    }

    private static func pair(
        _ kind: Pair.Kind, _ law: CondensationLaw.Result, of one: PairRecord, key: [UInt8],
        ambiguousWith others: [[UInt8]],
        _ before: [PairRecord], _ after: [PairRecord], residual: Double
    ) -> Pair {
        let isOneBefore = one.isBefore
        let (left, right) = isOneBefore ? (law.figures.one, law.figures.other) : (law.figures.other, law.figures.one)
        return Pair(
            type: one.type, kind: kind, rule: law.law.rawValue, outcome: kind == .ambiguous ? nil : law.outcome,
            key: key, isTied: false, ambiguousWith: others, residual: residual + 0,
            figures: .init(before: left, after: right), unit: law.unit, bundle: one.bundle, product: one.product,
            nameHash: one.nameHash, before: before.map { .init($0) }, after: after.map { .init($0) })
    }

    /// Records in no container that cover the same time as others and come to the same: of stretches that ended
    /// before a moment.
    private mutating func regrouped(before moment: Double) -> [Found] {
        guard !ended.isEmpty else { return [] }
        var found: [Found] = []
        for stretch in ended where stretch.end < moment && !stretch.areTooMany {
            var rest = OverlappingRecords()
            for node in stretch.nodes where node.keys.isEmpty {
                if !rest.overlaps(node) {
                    if let pair = regrouped(rest.nodes) { found.append(pair) }
                    rest = OverlappingRecords()
                }
                rest.add(node)
            }
            if let pair = regrouped(rest.nodes) { found.append(pair) }
        }
        ended.removeAll { $0.end < moment }
        return found
    }

    private mutating func regrouped(_ nodes: [PairNode]) -> Found? {
        let sorted = nodes.sorted { PairRecord.precedes($0.record, $1.record) }
        let (before, after) = (sorted.filter(\.record.isBefore), sorted.filter { !$0.record.isBefore })
        guard !before.isEmpty, !after.isEmpty, Self.coverTheSame(before, after), !Self.haveSameEdges(before, after),
            let law = laws.result(after, before, isContainer: false),
            let key = nodes.map(\.record.identity).min(by: { $0.lexicographicallyPrecedes($1) })
        else { return nil }
        let pair = Self.pair(
            .regrouped, law, of: after[0].record, key: key, ambiguousWith: [], before.map(\.record),
            after.map(\.record),
            residual: law.figures.one - law.figures.other)
        return Found(pair: pair, marks: nodes.map { ($0.record, [key]) })
    }

    /// Returns `true` if a record of each side has the same start and end, and there are others.
    private static func haveSameEdges(_ one: [PairNode], _ other: [PairNode]) -> Bool {
        guard one.count + other.count > 2 else { return false }
        let edges = Set(one.map { [$0.start, $0.end] })
        return other.contains { edges.contains([$0.start, $0.end]) }
    }

    private static func coverTheSame(_ one: [PairNode], _ other: [PairNode]) -> Bool {
        let (left, right) = (CondensationLaw.union(one), CondensationLaw.union(other))
        return left.count == right.count && zip(left, right).allSatisfy { $0.start == $1.start && $0.end == $1.end }
    }

    /// Returns the keys sorted by bytes, each once.
    private static func sorted(_ keys: [[UInt8]]) -> [[UInt8]] {
        Set(keys).sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// The groups of records that have one key, each with a `Condensation` of its own.
///
/// Within a chain the key names the group. Across chains it lacks the members of the source that a side may lack;
/// which of them count is known once all records were read.
///
/// - Complexity: memory for the sources that have one name.
struct CondensationGroups {
    private let keys: PairKeys
    private let named: NamedSources
    private let days: LocalDays
    private var key: [UInt8] = []
    private var groups: [[[UInt8]?]: Condensation] = [:]

    /// - Parameter days: of the later observation of the comparison.
    init(keys: PairKeys, named: NamedSources, _ days: LocalDays) {
        (self.keys, self.named, self.days) = (keys, named, days)
    }

    /// Takes the next record; returns what is known of those before.
    mutating func add(_ record: PairRecord, group: [UInt8]) -> [Condensation.Found] {
        var found: [Condensation.Found] = []
        if group != key {
            found = finish()
            key = group
        }
        let members = keys.isAcrossChains ? named.key(of: record) : []
        return found + groups[members, default: Condensation(keys: keys, days)].add(record)
    }

    /// Closes everything; returns what is left.
    mutating func finish() -> [Condensation.Found] {
        var found: [Condensation.Found] = []
        for members in Array(groups.keys) { found += groups[members]!.finish() }
        groups.removeAll(keepingCapacity: true)
        return found
    }
}

/// A record, and the containers that fit in which it is.
final class PairNode {
    let record: PairRecord
    /// Its edges in Unix seconds: across chains whole ones, rounded down.
    let start, end: Double
    fileprivate var keys: [[UInt8]] = []

    /// Seconds.
    var length: Double { end - start }

    init(_ record: PairRecord, inWholeSeconds: Bool) {
        self.record = record
        start = inWholeSeconds ? record.start.rounded(.down) : record.start
        end = inWholeSeconds ? record.end.rounded(.down) : record.end
    }
}

/// Records of one group that overlap, in the order of their starts: each starts before the latest end so far.
private struct OverlappingRecords {
    private(set) var nodes: [PairNode] = []
    private(set) var end = -Double.infinity
    /// `true` if a side has more records than are looked at; they are not kept then.
    private(set) var areTooMany = false
    private var counts = (before: 0, after: 0)

    func overlaps(_ node: PairNode) -> Bool { node.start < end }

    mutating func add(_ node: PairNode) {
        end = max(end, node.end)
        if node.record.isBefore { counts.before += 1 } else { counts.after += 1 }
        areTooMany = areTooMany || max(counts.before, counts.after) > Condensation.partLimit
        if areTooMany { nodes = [node] } else { nodes.append(node) }
    }
}

extension PairRecord {
    /// Returns `true` if one record comes before another, in the order of records.
    static func precedes(_ left: PairRecord, _ right: PairRecord) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.end != right.end { return left.end < right.end }
        if left.identity != right.identity { return left.identity.lexicographicallyPrecedes(right.identity) }
        return left.payload.lexicographicallyPrecedes(right.payload)
    }
}
