internal import Archive
internal import Derivation
internal import SQLite

/// Writes the rows of `observation_type_summaries` and `daily_type_aggregates`, each with its hash
/// (`Spec/capture.md`, "Aggregates").
struct AggregateWriter: ~Copyable {
    /// The bound values of a row of `observation_type_summaries`.
    private enum SummaryColumn: Int32, SQLiteColumn {
        case observationID = 1, sampleTypeID, visibleRecordCount, appearedCount, disappearedCount
        case representationChangedCount, earliestStartDate, latestEndDate, valueSum, valueMax, aggregateHash
    }

    /// The bound values of a row of `daily_type_aggregates`.
    private enum BucketColumn: Int32, SQLiteColumn {
        case observationID = 1, sampleTypeID, bucketStart, bucketEnd, visibleRecordCount, valueSum, valueMax
        case sourceRevisionID, aggregateHash
    }

    private var summary: Statement
    private var bucket: Statement
    private var hasher: AggregateHasher
    /// The observation whose rows are written.
    var observationID: Int64

    /// - Parameter schema: that of the tables; rows that are rebuilt go to temporary tables.
    init(_ connection: borrowing Connection, observationID: Int64, schema: String = "main") throws(ArchiveError) {
        let summary = try connection.prepare(
            """
            INSERT OR REPLACE INTO \(schema).observation_type_summaries(\(SummaryColumn.names)) \
            VALUES (\(SummaryColumn.parameters))
            """)
        let bucket = try connection.prepare(
            "INSERT INTO \(schema).daily_type_aggregates(\(BucketColumn.names)) VALUES (\(BucketColumn.parameters))")
        hasher = try AggregateHasher(connection)
        self.summary = summary
        self.bucket = bucket
        self.observationID = observationID
    }

    mutating func write(_ values: AggregateValues, type: Int64, identifier: [UInt8], _ events: EventCounts)
        throws(ArchiveError)
    {
        summary.bind(SummaryColumn.observationID, observationID)
        summary.bind(SummaryColumn.sampleTypeID, type)
        summary.bind(SummaryColumn.visibleRecordCount, values.count)
        summary.bind(SummaryColumn.appearedCount, events.appeared)
        summary.bind(SummaryColumn.disappearedCount, events.disappeared)
        summary.bind(SummaryColumn.representationChangedCount, events.representationChanged)
        summary.bind(SummaryColumn.earliestStartDate, values.earliestStart)
        summary.bind(SummaryColumn.latestEndDate, values.latestEnd)
        summary.bind(SummaryColumn.valueSum, values.sum)
        summary.bind(SummaryColumn.valueMax, values.maximum)
        summary.bind(SummaryColumn.aggregateHash, hex: hasher.summary(values, events, type: identifier))
        try summary.run(storing: 1)
    }

    mutating func write(
        _ values: AggregateValues, type: Int64, identifier: [UInt8], start: Double, end: Double, revision: Int64?
    ) throws(ArchiveError) {
        let hash = try hasher.bucket(values, start: start, end: end, type: identifier, revision: revision)
        bucket.bind(BucketColumn.observationID, observationID)
        bucket.bind(BucketColumn.sampleTypeID, type)
        bucket.bind(BucketColumn.bucketStart, start)
        bucket.bind(BucketColumn.bucketEnd, end)
        bucket.bind(BucketColumn.visibleRecordCount, values.count)
        bucket.bind(BucketColumn.valueSum, values.sum)
        bucket.bind(BucketColumn.valueMax, values.maximum)
        bucket.bind(BucketColumn.sourceRevisionID, optional: revision)
        bucket.bind(BucketColumn.aggregateHash, hex: hash)
        try bucket.run(storing: 1)
    }
}
