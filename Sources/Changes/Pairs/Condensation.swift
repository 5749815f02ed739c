internal import Archive
internal import Bytes
internal import Measures

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

    /// A record, and the containers that fit in which it is.
    final class Node {
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

    fileprivate struct Container {
        let node: Node
        var parts: [Node] = []
    }

    /// A container that fits.
    fileprivate struct Fit {
        let container: Container
        let law: CondensationLaw.Result
    }

    private let laws: CondensationLaw
    private let inWholeSeconds: Bool
    private var open: [Container] = []
    private var waiting: [Fit] = []

    init(keys: PairKeys) {
        laws = CondensationLaw(keys: keys)
        inWholeSeconds = keys.isAcrossChains
    }

    /// Takes the next record of the group; returns what is known of those before.
    mutating func add(_ record: PairRecord) -> [Found] {
        let node = Node(record, inWholeSeconds: inWholeSeconds)
        close { $0.node.end < node.start }
        let found = settled()
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
        return settled()
    }

    /// The open containers of which a record is a part.
    private func containers(of node: Node) -> [Int] {
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
            guard let law = laws.result(of: container.node, container.parts) else { continue }
            for node in container.parts + [container.node] { node.keys.append(container.node.record.identity) }
            waiting.append(Fit(container: container, law: law))
        }
        open.removeAll(where: isOver)
    }

    /// Those that wait and that no open container reaches back to.
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
        let isClear = others.isEmpty
        let members = parts.map { Pair.Member($0) }
        let pair = Pair(
            type: whole.type, kind: !isClear ? .ambiguous : whole.isBefore ? .expandedInto : .condensedInto,
            rule: fit.law.name, key: whole.identity, isTied: false, ambiguousWith: others, residual: fit.law.residual,
            unit: fit.law.unit, bundle: whole.bundle, product: whole.product, nameHash: whole.nameHash,
            before: whole.isBefore ? [.init(whole)] : members, after: whole.isBefore ? members : [.init(whole)])
        return Found(pair: pair, marks: nodes.map { ($0.record, sorted($0.keys)) })
    }

    /// Sorted by bytes, each once.
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
    private var key: [UInt8] = []
    private var groups: [[[UInt8]?]: Condensation] = [:]

    init(keys: PairKeys, named: NamedSources) { (self.keys, self.named) = (keys, named) }

    /// Takes the next record; returns what is known of those before.
    mutating func add(_ record: PairRecord, group: [UInt8]) -> [Condensation.Found] {
        var found: [Condensation.Found] = []
        if group != key {
            found = finish()
            key = group
        }
        let members = keys.isAcrossChains ? named.key(of: record) : []
        return found + groups[members, default: Condensation(keys: keys)].add(record)
    }

    /// Closes everything; returns what is left.
    mutating func finish() -> [Condensation.Found] {
        var found: [Condensation.Found] = []
        for members in Array(groups.keys) { found += groups[members]!.finish() }
        groups.removeAll(keepingCapacity: true)
        return found
    }
}

extension PairRecord {
    /// The order of records.
    static func precedes(_ left: PairRecord, _ right: PairRecord) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.end != right.end { return left.end < right.end }
        if left.identity != right.identity { return left.identity.lexicographicallyPrecedes(right.identity) }
        return left.payload.lexicographicallyPrecedes(right.payload)
    }
}

/// What a container and its parts come to (`Spec/pairs.md`, Condensed).
struct CondensationLaw {
    /// A law that holds.
    struct Result {
        let name: String
        /// Container less parts, in `unit`.
        let residual: Double
        let unit: [UInt8]
    }

    private let keys: PairKeys
    /// Of the greater magnitude.
    private static let tolerance = 1e-5
    private static let decibels = Array("dBASPL".utf8)

    init(keys: PairKeys) { self.keys = keys }

    /// The first law that holds; nil where none does. The parts are two or more, in the order of their starts.
    func result(of whole: Condensation.Node, _ parts: [Condensation.Node]) -> Result? {
        let container = whole.record
        let measure = keys.measure(of: container)
        let unit = Array((measure.unit ?? "").utf8)
        if measure.kind == .category {
            guard let length = Self.unionLength(parts) else { return nil }
            return Self.holding("duration", whole.length, length, Array("s".utf8))
        }
        guard let value = keys.canonicalValue(of: container) else { return nil }
        let values = parts.compactMap { keys.canonicalValue(of: $0.record) }
        guard values.count == parts.count else { return nil }
        guard let sum = Self.sum(values) else { return nil }
        if measure.kind == .cumulative { return Self.holding("sum", value, sum, unit) }
        let mean = sum / Double(values.count)
        let digits = SixDigits(value)
        if values.allSatisfy({ SixDigits($0) == digits }) {
            return Result(name: "value", residual: value - mean + 0, unit: unit)
        }
        guard container.unit != Self.decibels else { return nil }
        return Self.holding("mean", value, mean, unit)
            ?? Self.weightedMean(parts, values).flatMap { Self.holding("time_weighted_mean", value, $0, unit) }
    }

    private static func holding(_ name: String, _ whole: Double, _ parts: Double, _ unit: [UInt8]) -> Result? {
        let residual = whole - parts
        guard residual.isFinite, residual.magnitude <= tolerance * max(whole.magnitude, parts.magnitude) else {
            return nil
        }
        return Result(name: name, residual: residual + 0, unit: unit)
    }

    private static func weightedMean(_ parts: [Condensation.Node], _ values: [Double]) -> Double? {
        guard parts.allSatisfy({ $0.length > 0 }) else { return nil }
        let products = zip(parts, values).map { $0.length * $1 }
        guard products.allSatisfy(\.isFinite), let weighted = sum(products), let length = sum(parts.map(\.length))
        else { return nil }
        return weighted / length
    }

    private static func unionLength(_ parts: [Condensation.Node]) -> Double? {
        var lengths: [Double] = []
        var stretch: (start: Double, end: Double)?
        for part in parts.sorted(by: { $0.start < $1.start }) {
            if let last = stretch, part.start <= last.end {
                stretch = (last.start, max(last.end, part.end))
            } else {
                if let last = stretch { lengths.append(last.end - last.start) }
                stretch = (part.start, part.end)
            }
        }
        if let last = stretch { lengths.append(last.end - last.start) }
        return sum(lengths)
    }

    private static func sum(_ terms: [Double]) -> Double? {
        var sum = ExactSum()
        for term in terms { sum.add(term) }
        return sum.value()
    }
}
