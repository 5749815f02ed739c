internal import Bytes
internal import Measures
internal import SQLite
internal import Archive

/// A version's values that comparisons look at.
struct ComparedVersion {
    /// The value of a version, or the reason why it has none.
    enum Value {
        case absent
        /// An amount in the canonical unit of the type.
        case amount(Double)
        /// A number that cannot be brought into the canonical unit.
        case otherUnit
        /// A category value, or an activity.
        case part(Int64)
    }

    /// Unix seconds, where they have a timestamp.
    var start, end: Double?
    var value = Value.absent
    /// The length of the record; 0 if it states none.
    var length = 0.0
    /// Of a workout: what it states as a whole.
    var totals = WorkoutTotals()
    /// `source_revisions.id`.
    var source: Int64?

    /// Returns the outcome for the measure if another version takes this one's place.
    func outcome(as other: ComparedVersion, _ measure: Measure) -> ChangeOutcomes.Change {
        switch measure.kind {
        case .cumulative, .discrete:
            switch (value, other.value) {
            case (.absent, .absent): return .kept
            case (.amount(let one), .amount(let two)): return CondensationLaw.areEqual(one, two) ? .kept : .changed
            case (.otherUnit, _), (_, .otherUnit): return .unitsDiffer
            default: return .incomplete
            }
        case .category, .workout:
            let totals = [(totals.distance, other.totals.distance), (totals.energy, other.totals.energy)]
            let areKept =
                part == other.part && CondensationLaw.areEqual(length, other.length)
                && totals.allSatisfy { CondensationLaw.areEqual($0.0 ?? 0, $0.1 ?? 0) }
            return areKept ? .kept : .changed
        case .event: return .kept
        }
    }

    private var part: Int64? { if case .part(let part) = value { part } else { nil } }

    /// From the start to the end, or the start alone where the end is before it; nil without both.
    var span: ClosedRange<Double>? {
        guard let start, let end else { return nil }
        return start...max(start, end)
    }
}

/// A type's measure at work: reads versions of the type.
struct VersionReader {
    let measure: Measure
    /// The unit that came last, as it is stored, and how it converts.
    private var unit: [UInt8]?
    private var conversion: UnitConversion?

    init(_ measure: Measure) { self.measure = measure }

    /// Returns the version in eight columns as `ChangeQuery.compared` lists them.
    mutating func version(_ row: borrowing Statement, at column: Int32) -> ComparedVersion {
        let start = row.date(column)
        let end = row.date(column + 1)
        var version = ComparedVersion(start: start, end: end, source: row.exactInteger(column + 4))
        if let start, let end { version.length = max(0, end - start) }
        switch measure.kind {
        case .cumulative, .discrete:
            guard let number = row.number(column + 2) else { break }
            version.value = amount(number, row, unit: column + 3).map { .amount($0) } ?? .otherUnit
        case .category: version.value = Self.part(row, column + 5)
        case .workout:
            version.value = Self.part(row, column + 6)
            if let duration = row.number(column + 7) { version.length = duration }
        case .event: break
        }
        return version
    }

    /// Returns a number in the canonical unit.
    private mutating func amount(_ number: Double, _ row: borrowing Statement, unit column: Int32) -> Double? {
        let isLast = row.withBytes(column) { bytes in unit.map { $0.span.isSame(as: bytes) } ?? false }
        if !isLast || row.storageClass(column) != .text {
            unit = row.carryableText(column)
            conversion = unit.flatMap { measure.conversion(from: $0) }
        }
        guard let value = conversion?(number), value.isFinite else { return nil }
        return value + 0
    }

    /// Returns an integer that canonical JSON has.
    private static func part(_ row: borrowing Statement, _ column: Int32) -> ComparedVersion.Value {
        guard let value = row.exactInteger(column), value.magnitude < 1 << 53 else { return .absent }
        return .part(value)
    }
}

// How a version travels with a sorted row.
extension ComparedVersion {
    func append(to bytes: inout ByteBuffer) {
        bytes.append(optional: start)
        bytes.append(optional: end)
        switch value {
        case .absent: bytes.append(0)
        case .amount(let amount):
            bytes.append(1)
            bytes.append(lowBytesOf: amount.bitPattern)
        case .otherUnit: bytes.append(2)
        case .part(let part):
            bytes.append(3)
            bytes.append(lowBytesOf: UInt64(bitPattern: part))
        }
        bytes.append(lowBytesOf: length.bitPattern)
        bytes.append(optional: totals.distance)
        bytes.append(optional: totals.energy)
        bytes.append(optional: source)
    }

    /// Reads what `append` wrote.
    init(_ reader: inout CompactReader) {
        self.init(start: reader.optional { $0.double() }, end: reader.optional { $0.double() })
        switch reader.byte() {
        case 0: value = .absent
        case 1: value = .amount(reader.double())
        case 2: value = .otherUnit
        default: value = .part(reader.integer())
        }
        length = reader.double()
        totals = WorkoutTotals(distance: reader.optional { $0.double() }, energy: reader.optional { $0.double() })
        source = reader.optional { $0.integer() }
    }
}
