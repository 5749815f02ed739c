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
    /// What sources and devices are called, by the hash of the source's name or of the device; nil where there is no
    /// file of labels.
    public let labels: [String: String]?

    public init(_ dialect: Dialect, zone: TimeZoneRules, labels: [String: String]? = nil) {
        self.dialect = dialect
        self.zone = zone
        self.labels = labels
    }

    /// What stands between cells.
    var delimiter: UInt8 { UInt8(ascii: dialect == .excel ? ";" : ",") }

    /// The row that names columns, with a byte order mark if it has one.
    func firstRow(of columns: [String]) -> [UInt8] {
        (dialect == .excel ? [0xEF, 0xBB, 0xBF] : [])
            + columns.map { Array($0.utf8) }.joined(separator: [delimiter]) + Array("\r\n".utf8)
    }

    /// What a source is called.
    func source(hash: String?, bundle: String?) -> String? {
        if let hash, let label = labels?[hash] { return label }
        return bundle ?? hash.map { "source \($0.prefix(8))" }
    }

    /// Whether a column has what neither an item nor an archive vouches for.
    func isUnvouched(_ column: PeopleColumn) -> Bool { labels != nil && (column == .source || column == .device) }
}
