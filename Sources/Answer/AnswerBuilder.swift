/// Puts the windows of a comparison together to an answer. Windows come by type and time.
public struct AnswerBuilder: Sendable {
    /// A window, by what its records are.
    public struct Window: Sendable {
        /// Records of one kind of pair and outcome.
        public struct Replacement: Sendable {
            public let pair: String
            public let outcome: String?
            public let before, after: Int
            /// Records before by local day.
            public let days: [Int64: Int]

            public init(pair: String, outcome: String?, before: Int, after: Int, days: [Int64: Int]) {
                (self.pair, self.outcome) = (pair, outcome)
                (self.before, self.after, self.days) = (before, after, days)
            }
        }

        /// The place of its type.
        public let type: Int
        public let label: String
        /// Unix seconds; `nil` without dates.
        public let start, end: Double?
        /// Records in no pair, and those with another version.
        public var gone = 0, new = 0, changed = 0
        public var replacements: [Replacement] = []
        /// The sum of the records before.
        public var sum: Double?
        /// Sources of the records before.
        public var sources: Set<Answer.Source> = []
        /// Records by local day.
        public var goneDays: [Int64: Int] = [:], newDays: [Int64: Int] = [:], changedDays: [Int64: Int] = [:]

        public init(type: Int, label: String, start: Double?, end: Double?) {
            (self.type, self.label, self.start, self.end) = (type, label, start, end)
        }
    }

    /// The key that distinguishes stretches, besides their sources.
    private struct Key: Hashable {
        let part: Answer.Part
        let label: String
        let isDated: Bool
    }

    /// Windows of one stretch are not farther apart, in seconds.
    private static let gap = 604_800.0

    private var answer = Answer()
    private var (gone, replaced, changed): ([Answer.Stretch], [Answer.Stretch], [Answer.Stretch]) = ([], [], [])
    /// Stretches that may go on, none with a source or a moment of another one of the same key.
    private var open: [Key: [Answer.Stretch]] = [:]
    private var type: Int?
    /// Records that begin before this local day are late.
    private let lateBefore: Int64?

    /// - Parameter lateBefore: a local day; `nil` if nothing is late.
    public init(lateBefore: Int64?) { self.lateBefore = lateBefore }

    /// Adds a type, and returns its place.
    public mutating func add(_ type: Answer.TypeFacts) -> Int {
        answer.types.append(type)
        return answer.types.count - 1
    }

    /// Adds the next window.
    public mutating func add(_ window: Window) {
        if window.type != type {
            close { _ in true }
            type = window.type
        }
        // What became of these records is not known: they count for the type.
        guard !answer.types[window.type].isUnknown else { return }
        if window.gone > 0 {
            let isAlone = window.replacements.isEmpty && window.changed == 0
            add(window, .gone, window.gone, 0, window.goneDays, sum: isAlone ? window.sum : nil, inPlace: window.new)
        }
        for entry in window.replacements where entry.before + entry.after > 0 {
            add(window, .replaced(pair: entry.pair, outcome: entry.outcome), entry.before, entry.after, entry.days)
        }
        if window.changed > 0 { add(window, .changed, window.changed, window.changed, window.changedDays) }
        guard window.new > 0 else { return }
        answer.newCount += window.new
        answer.newTypes[window.type, default: 0] += window.new
        for (day, count) in window.newDays {
            answer.newDays = Self.joined(answer.newDays, day)
            guard let lateBefore, day < lateBefore else { continue }
            answer.lateCount += count
            answer.lateTypes[window.type, default: 0] += count
            answer.lateDays = Self.joined(answer.lateDays, day)
        }
    }

    private static func joined(_ days: ClosedRange<Int64>?, _ day: Int64) -> ClosedRange<Int64> {
        min(days?.lowerBound ?? day, day)...max(days?.upperBound ?? day, day)
    }

    private mutating func add(
        _ window: Window, _ part: Answer.Part, _ count: Int, _ became: Int, _ days: [Int64: Int], sum: Double? = nil,
        inPlace: Int = 0
    ) {
        // The label of a window with other records than changed ones may be theirs.
        let isMixed = part == .changed && window.gone + window.new + window.replacements.count > 0
        let label = isMixed ? "mixed" : window.label
        let key = Key(part: part, label: label, isDated: window.start != nil)
        if let start = window.start {
            close { other in other.end.map { start - $0 > Self.gap } ?? false }
        }
        var stretch = Answer.Stretch(type: window.type, part: part, label: label)
        stretch.sources = window.sources
        (stretch.count, stretch.became, stretch.inPlace, stretch.sum) = (count, became, inPlace, sum)
        (stretch.days, stretch.start, stretch.end) = (days, window.start, window.end)
        // A window of several sources joins their stretches; then those join that a stretch reaches over.
        var others: [Answer.Stretch] = []
        for known in open[key] ?? [] {
            let isOfOne = known.sources.isEmpty && stretch.sources.isEmpty
            if isOfOne || !known.sources.isDisjoint(with: stretch.sources) {
                stretch = known.joined(stretch)
            } else {
                others.append(known)
            }
        }
        var apart: [Answer.Stretch] = []
        for known in others {
            if let end = known.end, let start = stretch.start, start <= end {
                stretch = known.joined(stretch)
            } else {
                apart.append(known)
            }
        }
        open[key] = apart + [stretch]
    }

    /// Ends the stretches for which a condition holds.
    private mutating func close(_ isEnded: (Answer.Stretch) -> Bool) {
        for (key, stretches) in open {
            for stretch in stretches where isEnded(stretch) {
                switch stretch.part {
                case .gone: gone.append(stretch)
                case .replaced: replaced.append(stretch)
                case .changed: changed.append(stretch)
                }
            }
            open[key] = stretches.filter { !isEnded($0) }
        }
    }

    /// Returns the answer, with its largest stretches first.
    public mutating func finish() -> Answer {
        close { _ in true }
        answer.gone = Answer.Stretches(sorted(gone))
        answer.replaced = Answer.Stretches(sorted(replaced))
        answer.changed = Answer.Stretches(sorted(changed))
        return answer
    }

    private func sorted(_ stretches: [Answer.Stretch]) -> [Answer.Stretch] {
        stretches.sorted { left, right in
            if left.count != right.count { return left.count > right.count }
            if left.type != right.type { return left.type < right.type }
            if left.start != right.start { return (left.start ?? -.infinity) < (right.start ?? -.infinity) }
            return Self.order(left) < Self.order(right)
        }
    }

    /// Returns a text that distinguishes stretches of one type and moment.
    private static func order(_ stretch: Answer.Stretch) -> String {
        let sources = stretch.sources.map { "\($0.bundle ?? []) \($0.nameHash ?? [])" }.sorted()
        return "\(stretch.part) \(stretch.label) \(sources)"
    }
}
