internal import SQLite

/// The totals of an observation's summaries, over all sample types. Lists and the report cache have their figures from
/// here.
public struct ObservationTotals: Sendable {
    /// Records that are visible at the observation on its chain, of types without a run in it too; `nil` without a
    /// summary up to it.
    public let visible: Int64?
    /// The changes against the observation before.
    public let appeared, disappeared, representationChanged: Int64
    /// Sample types that were asked for and of which it is unknown what is visible; `nil` if the archive does not say.
    public internal(set) var unknownTypes: Int64?
}

extension Archive {
    /// Returns the totals of all finished observations by id. What is visible of a type is what the newest summary at
    /// or before an observation says.
    ///
    /// - Complexity: one pass over the summaries, in the order of chain and observation.
    public func observationTotals() throws(ArchiveError) -> [Int64: ObservationTotals] {
        var rows = try connection.prepare(
            """
            SELECT o.device_chain_id, o.id, s.sample_type_id, s.visible_record_count, s.appeared_count,
                s.disappeared_count, s.representation_changed_count
            FROM observations o LEFT JOIN observation_type_summaries s ON s.observation_id = o.id
            WHERE typeof(o.id) = 'integer' AND o.status NOT IN ('running', 'started') ORDER BY o.device_chain_id, o.id
            """)
        var totals: [Int64: ObservationTotals] = [:]
        var chain: Int64?
        var visible: [Int64: Int64] = [:]
        var (current, sum, changes) = (Int64?.none, Int64(0), (Int64(0), Int64(0), Int64(0)))
        func end() {
            guard let current else { return }
            totals[current] = ObservationTotals(
                visible: visible.isEmpty ? nil : sum, appeared: changes.0, disappeared: changes.1,
                representationChanged: changes.2)
        }
        while try rows.step() {
            guard let id = rows.exactInteger(1) else { continue }
            if id != current {
                end()
                if rows.integer(0) != chain || current == nil {
                    visible.removeAll()
                    sum = 0
                }
                (chain, current, changes) = (rows.integer(0), id, (0, 0, 0))
            }
            guard let type = rows.exactInteger(2) else { continue }
            let count = rows.integer(3) ?? 0
            sum = sum &+ count &- (visible.updateValue(count, forKey: type) ?? 0)
            changes = (
                changes.0 &+ (rows.integer(4) ?? 0), changes.1 &+ (rows.integer(5) ?? 0),
                changes.2 &+ (rows.integer(6) ?? 0)
            )
        }
        end()
        guard try Schema.hasCaptureFacts(connection) else { return totals }
        var unknown = try connection.prepare(
            """
            SELECT u.observation_id, sum(f.state IS NOT 'verified' AND f.state IS NOT 'continued')
            FROM observation_type_runs u LEFT JOIN type_run_facts f ON f.type_run_id = u.id GROUP BY 1
            """)
        for id in Array(totals.keys) { totals[id]?.unknownTypes = 0 }
        while try unknown.step() {
            if let id = unknown.exactInteger(0) { totals[id]?.unknownTypes = unknown.integer(1) ?? 0 }
        }
        return totals
    }
}
