public import Archive
internal import SQLite
internal import Timestamps

/// The question of a day report besides its scope (`Spec/days.md`, "Question").
public struct DayQuestion: Sendable, Equatable {
    /// The choice of amounts that are kept if sources overlap.
    public enum Method: String, CaseIterable, Sendable { case sources, greatest, cover }

    /// The period of an item.
    public enum Period: String, CaseIterable, Sendable { case day, month }

    public let method: Method
    public let period: Period
    /// Bundle identifiers and hashes of names of the sources that come first, in this order, each once.
    public let preferred: [String]

    /// - Parameter preferred: repetitions are removed.
    public init(method: Method, period: Period, preferred: [String] = []) {
        self.method = method
        self.period = period
        var seen: Set<[UInt8]> = []
        self.preferred = preferred.filter { seen.insert(Array($0.utf8)).inserted }
    }
}

/// The rules of an observation's local days, as a header states them.
public struct DayZone: Sendable, Equatable {
    /// The origin of the days (`Spec/capture.md`, "Local days").
    public enum Basis: String, Sendable { case buckets, offset, rules }

    public let basis: Basis
    /// The one offset from UTC in seconds; `nil` if it changes, or the days are those of buckets.
    public let offsetSeconds: Int64?
    /// The hash of the stored rules.
    public let rulesHash: String?
}

extension Archive {
    /// Reads what decides the local days of an observation.
    public func dayZone(of observation: Int64) throws(ArchiveError) -> DayZone {
        var zones = try ObservationZones(connection)
        guard let zone = try zones.zone(of: observation) else {
            return DayZone(basis: .offset, offsetSeconds: 0, rulesHash: nil)
        }
        return switch zone.key {
        case .stored(let hash):
            DayZone(
                basis: .rules, offsetSeconds: zone.rules.onlyOffset, rulesHash: String(decoding: hash, as: UTF8.self))
        case .named: DayZone(basis: .buckets, offsetSeconds: nil, rulesHash: nil)
        case .offset: DayZone(basis: .offset, offsetSeconds: zone.rules.onlyOffset, rulesHash: nil)
        }
    }
}
