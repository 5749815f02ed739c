internal import SQLite
package import Timestamps

/// The local dates of observations, each in its own zone; zones are read once.
package struct ObservationDates: ~Copyable {
    /// What is read of one observation, by its id.
    package static let query =
        "SELECT observed_at, time_zone_identifier, time_zone_seconds_from_gmt FROM observations WHERE id = ?1"

    private struct Zone: Hashable {
        let identifier: [UInt8]?
        let seconds: Int64?
    }

    private var zones: [Zone: LocalDays] = [:]

    /// Creates dates that know no zone yet.
    package init() {}

    /// The days of the zone in the second and third column of a row.
    package mutating func days(_ row: borrowing Statement) -> LocalDays {
        let zone = Zone(identifier: row.isNull(1) ? nil : row.bytes(1), seconds: row.exactInteger(2))
        if let days = zones[zone] { return days }
        let days = LocalDays(ZoneFiles.rules(identifier: zone.identifier, seconds: zone.seconds))
        zones[zone] = days
        return days
    }

    /// The local date of a row, as days since 1970; nil where its moment is none.
    package mutating func date(_ row: borrowing Statement) -> Int64? {
        guard let moment = row.real(0) ?? row.exactInteger(0).map(Double.init),
            moment >= Double(Calendar.range.lowerBound), moment < Double(Calendar.range.upperBound)
        else { return nil }
        var days = days(row)
        return days.date(of: moment)
    }

    /// `2024-03-31`; nil outside the years 1 to 9999.
    package static func text(_ date: Int64) -> String? {
        guard let text = try? TimestampText(Double(date) * 86_400) else { return nil }
        return String(text.string.prefix(10))
    }
}
