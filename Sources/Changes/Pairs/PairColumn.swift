internal import Archive
internal import SQLite

/// Columns of a record that may be in a pair.
enum PairColumn: Int32 {
    case kind, type, sampleID, versionID, start, end, value, duration, category, activity, valueKind, unit, bundle
    case product, nameHash, uuidHash, strictFingerprint, payload
    /// `true` if the version names a source that does not exist.
    case lacksSource
    /// The id of its metadata.
    case metadata
}

extension Statement {
    /// Returns a record; `nil` if it has a defect in what pairs look at.
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

    /// Returns a number that an item has: an integer that a double holds, or a finite double.
    private func carryableNumber(_ column: Int32) -> Double? {
        if let integer = exactInteger(column), integer.magnitude >= 1 << 53 { return nil }
        return number(column)
    }
}
