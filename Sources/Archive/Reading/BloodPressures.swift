internal import CanonicalJSON
internal import SQLite

extension Archive {
    /// Blood pressures that are read at most: if there are more, none is.
    private static let mostPressures = 200_000

    /// The two values of one blood pressure, as far as they are read.
    private struct Pressure {
        var systolic, diastolic: Double?
        let unit: String?
        var isAmbiguous = false

        var text: String? {
            guard !isAmbiguous, let systolic, let diastolic, let unit, !unit.isEmpty else { return nil }
            let numbers = [systolic, diastolic].map { number in
                var json = Writer()
                json.number(number)
                return String(decoding: json.bytes, as: UTF8.self)
            }
            return "\(numbers[0])/\(numbers[1]) \(unit)"
        }
    }

    /// Reads the blood pressures of an observation, such as `118/76 mmHg`, by the row ids of their samples. They are
    /// the values that the linked records of both kinds have, if each has one and both have one unit of at most 64
    /// bytes.
    ///
    /// - Complexity: a look at each blood pressure, and one at each value; memory for 200,000 blood pressures at most.
    package func bloodPressures(at observation: Int64) throws(ArchiveError) -> [Int64: String] {
        let query = try query(for: Scope(mode: .pointInTime, observationID: observation))
        let kind = "HKQuantityTypeIdentifierBloodPressure"
        var rows = try connection.prepare(
            """
            SELECT s.id, t.type_identifier = '\(kind)Systolic', r.version_id
            FROM sample_types b CROSS JOIN samples s ON s.sample_type_id = b.id
                CROSS JOIN sample_relationships e
                    ON e.source_sample_id = s.id AND e.relationship_kind = 'correlation_member'
                CROSS JOIN samples m ON m.id = e.target_sample_id CROSS JOIN sample_types t ON t.id = m.sample_type_id
                CROSS JOIN sample_visibility_ranges r ON r.sample_id = m.id
            WHERE b.type_identifier = 'HKCorrelationTypeIdentifierBloodPressure'
                AND t.type_identifier IN ('\(kind)Systolic', '\(kind)Diastolic')
                AND (e.observation_id IS NULL OR \(query.isKnown("e.observation_id", at: observation)))
                \(query.isCurrent("e")) AND \(query.isVisible("r", at: observation))
            """)
        // Many blood pressures may share a value, whose unit may be long: each value is read once.
        var version = try connection.prepare("SELECT numeric_value, unit FROM sample_versions WHERE id = ?1")
        var values: [Int64: (number: Double?, unit: String?)] = [:]
        var found: [Int64: Pressure] = [:]
        while try rows.step() {
            guard let sample = rows.exactInteger(0), let id = rows.exactInteger(2) else { continue }
            if values[id] == nil {
                guard values.count < 2 * Self.mostPressures else { return [:] }
                version.reset()
                version.bind(1, id)
                let isThere = try version.step()
                let unit = isThere && version.withBytes(1, { $0.count <= 64 }) ? version.text(1) : nil
                values[id] = (isThere ? version.real(0) : nil, unit)
            }
            guard let (number, unit) = values[id], let value = number, value.isFinite else { continue }
            var pressure = found[sample] ?? Pressure(unit: unit)
            let part: WritableKeyPath<Pressure, Double?> = rows.integer(1) == 1 ? \.systolic : \.diastolic
            if pressure.unit != unit || pressure[keyPath: part].map({ $0 != value }) ?? false {
                pressure.isAmbiguous = true
            }
            pressure[keyPath: part] = value
            found[sample] = pressure
            guard found.count <= Self.mostPressures else { return [:] }
        }
        return found.compactMapValues(\.text)
    }
}
