internal import Codes

extension InspectionReport {
    /// Checks without which nothing else can be trusted.
    private static let foundations: Set<Check> = [.sqlite, .schema, .references]
    /// How lines of `PRAGMA integrity_check` begin that speak of rows, not of pages. Their texts are those of SQLite.
    private static let ofRows = [
        "row ", "wrong # of entries in index ", "non-unique entry in index ", "NULL value in ",
        "CHECK constraint failed in ", "TEXT value in ", "NUMERIC value in ", "non-INT value in ",
    ]

    /// The checks that make the archive degraded: they found something. One that could not be made to its end and
    /// found nothing says nothing against the archive; where SQLite cannot read it, that is a finding.
    public var degrading: [Check] {
        checks.filter { Self.foundations.contains($0.check) && $0.total > 0 }.map(\.check)
    }

    /// Whether pages of the file are malformed, or a log lies beside it that SQLite does not use: then nothing may be
    /// written to it.
    public var isMalformed: Bool {
        checks.contains { check in
            guard check.counts[.sqliteUnreadable] == nil, check.counts[.sqliteLog] == nil else { return true }
            let lines = check.findings.filter { $0.code == .sqliteIntegrity }
            // Lines that are not listed may say anything.
            return lines.count < check.counts[.sqliteIntegrity] ?? 0
                || lines.contains { line in !Self.ofRows.contains { line.found?.hasPrefix($0) ?? false } }
        }
    }
}
