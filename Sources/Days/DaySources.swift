internal import Bytes

/// A source: all versions of one bundle identifier and hash of a name, each there or not (`Spec/days.md`, "Sources").
package struct DaySource: Hashable, Sendable {
    package var nameHash: [UInt8]?
    package var bundle: [UInt8]?

    /// Returns `true` if one source comes before another: by the hash of the name, then by the bundle identifier;
    /// absent first.
    static func precedes(_ left: DaySource, _ right: DaySource) -> Bool {
        for (one, other) in [(left.nameHash, right.nameHash), (left.bundle, right.bundle)] where one != other {
            guard let one, let other else { return one == nil }
            return one.lexicographicallyPrecedes(other)
        }
        return false
    }
}

/// The sources of an archive by number. There are few of them.
struct DaySources {
    private(set) var all: [DaySource] = []
    private var numbers: [DaySource: Int] = [:]

    mutating func number(of source: DaySource) -> Int {
        if let number = numbers[source] { return number }
        numbers[source] = all.count
        all.append(source)
        return all.count - 1
    }
}

/// The evidence of a source's rank in its records on a day.
struct SourceStanding {
    let source: Int
    /// Records that start there.
    var started = 0
    /// The union of the time of its records.
    var covered: Int64 = 0
    private var areAllUserEntered = true
    private var device = DayRecord.Maker.Device.unknown

    init(_ source: Int) { self.source = source }

    mutating func add(_ maker: DayRecord.Maker) {
        if !maker.isUserEntered { areAllUserEntered = false }
        if maker.device.rawValue > device.rawValue { device = maker.device }
    }

    mutating func add(_ other: SourceStanding) {
        started += other.started
        covered += other.covered
        areAllUserEntered = areAllUserEntered && other.areAllUserEntered
        if other.device.rawValue > device.rawValue { device = other.device }
    }

    var sourceClass: SourceClass {
        if areAllUserEntered { return .userEntered }
        return switch device {
        case .watch: .watch
        case .phone: .phone
        case .unknown: .unknown
        }
    }
}

/// The class of a source on a day, in the order of ranks.
package enum SourceClass: Int, Sendable {
    case userEntered, watch, phone, unknown

    /// As items have it.
    package var name: String {
        switch self {
        case .userEntered: "user_entered"
        case .watch: "watch"
        case .phone: "phone"
        case .unknown: "unknown"
        }
    }
}

/// In which order sources come.
struct SourceRanking {
    let sources: [DaySource]
    /// Of each source the place of the first preferred text that names it.
    private var preferred: [Int]
    /// Of each source its place in the order of hashes and bundle identifiers.
    private var order: [Int]

    init(_ sources: DaySources, preferred texts: [String]) {
        let texts = texts.map { Array($0.utf8) }
        self.sources = sources.all
        preferred = sources.all.map { source in
            texts.firstIndex { $0 == source.bundle || $0 == source.nameHash } ?? texts.count
        }
        order = [Int](repeating: 0, count: sources.all.count)
        let sorted = sources.all.indices.sorted { DaySource.precedes(sources.all[$0], sources.all[$1]) }
        for (place, source) in sorted.enumerated() { order[source] = place }
    }

    /// Returns the place of a source by its hash and bundle identifier.
    func place(of source: Int) -> Int { order[source] }

    /// Returns `true` if a source comes before another on a day.
    func precedes(_ left: SourceStanding, _ right: SourceStanding) -> Bool {
        func keys(_ standing: SourceStanding) -> [Int64] {
            [
                Int64(preferred[standing.source]), Int64(standing.sourceClass.rawValue), -standing.covered,
                -Int64(standing.started), Int64(order[standing.source]),
            ]
        }
        return keys(left).lexicographicallyPrecedes(keys(right))
    }
}
