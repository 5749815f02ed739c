internal import SQLite
internal import Timestamps

/// The local dates of observations, each by its own days.
package struct ObservationDates: ~Copyable {
    private var zones: ObservationZones

    /// Prepares the look-up.
    package init(_ connection: borrowing Connection) throws(ArchiveError) {
        zones = try ObservationZones(connection)
    }

    /// Returns the local date of an observation, as days since 1970; `nil` if there is none.
    package mutating func date(of id: Int64) throws(ArchiveError) -> Int64? {
        guard let zone = try zones.zone(of: id), let moment = zone.moment,
            moment >= Double(Calendar.range.lowerBound), moment < Double(Calendar.range.upperBound)
        else { return nil }
        var days = zone.days
        return days.date(of: moment)
    }

    /// Returns a date as `2024-03-31`; `nil` outside the years 1 to 9999.
    package static func text(_ date: Int64) -> String? {
        guard let text = try? TimestampText(Double(date) * 86_400) else { return nil }
        return String(text.string.prefix(10))
    }
}
