internal import SQLite

/// The SQL of pairs: the records that disappeared and appeared, and where what is found of them is kept.
extension RecordQuery {
    /// How many records appeared, and how many disappeared, once the tables of the changes are there: kind, count.
    static let oneSidedCounts =
        "SELECT kind, count(*) FROM (\(onOneSide(.appeared)) UNION ALL \(onOneSide(.disappeared))) GROUP BY kind"

    /// How many samples are visible at the one observation, at the other, and at both.
    static let standing = """
        SELECT sum(is_before), sum(is_after), sum(is_before AND is_after) FROM (
            SELECT max(is_before) AS is_before, max(is_after) AS is_after FROM temp.change_sides GROUP BY sample_id)
        """

    /// Which pair a record is in: its kind and its keys, as `PairMark` has them.
    static let pairMarks = [
        "CREATE TEMP TABLE IF NOT EXISTS pair_marks(sample_id, version_id, kind, keys, PRIMARY KEY "
            + "(sample_id, version_id)) WITHOUT ROWID",
        "DELETE FROM temp.pair_marks",
    ]

    static let insertPairMark = "INSERT OR IGNORE INTO temp.pair_marks VALUES (?1, ?2, ?3, ?4)"

    /// The records of these kinds that the filter selects, of samples with one version on their side, as
    /// `PairColumn`.
    func pairRecords(_ kinds: [RowBatch.Kind]) -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = selection()
        let sides = kinds.map(Self.onOneSide).joined(separator: " UNION ALL ")
        return (
            """
            SELECT p.kind, s.sample_type_id, p.sample_id, p.version_id, v.start_date, v.end_date, v.numeric_value,
                v.duration_seconds, v.category_value, v.workout_activity_type, v.value_kind, v.unit,
                o.bundle_identifier, c.product_type, o.source_name_hash, s.sample_uuid_hash, s.strict_fingerprint,
                v.payload_hash, v.source_revision_id IS NOT NULL AND o.id IS NULL \
            FROM (\(sides)) p \
            CROSS JOIN samples s ON s.id = p.sample_id CROSS JOIN sample_versions v ON v.id = p.version_id \
            LEFT JOIN source_revisions c ON c.id = v.source_revision_id LEFT JOIN sources o ON o.id = c.source_id \
            WHERE NOT EXISTS (SELECT 1 FROM temp.change_sides x WHERE x.sample_id = p.sample_id
                AND x.version_id IS NOT p.version_id)\(conditions)
            """, parameters
        )
    }
}

/// Columns of a record that may be in a pair.
enum PairColumn: Int32 {
    case kind, type, sampleID, versionID, start, end, value, duration, category, activity, valueKind, unit, bundle
    case product, nameHash, uuidHash, strictFingerprint, payload
    /// Whether the version names a source that does not exist.
    case lacksSource
}

extension Statement {
    /// A record; nil where it has a defect in what pairs look at.
    func pairRecord(_ context: ExportContext, _ table: PairTextTable) -> PairRecord? {
        guard integer(PairColumn.lacksSource.rawValue) == 0,
            let type = context.typeIndex(exactInteger(PairColumn.type.rawValue)),
            let sample = exactInteger(PairColumn.sampleID.rawValue),
            let version = exactInteger(PairColumn.versionID.rawValue),
            let start = date(PairColumn.start.rawValue), let end = date(PairColumn.end.rawValue), end >= start,
            let payload = carryableText(PairColumn.payload.rawValue),
            let strict = carryableText(PairColumn.strictFingerprint.rawValue),
            let numbers = numbers([.value, .duration]), let integers = integers([.category, .activity]),
            let said = texts([.valueKind, .unit, .bundle, .product, .nameHash]), let hash = texts([.uuidHash])
        else { return nil }
        return PairRecord(
            isBefore: integer(PairColumn.kind.rawValue) == Int64(RowBatch.Kind.disappeared.rawValue), type: type,
            sampleID: sample, versionID: version, start: start, end: end, value: numbers[0], duration: numbers[1],
            category: integers[0], activity: integers[1], texts: table.texts(said), identity: hash[0] ?? strict,
            payload: payload)
    }

    private func numbers(_ columns: [PairColumn]) -> [Double?]? {
        var found: [Double?] = []
        for column in columns {
            let value = carryableNumber(column.rawValue)
            guard value != nil || isNull(column.rawValue) else { return nil }
            found.append(value)
        }
        return found
    }

    private func integers(_ columns: [PairColumn]) -> [Int64?]? {
        var found: [Int64?] = []
        for column in columns {
            let value = exactInteger(column.rawValue)
            guard value.map({ $0.magnitude < 1 << 53 }) ?? isNull(column.rawValue) else { return nil }
            found.append(value)
        }
        return found
    }

    private func texts(_ columns: [PairColumn]) -> [[UInt8]?]? {
        var found: [[UInt8]?] = []
        for column in columns {
            let text = carryableText(column.rawValue)
            guard text != nil || isNull(column.rawValue) else { return nil }
            found.append(text)
        }
        return found
    }

    /// A number that an item has: an integer that a double holds, or a finite double.
    private func carryableNumber(_ column: Int32) -> Double? {
        if let integer = exactInteger(column), integer.magnitude >= 1 << 53 { return nil }
        return number(column)
    }
}
