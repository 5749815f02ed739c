public import Archive
public import Files
internal import SQLite

extension Archive {
    /// Returns the changes that a repair would make (`Spec/repair.md`). The archive may be opened as evidence: nothing
    /// is written.
    public func plannedRepair(_ parts: Set<RepairPart>) throws(ArchiveError) -> RepairReport {
        try WritableSchema.check(connection)
        try requireKeys()
        try beginSideBySide()
        defer { rollBack() }
        let report = try plan(parts).report
        try checkReading()
        return report
    }

    /// Makes ranges or aggregates again and writes the rows that differ, or removes records of exports without their
    /// observation, after a verified backup, in one transaction with its entry in the context log.
    ///
    /// Where nothing differs, nothing is written and no backup is made.
    ///
    /// - Parameters:
    ///   - backup: a name that is not taken.
    ///   - program: what the context log calls the tool.
    ///   - now: Unix seconds.
    /// - Throws: `ArchiveError`; then the archive is as it was. A backup that was made stays.
    public func repair(_ parts: Set<RepairPart>, backup: Path, program: String, now: Double) throws(ArchiveError)
        -> RepairReport
    {
        try ArchiveBackup.checkPlace(backup, of: self)
        try ArchiveBackup.removeUnfinished(backup, of: self)
        try begin(writing: true)
        do throws(ArchiveError) {
            let plan = try plan(parts)
            guard plan.report.total > 0 else {
                rollBack()
                return plan.report
            }
            var report = plan.report
            report.backup = try ArchiveBackup.make(backup, of: self, tables: report.tables.map { ($0.name, $0.before) })
            if parts.contains(.exports) { try dropIntents(ofExports: RepairExports.exportIDs(connection)) }
            try plan.write(&report, connection)
            var log = try contextLogInPlace(program: program, now: now)
            try log.add(.repaired, at: now, observationID: nil, detail: report.detail)
            try commitInPlace()
            return report
        } catch {
            rollBack()
            throw error
        }
    }

    private func plan(_ parts: Set<RepairPart>) throws(ArchiveError) -> RepairPlan {
        precondition(!parts.isEmpty, "a repair of nothing")
        try checkIntegrity()
        return try RepairPlan.make(parts, connection)
    }
}

/// The rows that are going to be written, in the caller's transaction: rows in temporary tables, or none in the place
/// of rows.
private struct RepairPlan {
    private let tables: [RepairTable]
    let report: RepairReport

    static func make(_ parts: Set<RepairPart>, _ connection: borrowing Connection) throws(ArchiveError) -> RepairPlan {
        let rules = try IdentityRules.stated(in: connection)
        var tables: [RepairTable] = []
        var report = RepairReport(parts: parts, statesIdentityRules: rules != nil)
        if parts.contains(.ranges) {
            try RepairRanges.rebuild(connection, &report)
            tables.append(RepairRanges.table)
        }
        // From here on, ranges are those that were rebuilt: the temporary table stands before the archive's.
        if parts.contains(.aggregates) {
            try RepairAggregates.rebuild(rules, connection)
            tables += RepairAggregates.tables(isExact: rules != nil)
        }
        if parts.contains(.exports) {
            try RepairExports.find(connection)
            tables += RepairExports.tables
        }
        tables.sort { $0.name < $1.name }
        for table in tables {
            try table.compare(connection)
            report.tables.append(
                RepairReport.Table(
                    name: table.name, differences: try table.differences(connection),
                    before: try TableContent.read(table.name, connection)))
        }
        return RepairPlan(tables: tables, report: report)
    }

    /// Writes all tables that differ, and looks whether they are then what they should be.
    func write(_ report: inout RepairReport, _ connection: borrowing Connection) throws(ArchiveError) {
        for (index, table) in tables.enumerated() {
            if report.tables[index].differences.total > 0 {
                try table.write(connection)
                try table.confirm(connection)
            }
            report.tables[index].after = try TableContent.read(table.name, connection)
        }
    }
}
