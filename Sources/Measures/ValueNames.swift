/// The names that people use for the values of categories and the activities of workouts (`Spec/names.json`).
package enum ValueNames {
    /// Returns `true` if the values of a category type have names.
    package static func has(_ type: String) -> Bool { lists[type] != nil }

    /// Returns the name of a value of a category type, as canonical JSON has the number; `nil` if the table has none.
    package static func name(of value: String, in type: String) -> String? {
        lists[type].flatMap { values[$0]?[value] }
    }

    /// Returns the name of an activity; `nil` if the table has none.
    package static func name(ofActivity activity: String) -> String? { activities[activity] }

    /// The list of a category type's values.
    private static let lists: [String: String] = {
        var lists: [String: String] = [:]
        for cells in rows(of: ValueTable.listText, width: 2) { lists[cells[0]] = cells[1] }
        return lists
    }()

    private static let values: [String: [String: String]] = {
        var values: [String: [String: String]] = [:]
        for cells in rows(of: ValueTable.valueText, width: 3) { values[cells[0], default: [:]][cells[1]] = cells[2] }
        return values
    }()

    private static let activities: [String: String] = {
        var activities: [String: String] = [:]
        for cells in rows(of: ValueTable.activityText, width: 2) { activities[cells[0]] = cells[1] }
        return activities
    }()

    private static func rows(of text: String, width: Int) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }.filter { $0.count == width }
    }
}
