internal import Archive

/// A source that appeared, states another product, or went quiet between two observations (`Spec/changes.md`,
/// Findings). A source is a name and a bundle identifier, whatever its versions and products.
public struct SourceChange: Sendable {
    /// In the order of their names.
    public enum Kind: Int, Sendable { case appeared, changed, quiet }

    public let kind: Kind
    public let bundleIdentifier, sourceNameHash: [UInt8]?
    /// Of `changed` alone.
    public let productType: [UInt8]?
    /// Records of all types; of the product alone where there is one.
    public let before, after: Int
    /// When its first and its last record begin: of those after, else of those before. Unix seconds.
    public let start, end: Double?

    /// The sources of a type's records.
    struct TypeSources {
        let counts: [Comparison.SourceCount]
        /// `true` if the type was read completely at both observations.
        let isComplete: Bool
    }

    /// Records of a source in the seconds before the earlier observation make its silence worth a look.
    static let quietSeconds = 2_592_000.0

    /// Returns the sources that differ, in the order of findings.
    ///
    /// - Parameter from: when the earlier observation was made; the later one is newer.
    static func found(in types: [TypeSources], from: Double?) -> [SourceChange] {
        var groups: [SourceRevision: Group] = [:]
        for type in types {
            for count in type.counts {
                let source = count.source
                guard source.bundleIdentifier != nil || source.sourceNameHash != nil else { continue }
                groups[source.named, default: Group()].add(count, type.isComplete, from)
            }
        }
        return groups.flatMap { source, group in group.changes(of: source, from) }.sorted(by: precedes)
    }

    private static func precedes(_ left: SourceChange, _ right: SourceChange) -> Bool {
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        if left.start != right.start { return left.start ?? -.infinity < right.start ?? -.infinity }
        return SourceRevision.precedes(left.revision, right.revision)
    }

    private var revision: SourceRevision {
        SourceRevision(
            bundleIdentifier: bundleIdentifier, productType: productType, sourceNameHash: sourceNameHash)
    }

    /// The records of a source.
    private struct Group {
        var tally = SourceTally.Entry()
        var products: [[UInt8]: (tally: SourceTally.Entry, isComplete: Bool)] = [:]
        /// `true` if a type with its records after was read completely, and if each with its latest records before was.
        var (hasComplete, areRecentComplete) = (false, true)

        mutating func add(_ count: Comparison.SourceCount, _ isComplete: Bool, _ from: Double?) {
            let entry = SourceTally.Entry(count)
            tally.add(entry)
            if count.after > 0, isComplete { hasComplete = true }
            if let from, let latest = count.latestBefore, latest >= from - SourceChange.quietSeconds, !isComplete {
                areRecentComplete = false
            }
            guard let product = count.source.productType else { return }
            var known = products[product] ?? (SourceTally.Entry(), false)
            known.tally.add(entry)
            known.isComplete = known.isComplete || count.after > 0 && isComplete
            products[product] = known
        }

        func changes(of source: SourceRevision, _ from: Double?) -> [SourceChange] {
            func change(_ kind: Kind, _ tally: SourceTally.Entry, _ product: [UInt8]? = nil) -> SourceChange {
                let end = tally.latestAfter.isFinite ? tally.latestAfter : tally.latestBefore
                return SourceChange(
                    kind: kind, bundleIdentifier: source.bundleIdentifier, sourceNameHash: source.sourceNameHash,
                    productType: product, before: tally.before, after: tally.after,
                    start: tally.earliestAfter.isFinite ? tally.earliestAfter : nil, end: end.isFinite ? end : nil)
            }
            guard tally.before > 0 else { return tally.after > 0 && hasComplete ? [change(.appeared, tally)] : [] }
            var found: [SourceChange] = []
            for (product, entry) in products where entry.tally.before == 0 && entry.isComplete {
                found.append(change(.changed, entry.tally, product))
            }
            if let from, tally.latestBefore >= from - SourceChange.quietSeconds, tally.latestAfter < from,
                areRecentComplete
            {
                found.append(change(.quiet, tally))
            }
            return found
        }
    }
}

extension SourceRevision {
    /// Name and bundle alone.
    fileprivate var named: SourceRevision {
        SourceRevision(bundleIdentifier: bundleIdentifier, sourceNameHash: sourceNameHash)
    }
}

extension SourceTally.Entry {
    init(_ count: Comparison.SourceCount) {
        (before, after) = (count.before, count.after)
        latestBefore = count.latestBefore ?? -.infinity
        (earliestAfter, latestAfter) = (count.earliestAfter ?? .infinity, count.latestAfter ?? -.infinity)
    }
}
