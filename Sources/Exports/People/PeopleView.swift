internal import Archive
public import Timestamps

/// A table for people instead of the one for machines (`Spec/people-view.md`).
public struct PeopleView: Sendable {
    /// The form in which its text is written.
    public enum Dialect: String, Sendable {
        /// Commas, and points in numbers.
        case plain = "healthprobe-people-1"
        /// A byte order mark, semicolons, and commas in numbers, for spreadsheets of many countries.
        case excel = "healthprobe-people-excel-1"
    }

    public let dialect: Dialect
    /// The zone of its dates.
    public let zone: TimeZoneRules
    /// The names of sources and devices, by the hash of the source's name or of the device; `nil` if there is no file
    /// of labels.
    public let labels: [String: String]?
    /// Blood pressures before and after, by the row ids of their samples.
    private(set) var pressures: (before: [Int64: String], after: [Int64: String]) = ([:], [:])

    public init(_ dialect: Dialect, zone: TimeZoneRules, labels: [String: String]? = nil) {
        self.dialect = dialect
        self.zone = zone
        self.labels = labels
    }

    /// Returns the view with what it looks up in an archive.
    func reading(_ archive: borrowing Archive, _ scope: Scope, of kind: ExportKind) throws(ArchiveError) -> PeopleView {
        guard kind != .dayReport else { return self }
        var view = self
        view.pressures.after = try archive.bloodPressures(at: scope.observationID)
        if let from = scope.fromObservationID { view.pressures.before = try archive.bloodPressures(at: from) }
        return view
    }

    /// The text between cells.
    var delimiter: UInt8 { UInt8(ascii: dialect == .excel ? ";" : ",") }

    /// Returns the row that names columns, with a byte order mark if it has one.
    func firstRow(of columns: [String]) -> [UInt8] {
        (dialect == .excel ? [0xEF, 0xBB, 0xBF] : [])
            + columns.map { Array($0.utf8) }.joined(separator: [delimiter]) + Array("\r\n".utf8)
    }

    /// Returns the name of a source.
    func source(hash: String?, bundle: String?) -> String? {
        if let hash, let label = labels?[hash] { return label }
        return bundle ?? hash.map { "source \($0.prefix(8))" }
    }

    /// Returns `true` if a column has values for which neither an item nor an archive vouches.
    func isUnvouched(_ column: PeopleColumn) -> Bool { labels != nil && (column == .source || column == .device) }
}
