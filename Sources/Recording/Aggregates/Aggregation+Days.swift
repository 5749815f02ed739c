internal import Archive
internal import Derivation
internal import SQLite

extension Aggregation {
    /// Writes the rows of types of which it is known what is visible: their summaries, and the days that an event
    /// changed, which alone are read.
    func write(
        _ known: [Int64: AggregateGroup], _ connection: borrowing Connection, _ writer: inout AggregateWriter
    ) throws(ArchiveError) {
        guard !known.isEmpty else { return }
        for (type, group) in known.sorted(by: { $0.key < $1.key }) where summarized.contains(type) {
            var (group, amounts) = (group, amounts)
            amounts.begin(type: types[type] ?? [])
            try writer.write(
                group.values(areSummed: amounts.areSummed), type: type, identifier: types[type] ?? [],
                events[type] ?? EventCounts())
        }
        let list = known.keys.map(String.init).joined(separator: ",")
        // A day is shorter than 48 hours, also where a zone leaves out a date.
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, a.day, v.source_revision_id, v.start_date, v.end_date, v.numeric_value,
                \(amounts.unitColumn) \
            FROM (SELECT DISTINCT day FROM temp.affected WHERE type IN (\(list))) a \
            CROSS JOIN sample_versions v ON v.start_date >= a.day AND v.start_date < a.day + 172800 \
            CROSS JOIN samples s ON s.id = v.sample_id CROSS JOIN sample_visibility_ranges r
                ON r.sample_id = v.sample_id AND r.version_id = v.id \
            WHERE hp_day(v.start_date) = a.day AND s.sample_type_id IN (\(list)) AND r.last_observation_id IS NULL \
            AND EXISTS (SELECT 1 FROM temp.affected t WHERE t.type = s.sample_type_id AND t.day = a.day) \
            \(try onChain(connection)) ORDER BY 1, 2, 3
            """)
        var take = try connection.prepare("DELETE FROM temp.affected WHERE type = ?1 AND day = ?2")
        var pass = AggregationPass(types: types, summarized: [], events: events, days: days, amounts: amounts)
        while try rows.step() {
            let (type, day, revision) = (rows.integer(0), rows.real(1), rows.integer(2))
            if type != pass.type { try pass.begin(type: type, &writer) }
            if day != pass.day || pass.isAtDayStart {
                // The rows were sorted, and so were all read before the first.
                take.bind(1, optional: type)
                take.bind(2, day)
                try take.run()
                try pass.begin(day: day, isWanted: true, &writer)
            }
            if revision != pass.revision { try pass.begin(revision: revision, &writer) }
            pass.add(rows)
        }
        try pass.endType(&writer)
    }
}
