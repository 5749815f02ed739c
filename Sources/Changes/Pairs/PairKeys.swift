internal import Bytes
internal import Measures
internal import Archive

/// The values that the records of a re-identified pair have in common, the most specific first.
enum PairLevel: String, CaseIterable {
    case payload, strict, semantic
    /// Across chains alone.
    case fuzzy
}

/// Makes the keys by which records are put together (`Spec/pairs.md`). A key is a sequence of bytes that is the same
/// for the same members only: each with its length, or what says that it is absent.
struct PairKeys {
    /// `true` if the observations are of two device chains.
    let isAcrossChains: Bool
    private let measures: [Measure]

    /// - Parameters:
    ///   - types: the identifiers of the context's types.
    ///   - isAcrossChains: whether the observations are of two device chains.
    init(types: [[UInt8]], isAcrossChains: Bool) {
        self.isAcrossChains = isAcrossChains
        measures = types.map { Measure(of: $0) }
    }

    /// Returns the measure of a record's type.
    func measure(of record: PairRecord) -> Measure { measures[record.type] }

    /// Returns the value in the canonical unit of its type; `nil` if there is none, or the unit is of another
    /// dimension.
    func canonicalValue(of record: PairRecord) -> Double? {
        guard let value = record.value, let unit = record.unit,
            let convert = measure(of: record).conversion(from: unit)
        else { return nil }
        let converted = convert(value) + 0
        return converted.isFinite ? converted : nil
    }

    /// Appends the key at a level; returns `false` if the record has none.
    func append(_ level: PairLevel, of record: PairRecord, to key: inout ByteBuffer) -> Bool {
        key.append(bigEndian: UInt64(record.type), count: 4)
        switch level {
        case .payload:
            for date in [record.start, record.end] { append(seconds: date, every: 1, to: &key) }
            key.append(optional: record.payload)
        case .strict: appendStrict(record, to: &key)
        case .semantic:
            for date in [record.start, record.end] { append(seconds: date, every: 1, to: &key) }
            return appendMeaning(record, to: &key)
        case .fuzzy:
            append(seconds: record.start, every: fuzziness(of: record), to: &key)
            return appendMeaning(record, to: &key)
        }
        return true
    }

    private enum Family { case quantity(Double), category, workout, correlation }

    private func family(of record: PairRecord) -> Family {
        switch record.valueKind.map({ String(decoding: $0, as: UTF8.self) }) {
        case "quantity": record.value.map { .quantity($0) } ?? .correlation
        case "category": .category
        case "workout": .workout
        default: .correlation
        }
    }

    /// Seconds within which starts count as the same, as of the fuzzy keys of samples.
    private func fuzziness(of record: PairRecord) -> Int64 {
        switch family(of: record) {
        case .quantity: measure(of: record).kind == .cumulative ? 3600 : 60
        case .workout: 600
        case .category, .correlation: 60
        }
    }

    /// Appends a date in whole steps of so many seconds, rounded down.
    private func append(seconds: Double, every step: Int64, to key: inout ByteBuffer) {
        let whole = Int64(seconds.rounded(.down))
        let steps = whole / step - (whole % step < 0 ? 1 : 0)
        key.append(bigEndian: UInt64(bitPattern: steps))
    }

    private func appendStrict(_ record: PairRecord, to key: inout ByteBuffer) {
        let isCalories = record.unit == Array("Cal".utf8)
        for text in [record.bundle, isCalories ? Array("kcal".utf8) : record.unit, record.valueKind] {
            key.append(optional: text)
        }
        append([record.start, record.end, record.value, record.duration], to: &key)
        append([record.category, record.activity], to: &key)
    }

    /// Appends the content of a record besides its dates; returns `false` if that is not finite.
    private func appendMeaning(_ record: PairRecord, to key: inout ByteBuffer) -> Bool {
        switch family(of: record) {
        case .quantity(let value):
            key.append(UInt8(ascii: "q"))
            var (text, number) = (record.unit, value)
            if let unit = record.unit, let canonical = measure(of: record).unit,
                let convert = measure(of: record).conversion(from: unit)
            {
                (text, number) = (Array(canonical.utf8), convert(value))
                guard number.isFinite else { return false }
            }
            let digits = SixDigits(number)
            key.append(optional: text)
            append([digits.digits, Int64(digits.exponent)], to: &key)
        case .category:
            key.append(UInt8(ascii: "k"))
            append([record.category], to: &key)
        case .workout:
            key.append(UInt8(ascii: "w"))
            append([record.activity], to: &key)
        case .correlation: key.append(UInt8(ascii: "r"))
        }
        return true
    }

    /// Appends the key of the group of records in which containers and parts are looked for; across chains without the
    /// members that a side may lack (`NamedSources`). Returns `false` for a record that is in no group.
    func appendGroup(of record: PairRecord, to key: inout ByteBuffer) -> Bool {
        key.append(bigEndian: UInt64(record.type), count: 4)
        key.append(optional: record.nameHash)
        if !isAcrossChains { for text in [record.bundle, record.product] { key.append(optional: text) } }
        switch measure(of: record).kind {
        case .cumulative, .discrete: guard canonicalValue(of: record) != nil else { return false }
        case .category: append([record.category], to: &key)
        case .workout: append([record.activity], to: &key)
        case .event: return false
        }
        return true
    }

    /// Returns the length of a record as its measure counts it: a workout states its duration.
    func seconds(of record: PairRecord) -> Double {
        guard measure(of: record).kind == .workout, let duration = record.duration else {
            return record.end - record.start
        }
        return duration
    }

    private func append(_ numbers: [Double?], to key: inout ByteBuffer) {
        append(numbers.map { $0.map { Int64(bitPattern: $0.bitPattern) } }, to: &key)
    }

    private func append(_ numbers: [Int64?], to key: inout ByteBuffer) {
        for number in numbers {
            key.append(number == nil ? 0 : 1)
            if let number { key.append(bigEndian: UInt64(bitPattern: number)) }
        }
    }
}

/// The members of a source that the records of each side have. Across chains, `bundle_identifier` and `product_type`
/// distinguish groups of records only if both sides have the member.
struct NamedSources {
    private var bundles = (before: false, after: false), products = (before: false, after: false)

    /// Notes the members of a record.
    mutating func note(_ record: PairRecord) {
        if record.bundle != nil {
            if record.isBefore { bundles.before = true } else { bundles.after = true }
        }
        if record.product != nil {
            if record.isBefore { products.before = true } else { products.after = true }
        }
    }

    /// Returns the members of a record that both sides have.
    func key(of record: PairRecord) -> [[UInt8]?] {
        [
            bundles.before && bundles.after ? record.bundle : nil,
            products.before && products.after ? record.product : nil,
        ]
    }
}
