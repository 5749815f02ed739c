internal import CanonicalJSON
internal import Changes
internal import Days
internal import Measures

/// The statements about a workout or activity rings in an item's metadata, as cells.
struct PeopleTotals {
    struct Cells {
        var energy, distance: String?
        /// `420 / 400 kcal · 31 / 30 min · 12 / 12 h`
        var rings: String?
    }

    /// Places of values, and their units: energy, minutes of movement, minutes of exercise, hours of standing.
    private static let rings = [(0, "kcal"), (4, "min"), (2, "min"), (6, "h")]
    private static let workouts = "HKWorkoutTypeIdentifier"

    private let workouts = WorkoutTotalsText()

    /// - Parameter metadata: where they are in the item; `nil` if they are not an object.
    func read(_ type: String?, _ metadata: Range<Int>?, _ item: Span<UInt8>) -> Cells {
        var cells = Cells()
        guard let metadata, let type else { return cells }
        let text = item.extracting(metadata)
        if type == Self.workouts {
            let totals = workouts.read(text)
            cells.energy = totals?.energy.flatMap(Self.cell)
            cells.distance = totals?.distance.flatMap(Self.cell)
        } else if Measure(of: Array(type.utf8)).isDated {
            cells.rings = Self.rings(RingTexts.values(text))
        }
        return cells
    }

    /// Values with their goals.
    private static func rings(_ values: [Int64?]) -> String? {
        let parts = rings.compactMap { place, unit in
            values[place].map { value in
                "\(cell(value))\(values[place + 1].map { " / \(cell($0))" } ?? "") \(unit)"
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    private static func cell(_ value: Double) -> String? { DecimalAmount.whole(value, digits: 6).map(cell) }

    private static func cell(_ whole: Int64) -> String {
        var json = Writer()
        json.number(DecimalAmount.number(Int128(whole), digits: 6))
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
