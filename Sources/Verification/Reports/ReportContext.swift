/// What a header says that comparisons and findings depend on.
struct ReportContext: Sendable {
    /// A coverage entry: a type, the status of its run, the state of the type at the observation, and whose run it is.
    struct Run {
        var type, status, state: [UInt8]?
        var observation: Int64?
    }

    /// A type's runs, by type. More than one entry says nothing that can be relied on.
    typealias Statuses = [[UInt8]?: [Run]]

    private let thresholds: ReportValues
    /// Items whose labels these thresholds decide.
    let judged: Forms
    private let before: Statuses
    private let after: Statuses
    /// When the observation that is compared with was made, and the scope's; in Unix seconds, where they say.
    let from, to: Double?
    /// The two observations: the one that is compared with, and the scope's.
    let fromID, toID: Int64?
    /// Whether the two are of two device chains.
    let isAcrossChains: Bool
    /// Whether the scope's observation is the older one, or the newer one.
    var isReversed: Bool { fromID.flatMap { from in toID.map { from > $0 } } ?? false }
    var isForward: Bool { fromID.flatMap { from in toID.map { from < $0 } } ?? false }

    init(
        thresholds: ReportValues, judged: Forms, before: Statuses, after: Statuses, from: Double?, to: Double?,
        fromID: Int64?, toID: Int64?, isAcrossChains: Bool
    ) {
        self.isAcrossChains = isAcrossChains
        self.thresholds = thresholds
        self.judged = judged
        self.before = before
        self.after = after
        (self.from, self.to) = (from, to)
        (self.fromID, self.toID) = (fromID, toID)
    }

    /// Seconds between the two observations; nil where one has no time.
    var elapsed: Double? { to.flatMap { to in from.map { to - $0 } } }

    static func statuses(_ runs: [Run]) -> Statuses { runs.reduce(into: [:]) { $0[$1.type, default: []].append($1) } }

    /// A threshold; the header's shape says that it is there.
    func threshold(_ name: String) -> Double { thresholds.number("scope.thresholds." + name) ?? .nan }

    /// How a type's run stood in the older observation, as changes say it; nil where coverage does not say.
    func olderRun(_ type: [UInt8]?) -> [UInt8]? {
        guard let type else { return nil }
        return isReversed ? runs(type).after : runs(type).before
    }

    /// When a type was last looked for, up to the older observation; nil where the header does not say.
    func olderMoment(_ type: [UInt8]?) -> Double? {
        guard let type, let runs = (isReversed ? after : before)[type], runs.count == 1, let made = runs[0].observation
        else { return nil }
        return made == (isReversed ? toID : fromID) ? (isReversed ? to : from) : nil
    }

    /// Whether an observation is after the older of the two and up to the newer one, where these are two.
    func isBetween(_ observation: Int64) -> Bool {
        guard let fromID, let toID, fromID != toID else { return true }
        return observation > min(fromID, toID) && observation <= max(fromID, toID)
    }

    /// How a type's runs stood, as changes say it; nil where coverage does not say.
    func runs(_ type: [UInt8]) -> (before: [UInt8]?, after: [UInt8]?) {
        func text(_ runs: [Run]?) -> [UInt8]? {
            guard let runs, runs.count == 1 else { return nil }
            let unknown = Array("unknown".utf8)
            return runs[0].status == Array("completed".utf8) && runs[0].state == unknown ? unknown : runs[0].status
        }
        return (text(before[type]), text(after[type]))
    }

    /// The state of a type at the scope's observation; nil where coverage does not say.
    func stateAfter(_ type: [UInt8]?) -> [UInt8]? {
        guard let type, let runs = after[type], runs.count == 1 else { return nil }
        return runs[0].state
    }

    /// What is incomplete about a type's runs; nil where coverage does not say.
    func reasons(_ type: [UInt8]?) -> [String]? {
        guard let type, let from = before[type], let to = after[type], from.count == 1, to.count == 1 else {
            return nil
        }
        return Self.reasons("from", from[0]) + Self.reasons("to", to[0])
    }

    private static func reasons(_ side: String, _ run: Run) -> [String] {
        switch run.status.map({ String(decoding: $0, as: UTF8.self) }) {
        case "completed": run.state == Array("unknown".utf8) ? [side + "_state_unknown"] : []
        case "never_queried": [side + "_never_queried"]
        default: [side + "_run_not_completed"]
        }
    }
}
