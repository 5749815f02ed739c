public import Answer
public import Archive
internal import Changes
internal import SQLite
internal import Timestamps

/// The time that records of more than one source cover.
private struct SourceOverlap {
    /// Records that were looked at.
    let recordCount: Int
    /// The part of the time covered by any source that two or more sources cover, from 0 to 1.
    let share: Double
    /// `true` if the records are of phones and watches, and of nothing else.
    let arePhoneAndWatch: Bool
}

extension Archive {
    /// Versions of all types that are looked at.
    private static let mostLookedAt = 200_000

    /// Adds to an answer how much of the time behind the sums that are shown is of several sources.
    ///
    /// - Parameter scope: of all records; the answer to a selection stays as it is.
    public func addOverlaps(to answer: inout Answer, of scope: Scope) throws(ArchiveError) {
        guard let from = scope.fromObservationID, scope.filter == Filter() else { return }
        for place in answer.gone.largest.indices.prefix(Answer.shownStretches) {
            let stretch = answer.gone.largest[place]
            guard stretch.sum != nil, stretch.sources.count > 1, let span = stretch.span,
                let overlap = try overlapOfGone(
                    answer.types[stretch.type].identifier, from: from, to: scope.observationID, days: span),
                // Else others of the type are missing on these days.
                overlap.recordCount == stretch.count
            else { continue }
            answer.gone.largest[place].overlap = overlap.share
            answer.gone.largest[place].isOverlapOfPhoneAndWatch = overlap.arePhoneAndWatch
        }
    }

    /// Looks at the records of a type that begin on some local days of the later observation, are visible at the
    /// earlier one and at the later one no more.
    ///
    /// - Returns: `nil` if they cover no time. Of more than 200,000 versions of any type that begin on these days, some
    ///   are left out, which `recordCount` tells.
    private func overlapOfGone(
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
            SELECT v.start_date, v.end_date, v.source_revision_id, v.hk_device_id
            FROM (SELECT id, sample_id, start_date, end_date, source_revision_id, hk_device_id FROM sample_versions
                WHERE start_date >= ?1 AND start_date < ?2 LIMIT \(Self.mostLookedAt)) v
                CROSS JOIN samples s ON s.id = v.sample_id CROSS JOIN sample_types t ON t.id = s.sample_type_id
            WHERE t.type_identifier = ?3 AND \(isVisible(from, " AND r.version_id = v.id")) AND NOT \(isVisible(to, ""))
            """)
        rows.bind(1, Double(days.start(of: span.lowerBound)))
        rows.bind(2, Double(days.start(of: span.upperBound + 1)))
        rows.bind(3, text: Array(type.utf8))
        var makers = try MakerReader(connection)
        var intervals: [Int: [Interval]] = [:]
        var devices: Set<DayRecord.Maker.Device> = []
        var count = 0
        while try rows.step() {
            guard let start = rows.date(0).map(Microseconds.of) else { continue }
            let end = max(start, rows.date(1).map(Microseconds.of) ?? start)
            let made = try makers.read(source: rows.exactInteger(2), device: rows.exactInteger(3))
            count += 1
            devices.insert(made.device)
            intervals[made.source, default: []].append(Interval(start: start, end: end))
        }
        // Overlap inside one source is none.
        let all = intervals.values.flatMap { $0.sorted { $0.start < $1.start }.union }.sorted { $0.start < $1.start }
        let covered = all.union.length
        guard covered > 0 else { return nil }
        return SourceOverlap(
            recordCount: count, share: Double(all.doubled) / Double(covered),
            arePhoneAndWatch: devices == [.phone, .watch])
    }
}
