internal import Archive
internal import Derivation
internal import SQLite

/// The sums of a chain's visible types, kept from one observation to the next. Changes of an observation are added and
/// subtracted, instead of reading all records again.
///
/// It lives as long as its process writes to one archive, and is forgotten where anything else wrote to it.
public final class AggregateMemory {
    private struct Place: Equatable {
        let chainID, observationID, version: Int64
    }

    /// After which observation the groups are what is visible.
    private var place: Place?
    private var groups: [Int64: AggregateGroup] = [:]

    /// Nothing is known.
    public init() {}

    /// Forgets everything that is known.
    func forget() {
        place = nil
        groups.removeAll()
    }

    /// Brings what is known from the observation before to this one, and gives it by type: nothing where it does not
    /// go on, or where much changed, which is read faster from the start.
    func advance(
        to observationID: Int64, of chainID: Int64, after predecessor: Int64, types: [Int64: [UInt8]],
        amounts: Amounts, _ connection: borrowing Connection
    ) throws(ArchiveError) -> [Int64: AggregateGroup] {
        let expected = Place(
            chainID: chainID, observationID: predecessor, version: try Self.version(connection))
        guard place == expected else {
            forget()
            return [:]
        }
        let closed = "r.last_observation_id = \(observationID) AND r.first_observation_id < \(observationID)"
        let opened = "r.first_observation_id = \(observationID) AND r.last_observation_id IS NULL"
        let lost = try Self.read(closed, types, amounts, connection)
        let gained = try Self.read(opened, types, amounts, connection)
        let (before, change) = (total(groups), total(lost) + total(gained))
        for type in Set(lost.keys).union(gained.keys) {
            guard var group = groups.removeValue(forKey: type) else { continue }
            if group.change(adding: gained[type], removing: lost[type]) { groups[type] = group }
        }
        place = nil
        return change * 4 <= before ? groups : [:]
    }

    /// Keeps what is visible after an observation: of types that were read, that; of others what goes on.
    func keep(
        _ read: [Int64: AggregateGroup], after observationID: Int64, of chainID: Int64,
        _ connection: borrowing Connection
    ) throws(ArchiveError) {
        groups.merge(read) { _, new in new }
        place = Place(chainID: chainID, observationID: observationID, version: try Self.version(connection))
    }

    private func total(_ groups: [Int64: AggregateGroup]) -> Int64 { groups.values.reduce(0) { $0 + $1.count } }

    /// Ranges by type. What many observations did not change is not read.
    private static func read(
        _ condition: String, _ types: [Int64: [UInt8]], _ amounts: Amounts, _ connection: borrowing Connection
    ) throws(ArchiveError) -> [Int64: AggregateGroup] {
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, v.start_date, v.end_date, v.numeric_value, \(amounts.unitColumn) \
            FROM sample_visibility_ranges r CROSS JOIN sample_versions v ON v.id = r.version_id
                CROSS JOIN samples s ON s.id = r.sample_id WHERE \(condition) ORDER BY 1
            """)
        var amounts = amounts
        var groups: [Int64: AggregateGroup] = [:]
        var (type, group) = (Int64?.none, AggregateGroup())
        while try rows.step() {
            if let next = rows.integer(0), next != type {
                if let type { groups[type] = group }
                (type, group) = (next, AggregateGroup())
                amounts.begin(type: types[next] ?? [])
            }
            group.add(start: rows.real(1), end: rows.real(2), amount: amounts.amount(rows, value: 3, unit: 4))
        }
        if let type { groups[type] = group }
        return groups
    }

    /// Returns the version of the data: another one if another connection wrote (manual, PRAGMA data_version).
    private static func version(_ connection: borrowing Connection) throws(ArchiveError) -> Int64 {
        try connection.integer("PRAGMA data_version") ?? 0
    }
}
