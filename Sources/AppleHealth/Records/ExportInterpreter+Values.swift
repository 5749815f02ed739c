internal import Bytes
internal import Capture

/// The kind of values that a type has.
enum TypeKind {
    case quantity, category
    /// A quantity if it has a unit, else a category.
    case byUnit

    /// Derives the kind of an identifier.
    init(of type: [UInt8]) {
        if type.starts(with: Array("HKQuantityType".utf8)) {
            self = .quantity
        } else if type.starts(with: Array("HKCategoryType".utf8)) {
            self = .category
        } else {
            self = .byUnit
        }
    }
}

/// The values of records.
extension ExportInterpreter {
    /// Reads a `Record`'s value.
    mutating func readValue(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ taken: inout AttributeSet
    ) {
        taken.insert(.value)
        guard knownKind == .quantity || (knownKind == .byUnit && values[.unit] != nil) else {
            return readCategory(batch, values[.value], level)
        }
        samples[level].record.valueKind = .quantity
        taken.insert(.unit)
        if let unit = values[.unit] { samples[level].record.unit = builder.text(batch.text(unit)) }
        guard let place = values[.value] else { return }
        samples[level].record.numericValue = readNumber(batch.text(place), level, longText: "hp:value_text")
    }

    private mutating func readCategory(_ batch: borrowing ElementBatch, _ value: ElementBatch.Place?, _ level: Int) {
        samples[level].record.valueKind = .category
        guard let value else { return }
        samples[level].record.categoryValue = readNamed(
            batch.text(value), level, KnownNames.categories, unknown: "hp:value_text")
    }

    /// Reads a `Workout`'s activity and duration.
    mutating func readWorkout(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ taken: inout AttributeSet
    ) {
        taken.insert(.workoutActivityType)
        if let place = values[.workoutActivityType] {
            samples[level].record.workoutActivityType = readNamed(
                batch.text(place), level, KnownNames.activities, unknown: "hp:activity_type_name")
        }
        guard let place = values[.duration], let unit = values[.durationUnit],
            let factor = Self.factor(of: batch.text(unit))
        else { return }
        taken.insert(.duration)
        taken.insert(.durationUnit)
        guard let number = readNumber(batch.text(place), level, longText: "hp:duration_text") else { return }
        let seconds = number * factor
        if seconds.isFinite {
            samples[level].record.durationSeconds = seconds
        } else {
            samples[level].reject("bad_number")
        }
    }

    private static func factor(of unit: Span<UInt8>) -> Double? {
        switch String(decoding: unit.array, as: UTF8.self) {
        case "s": 1
        case "min": 60
        case "hr": 3600
        default: nil
        }
    }

    /// Reads a number; `nil` if it is none, which rejects the sample.
    private mutating func readNumber(_ text: Span<UInt8>, _ level: Int, longText: String) -> Double? {
        guard let number = DecimalText(text), number.value.isFinite, !number.isTooSmall else {
            samples[level].reject("bad_number")
            return nil
        }
        if number.isLong { samples[level].metadata.add(own: Array(longText.utf8), json: JSONMembers.string(text)) }
        return number.value
    }

    /// Reads the number of a name or a whole number; `nil` if it is neither, and then the text goes into the metadata.
    private mutating func readNamed(_ text: Span<UInt8>, _ level: Int, _ names: KnownNames, unknown: String) -> Int64? {
        if let number = names.number(of: text) { return number }
        if let number = DecimalText.integer(text) {
            if !number.isExact { samples[level].reject("bad_number") }
            return number.value
        }
        unknownValues += 1
        samples[level].metadata.add(own: Array(unknown.utf8), json: JSONMembers.string(text))
        return nil
    }
}
