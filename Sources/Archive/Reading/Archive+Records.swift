internal import SQLite

/// Reading what a scope selects, row by row.
extension Archive {
    /// Starts reading the records of a point in time, or of a history.
    public func records(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> RecordCursor {
        // Fewer are sorted in the time that a second connection takes.
        try records(of: scope, in: context, sharedFrom: 50_000)
    }

    /// - Parameter least: so many ranges are read by two readers side by side, where that can be.
    func records(of scope: Scope, in context: ExportContext, sharedFrom least: Int64) throws(ArchiveError)
        -> RecordCursor
    {
        precondition(scope.mode != .changes, "Changes reads the rows of changes")
        let query = try query(for: scope)
        let packer = RowPacker(ranks: TypeRanks(context.typeRanks), related: try relatedSamples())
        return try RecordCursor(connection, query, rows(query, packer, sharedFrom: least), context)
    }

    /// Starts reading what a statement selects, in bundle order.
    ///
    /// - Parameter statement: its columns are two `RecordSource`.
    package func records(of query: RecordQuery, from statement: consuming Statement, in context: ExportContext)
        throws(ArchiveError) -> RecordCursor
    {
        let packer = RowPacker(ranks: TypeRanks(context.typeRanks), related: try relatedSamples())
        let rows = SortedRows(RowReader(StatementRows(statement, packer: packer)))
        return try RecordCursor(connection, query, rows, context)
    }

    /// Returns the samples that relationships name; `nil` if there are none.
    func relatedSamples() throws(ArchiveError) -> RelatedSamples? { try RelatedSamples(connection) }

    /// Prepares what reads the rows: two readers side by side where a second connection sees the same archive, else
    /// one.
    private func rows(_ query: RecordQuery, _ packer: RowPacker, sharedFrom least: Int64)
        throws(ArchiveError) -> SortedRows
    {
        func statement(_ connection: borrowing Connection, lead: RecordQuery.Lead, isSliced: Bool = false)
            throws(ArchiveError) -> Statement
        {
            let (sql, parameters) = query.pointInTime(lead: lead, isSliced: isSliced)
            var rows = try connection.prepare(sql)
            try rows.bind(parameters)
            return rows
        }
        if query.scope.mode == .history { return try history(query, packer, sharedFrom: least) }
        let lead = try lead(for: query.scope)
        if query.scope.filter.isWithRelated {
            for (sql, parameters) in query.relatedTables(lead: lead) {
                var statement = try connection.prepare(sql)
                try statement.run(parameters)
            }
            return SortedRows(RowReader(StatementRows(try statement(connection, lead: .links), packer: packer)))
        }
        guard lead == .ranges, let slices = try slices(of: "sample_visibility_ranges", atLeast: least),
            let other = secondConnection()
        else {
            return SortedRows(RowReader(StatementRows(try statement(connection, lead: lead), packer: packer)))
        }
        try other.noteEncoding()
        let second = StatementRows(try statement(other, lead: lead, isSliced: true), packer: packer)
        let first = StatementRows(try statement(connection, lead: lead, isSliced: true), packer: packer)
        return SortedRows(RowReader(first), RowReader(second, connection: other), slices)
    }

    /// Prepares what reads a whole history. A filter of types is a look by their index, which has no slices.
    private func history(_ query: RecordQuery, _ packer: RowPacker, sharedFrom least: Int64) throws(ArchiveError)
        -> SortedRows
    {
        guard query.typeIDs == nil, let slices = try slices(of: "samples", atLeast: least),
            let other = secondConnection()
        else { return SortedRows(RowReader(try HistoryRows(connection, query, packer, isSliced: false))) }
        try Self.addFunctions(other)
        let second = try HistoryRows(other, query, packer, isSliced: true)
        let first = try HistoryRows(connection, query, packer, isSliced: true)
        return SortedRows(RowReader(first), RowReader(second, connection: other), slices)
    }

    /// Returns the row ids of a table in slices; `nil` if there are fewer than `least`.
    private func slices(of table: String, atLeast least: Int64) throws(ArchiveError) -> RowSlices? {
        guard let first = try connection.integer("SELECT min(rowid) FROM \(table)"),
            let last = try connection.integer("SELECT max(rowid) FROM \(table)")
        else { return nil }
        let (count, overflow) = last.subtractingReportingOverflow(first)
        return !overflow && count >= least ? RowSlices(first...last) : nil
    }

    /// Returns the table that leads the query: see `RecordQuery`.
    private func lead(for scope: Scope) throws(ArchiveError) -> RecordQuery.Lead {
        let filter = scope.filter
        let byDate = filter.since != nil || filter.until != nil
        guard let types = filter.sampleTypes else { return byDate ? .dates : .ranges }
        guard byDate else { return .types }
        let bound = 200_000
        let ofTypes =
            try connection.integer(
                "SELECT count(*) FROM (SELECT 1 FROM samples WHERE sample_type_id IN (SELECT id FROM sample_types "
                    + "WHERE type_identifier IN (\(types.map { _ in "?" }.joined(separator: ",")))) LIMIT \(bound))",
                types.map { .text($0) }) ?? 0
        let since = filter.isOverlapping ? -.infinity : filter.since ?? -.infinity
        let ofDates =
            try connection.integer(
                "SELECT count(*) FROM (SELECT 1 FROM sample_versions WHERE start_date >= ?1 "
                    + "AND start_date < ?2 LIMIT \(bound))",
                [.real(since), .real(filter.until ?? .infinity)]) ?? 0
        return ofTypes < ofDates ? .types : .dates
    }
}
