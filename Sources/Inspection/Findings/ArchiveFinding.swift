public import Codes

/// One thing of an archive that is invalid.
public struct ArchiveFinding: Sendable {
    /// The code of the invalid thing.
    public let code: Code
    /// The table, where there is one.
    public var table: String?
    /// The row id in the table.
    public var row: Int64?
    /// The column.
    public var column: String?
    /// The expected and the found value. It is never a health value, and never text that is stored, but names of the
    /// schema.
    public var expected: String?
    public var found: String?

    /// The archive was written or replaced while it was read.
    public static let changed = ArchiveFinding(code: .archiveChanged)
}

/// The findings of one check.
public struct CheckReport: Sendable {
    /// The status of a check.
    public enum Status: String, Sendable {
        case ok, failed
        /// It was not made, or not to its end; the reason says why.
        case notChecked = "not_checked"
    }

    public let check: Check
    /// The status of the check. A check that could not be made to its end is never ok.
    public var status: Status { reason != nil ? .notChecked : total > 0 ? .failed : .ok }
    /// Why it was not made, or not to its end.
    public internal(set) var reason: String?
    /// Notes on things that it could not look at here although it was made.
    public internal(set) var notes: [String] = []
    /// The first findings.
    public internal(set) var findings: [ArchiveFinding] = []
    /// The number of findings of each code.
    public internal(set) var counts: [Code: Int] = [:]
    /// Rows that were looked at.
    public internal(set) var rowCount = 0
    /// Of the check `history`: how many entries follow the one of the head; `nil` if its entry is not there.
    var entriesSinceHead: Int64?

    init(_ check: Check) { self.check = check }

    /// Findings in all.
    public var total: Int { counts.values.reduce(0, +) }
}

/// The log that a check writes its findings to.
struct CheckLog {
    private(set) var report: CheckReport
    private let limit: Int
    private let progress: @Sendable (Int) -> Void
    private var unsaid = 0

    init(_ check: Check, limit: Int, progress: @escaping @Sendable (Int) -> Void) {
        report = CheckReport(check)
        self.limit = limit
        self.progress = progress
    }

    /// Reports a finding. Its code is one of this check, or of another where that is what is invalid.
    mutating func add(
        _ code: Code, _ table: String? = nil, row: Int64? = nil, column: String? = nil, expected: String? = nil,
        found: String? = nil
    ) {
        report.counts[code, default: 0] += 1
        guard report.findings.count < limit else { return }
        report.findings.append(
            ArchiveFinding(code: code, table: table, row: row, column: column, expected: expected, found: found))
    }

    /// Notes that the entry of the head is there, and how many entries follow it.
    mutating func extendsHead(by count: Int64) { report.entriesSinceHead = count }

    /// Takes over what another log of the same check found.
    mutating func merge(_ other: CheckReport) {
        report.counts.merge(other.counts, uniquingKeysWith: +)
        report.findings += other.findings.prefix(max(0, limit - report.findings.count))
    }

    /// Counts a row that was looked at.
    mutating func countRow() {
        report.rowCount += 1
        unsaid += 1
        if unsaid == 8192 { flush() }
    }

    /// Tells the progress what was not told yet.
    mutating func flush() {
        progress(unsaid)
        unsaid = 0
    }

    /// Says that the check was not made, or not to its end.
    mutating func withhold(_ reason: String) { report.reason = report.reason ?? reason }

    /// Says what the check could not look at here.
    mutating func note(_ text: String) { report.notes.append(text) }
}
