internal import Archive

extension Comparison {
    /// The pairs of the records that disappeared and appeared, and the numbers of those in none (`Spec/changes.md`,
    /// Replaced).
    public struct Replacements: Sendable, Equatable {
        /// Records of both sides.
        public struct Sides: Sendable, Equatable {
            public internal(set) var before = 0, after = 0
        }

        /// The records that are in pairs of one kind whose measure fared alike.
        public struct Entry: Sendable {
            public let kind: Pair.Kind
            /// nil of ambiguous pairs.
            public let outcome: Pair.Outcome?
            public let sides: Sides
        }

        private var counts: [ReplacementMark: Sides] = [:]
        /// Records in no pair.
        public private(set) var left = Sides()

        /// By kind and outcome, as items spell them.
        public var entries: [Entry] {
            counts.map { Entry(kind: $0.key.kind, outcome: $0.key.outcome, sides: $0.value) }.sorted {
                ($0.kind.name, $0.outcome?.name ?? "") < ($1.kind.name, $1.outcome?.name ?? "")
            }
        }

        /// Records in pairs of these kinds; of all, unless told otherwise.
        public func paired(_ isCounted: (ReplacementMark) -> Bool = { _ in true }) -> Sides {
            var sides = Sides()
            for (mark, found) in counts where isCounted(mark) {
                sides.before += found.before
                sides.after += found.after
            }
            return sides
        }

        /// Returns `true` if a record is in a pair whose measure had this outcome.
        func has(_ outcome: Pair.Outcome) -> Bool { counts.keys.contains { $0.outcome == outcome } }

        /// `true` if a record is in an ambiguous pair.
        var areAmbiguous: Bool { counts.keys.contains { $0.kind == .ambiguous } }

        mutating func add(_ mark: ReplacementMark?, isBefore: Bool) {
            guard let mark else {
                if isBefore { left.before += 1 } else { left.after += 1 }
                return
            }
            if isBefore {
                counts[mark, default: Sides()].before += 1
            } else {
                counts[mark, default: Sides()].after += 1
            }
        }

        mutating func add(_ other: Replacements) {
            left.before += other.left.before
            left.after += other.left.after
            for (mark, sides) in other.counts {
                counts[mark, default: Sides()].before += sides.before
                counts[mark]!.after += sides.after
            }
        }
    }
}

/// The pair of a record, as the record is marked with it.
public struct ReplacementMark: Hashable, Sendable {
    public let kind: Pair.Kind
    /// nil of ambiguous pairs.
    public let outcome: Pair.Outcome?
}

extension Comparison {
    /// On which local days records of a window begin, as days since 1970.
    public struct Days: Sendable {
        /// Records in no pair that disappeared or appeared, and records with another version by the day of the one
        /// before.
        private(set) var gone: [Int64: Int] = [:], new: [Int64: Int] = [:], changed: [Int64: Int] = [:]
        /// Records before that are in pairs.
        private(set) var replaced: [ReplacementMark: [Int64: Int]] = [:]

        mutating func add(_ change: ComparedChange, on day: Int64) {
            switch (change.kind, change.mark) {
            case (.representationChanged, _): changed[day, default: 0] += 1
            case (.disappeared, nil): gone[day, default: 0] += 1
            case (.disappeared, let mark?): replaced[mark, default: [:]][day, default: 0] += 1
            case (.appeared, nil): new[day, default: 0] += 1
            case (.appeared, _): break
            }
        }

        mutating func add(_ other: Days) {
            gone.merge(other.gone, uniquingKeysWith: +)
            new.merge(other.new, uniquingKeysWith: +)
            changed.merge(other.changed, uniquingKeysWith: +)
            for (mark, days) in other.replaced { replaced[mark, default: [:]].merge(days, uniquingKeysWith: +) }
        }
    }
}
