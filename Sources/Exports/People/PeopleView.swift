public import Timestamps

/// A table for people instead of the one for machines (`Spec/people-view.md`).
public struct PeopleView: Sendable {
    /// How its text is written.
    public enum Dialect: String, Sendable {
        /// Commas, and points in numbers.
        case plain = "healthprobe-people-1"
        /// A byte order mark, semicolons, and commas in numbers, for spreadsheets of many countries.
        case excel = "healthprobe-people-excel-1"
    }

    public let dialect: Dialect
    /// The zone of its dates.
    public let zone: TimeZoneRules
    /// What sources are called, by their name's hash; nil where there is no file of labels.
    public let labels: [String: String]?

    public init(_ dialect: Dialect, zone: TimeZoneRules, labels: [String: String]? = nil) {
        self.dialect = dialect
        self.zone = zone
        self.labels = labels
    }

    /// Columns that neither an item nor an archive vouches for.
    var unvouched: [String] { labels == nil ? [] : ["source"] }
}
