internal import Archive
internal import Measures
internal import SQLite

/// The units of stored quantities, proved for each type from the rows that state an original quantity
/// (`Spec/iphone-backup.md`, "Units").
struct HealthUnits {
    /// The unit of each type that has one.
    private(set) var units: [Int64: String] = [:]
    /// Types whose rows contradict each other or the unit that was measured elsewhere.
    private(set) var contradicted: Set<Int64> = []

    /// The values of a type that are compared.
    fileprivate struct Candidate {
        var measure: Measure
        var units: [String]
        var hasProof = false
    }

    /// The most pairs of a type and an original unit.
    private static let pairLimit = 10_000

    /// Reads all rows that state an original quantity.
    init(_ database: HealthDatabase) throws(ArchiveError) {
        let wanted = ["original_quantity", "original_unit"]
        guard database.has("quantity_samples", wanted), database.has("unit_strings", ["unit_string"]) else { return }
        let rows = """
            FROM quantity_samples q CROSS JOIN samples s ON s.data_id = q.data_id \
            CROSS JOIN unit_strings u ON u.ROWID = q.original_unit WHERE q.original_quantity IS NOT NULL
            """
        var candidates = try Self.candidates(database, rows)
        var statement = try database.samples.prepare(
            "SELECT s.data_type, u.unit_string, q.quantity, q.original_quantity \(rows)")
        while try statement.step() {
            guard let type = statement.integer(0), let unit = statement.text(1), let stored = statement.real(2),
                let original = statement.real(3), original != 0
            else { continue }
            candidates[type]?.compare(stored: stored, original: original, in: unit)
        }
        for (type, candidate) in candidates {
            if candidate.units.isEmpty {
                contradicted.insert(type)
            } else if candidate.hasProof {
                units[type] = candidate.units.min()
            }
        }
    }

    /// Returns the unit of a type: proved, or measured elsewhere and not contradicted here.
    func unit(of type: Int64) -> String? {
        contradicted.contains(type) ? nil : units[type] ?? HealthTypes.measuredUnit(type)
    }

    /// Returns the units that may be stored, by type: the measured one, else each original one.
    private static func candidates(_ database: HealthDatabase, _ rows: String) throws(ArchiveError)
        -> [Int64: Candidate]
    {
        var candidates: [Int64: Candidate] = [:]
        var statement = try database.samples.prepare(
            "SELECT DISTINCT s.data_type, u.unit_string \(rows) LIMIT \(pairLimit)")
        while try statement.step() {
            guard let type = statement.integer(0), let unit = statement.text(1) else { continue }
            let measure = Measure(of: Array(HealthTypes.identifier(type).utf8))
            let measured = HealthTypes.measuredUnit(type)
            candidates[type, default: Candidate(measure: measure, units: measured.map { [$0] } ?? [])].add(
                unit, isMeasured: measured != nil)
        }
        return candidates
    }
}

extension HealthUnits.Candidate {
    fileprivate mutating func add(_ unit: String, isMeasured: Bool) {
        if !isMeasured, !units.contains(unit) { units.append(unit) }
    }

    /// Leaves out the units in which the stored quantity is not the original one. Units that cannot be compared prove
    /// nothing.
    fileprivate mutating func compare(stored: Double, original: Double, in unit: String) {
        let from = measure.conversion(from: Array(unit.utf8))
        units.removeAll { candidate in
            let expected: Double
            let found: Double
            if candidate == unit {
                (expected, found) = (original, stored)
            } else if let from, let to = measure.conversion(from: Array(candidate.utf8)) {
                (expected, found) = (from(original), to(stored))
            } else {
                return false
            }
            hasProof = true
            return (expected - found).magnitude > 1e-9 * max(expected.magnitude, found.magnitude)
        }
    }
}
