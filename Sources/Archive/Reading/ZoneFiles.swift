internal import Files
public import Timestamps

/// The time zones of the system: TZif files under `/usr/share/zoneinfo`.
public enum ZoneFiles {
    /// The rules of an IANA name; nil where the system has no such zone.
    public static func rules(_ name: [UInt8]) -> TimeZoneRules? {
        guard TimeZoneRules.isName(name) else { return nil }
        let path = Path("/usr/share/zoneinfo").appending(name)
        guard let file = try? Descriptor.reading(path), let status = try? file.status(), status.isRegular,
            status.size < 1 << 20
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let wanted = bytes.count
        guard let count = try? file.read(into: &bytes, at: 0, count: wanted), count == wanted else { return nil }
        return TimeZoneRules(tzif: bytes)
    }

    /// The rules of an observation: those of its zone, else its offset, else UTC.
    package static func rules(identifier: [UInt8]?, seconds: Int64?) -> TimeZoneRules {
        if let identifier, let rules = rules(identifier) { return rules }
        return TimeZoneRules(secondsFromGMT: seconds ?? 0)
    }
}
