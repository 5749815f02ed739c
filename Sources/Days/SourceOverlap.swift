public import Archive
internal import Changes
internal import SQLite
internal import Timestamps

/// The time that records of more than one source cover.
public struct SourceOverlap: Sendable {
    /// Records that were looked at.
    public let recordCount: Int
    /// The part of the time covered by any source that two or more sources cover, from 0 to 1.
    public let share: Double
    /// `true` if the records are of phones and watches, and of nothing else.
    public let arePhoneAndWatch: Bool
}

extension Archive {
    /// Versions of all types that are looked at.
    private static let mostLookedAt = 200_000

    /// Looks at the records of a type that begin on some local days of the later observation, are visible at the
    /// earlier one and at the later one no more.
    ///
    /// - Returns: `nil` if they cover no time, or too many records of any type begin on these days.
    public func overlapOfGone(
        _ type: String, from: Int64, to: Int64, days span: ClosedRange<Int64>
    ) throws(ArchiveError) -> SourceOverlap? {
        let query = try query(for: Scope(mode: .pointInTime, observationID: to))
        var zones = try ObservationZones(connection)
        let days = try zones.zone(of: to)?.days ?? LocalDays(TimeZoneRules(secondsFromGMT: 0))
        func isVisible(_ observation: Int64, _ more: String) -> String {
            """
            EXISTS (SELECT 1 FROM sample_visibility_ranges r WHERE r.sample_id = v.sample_id\(more)
                AND \(query.isVisible("r", at: observation)))
            """
        }
        var rows = try connection.prepare(
            """
            SELECT t.type_identifier = ?3 AND \(isVisible(from, " AND r.version_id = v.id"))
                AND NOT \(isVisible(to, "")), v.start_date, v.end_date, v.source_revision_id, v.hk_device_id
            FROM sample_versions v CROSS JOIN samples s ON s.id = v.sample_id
                LEFT JOIN sample_types t ON t.id = s.sample_type_id
            WHERE v.start_date >= ?1 AND v.start_date < ?2 LIMIT \(Self.mostLookedAt)
            """)
        rows.bind(1, Double(days.start(of: span.lowerBound)))
        rows.bind(2, Double(days.start(of: span.upperBound + 1)))
        rows.bind(3, text: Array(type.utf8))
        var makers = try MakerReader(connection)
        var intervals: [Int: [Interval]] = [:]
        var devices: Set<DayRecord.Maker.Device> = []
        var (looked, count) = (0, 0)
        while try rows.step() {
            looked += 1
            guard rows.integer(0) == 1, let start = rows.date(1).map(Microseconds.of) else { continue }
            let end = max(start, rows.date(2).map(Microseconds.of) ?? start)
            let made = try makers.read(source: rows.exactInteger(3), device: rows.exactInteger(4))
            count += 1
            devices.insert(made.device)
            intervals[made.source, default: []].append(Interval(start: start, end: end))
        }
        guard looked < Self.mostLookedAt else { return nil }
        // Overlap inside one source is none.
        let all = intervals.values.flatMap { $0.sorted { $0.start < $1.start }.union }.sorted { $0.start < $1.start }
        let covered = all.union.length
        guard covered > 0 else { return nil }
        return SourceOverlap(
            recordCount: count, share: Double(all.doubled) / Double(covered),
            arePhoneAndWatch: devices == [.phone, .watch])
    }
}
