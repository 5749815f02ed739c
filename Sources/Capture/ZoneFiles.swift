public import Files
internal import Recording
public import Timestamps

/// The time zones of the system: TZif files under `/usr/share/zoneinfo`. Only a capture reads them
/// (`Spec/capture.md`, "Local days").
public enum ZoneFiles {
    /// The IANA name of this computer's zone: what `TZ` says, else where `/etc/localtime` leads (tzset(3)); nil if
    /// neither names a zone.
    public static var localName: [UInt8]? {
        if var name = Path.named("TZ")?.bytes {
            if name.first == UInt8(ascii: ":") { name.removeFirst() }
            return rules(name) == nil ? nil : name
        }
        let mark = Array("/zoneinfo/".utf8)
        guard let target = Path("/etc/localtime").target?.bytes, let found = target.firstRange(of: mark) else {
            return nil
        }
        let name = Array(target[found.upperBound...])
        return rules(name) == nil ? nil : name
    }

    /// Returns the rules of an IANA name; `nil` if the system has no such zone.
    public static func rules(_ name: [UInt8], in folder: Path = Path("/usr/share/zoneinfo")) -> TimeZoneRules? {
        guard TimeZoneRules.isName(name) else { return nil }
        let path = folder.appending(name)
        guard let file = try? Descriptor.reading(path), let status = try? file.status(), status.isRegular,
            status.size < 1 << 20
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let wanted = bytes.count
        guard let count = try? file.read(into: &bytes, at: 0, count: wanted), count == wanted else { return nil }
        return TimeZoneRules(tzif: bytes)
    }
}

/// Why the days of an observation go by its offset although it names a zone.
public struct ZoneProblem: Sendable, Equatable {
    /// The reasons.
    public enum Reason: String, Sendable {
        /// The system has no zone of this name.
        case unknown
        /// The zone had another offset when the observation was made.
        case otherOffset = "other_offset"
    }

    /// The name, as the source states it.
    public let name: [UInt8]
    /// The offset that counts, in seconds east of UTC.
    public let seconds: Int64
    public let reason: Reason
}

extension ObservationFacts {
    /// Finds the rules of the zone that is stated; returns why they are the offset alone, if they are although a zone
    /// is stated.
    mutating func findZone() -> ZoneProblem? {
        let fixed = TimeZoneRules(secondsFromGMT: timeZoneSecondsFromGMT ?? 0)
        zoneRules = fixed
        guard let timeZoneIdentifier else { return nil }
        func problem(_ reason: ZoneProblem.Reason) -> ZoneProblem {
            ZoneProblem(name: timeZoneIdentifier, seconds: fixed.offset(at: 0), reason: reason)
        }
        guard let rules = ZoneFiles.rules(timeZoneIdentifier) else { return problem(.unknown) }
        let offset = rules.offset(at: Int64(observedAt.rounded(.down)))
        guard timeZoneSecondsFromGMT ?? offset == offset else { return problem(.otherOffset) }
        zoneRules = rules
        return nil
    }
}
