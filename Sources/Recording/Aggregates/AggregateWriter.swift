internal import Archive
internal import Manifest
internal import Preimages
internal import SQLite

/// Writes the rows of `observation_type_summaries` and `daily_type_aggregates`, each with its hash
/// (`Spec/capture.md`, "Aggregates").
struct AggregateWriter: ~Copyable {
    /// Counts of an observation's events of a type.
    struct EventCounts {
        var appeared: Int64 = 0
        var disappeared: Int64 = 0
        var representationChanged: Int64 = 0
        /// Of samples of which nothing else is known.
        var disappearedUnseen: Int64 = 0
    }

    /// What is bound of a row of `observation_type_summaries`.
    private enum SummaryColumn: Int32, SQLiteColumn {
        case sampleTypeID = 1, visibleRecordCount, appearedCount, disappearedCount, representationChangedCount
        case earliestStartDate, latestEndDate, valueSum, valueMax, aggregateHash
    }

    /// What is bound of a row of `daily_type_aggregates`.
    private enum BucketColumn: Int32, SQLiteColumn {
        case sampleTypeID = 1, bucketStart, bucketEnd, visibleRecordCount, valueSum, valueMax, sourceRevisionID
        case aggregateHash
    }

    private var summary: Statement
    private var bucket: Statement
    private var source: Statement
    private var sourceJSON: [Int64: [UInt8]] = [:]
    private var hasher = ContentHasher()
    private var preimage = AggregatePreimage()

    /// - Parameter schema: that of the tables; rows that are rebuilt go to temporary tables.
    static func open(_ connection: borrowing Connection, observationID: Int64, schema: String = "main")
        throws(ArchiveError) -> AggregateWriter
    {
        AggregateWriter(
            summary: try connection.prepare(
                """
                INSERT OR REPLACE INTO \(schema).observation_type_summaries(observation_id, \(SummaryColumn.names)) \
                VALUES (\(observationID), \(SummaryColumn.parameters))
                """),
            bucket: try connection.prepare(
                """
                INSERT INTO \(schema).daily_type_aggregates(observation_id, \(BucketColumn.names)) \
                VALUES (\(observationID), \(BucketColumn.parameters))
                """),
            source: try connection.prepare(
                """
                SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash,
                    r.version FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1
                """))
    }

    private init(summary: consuming Statement, bucket: consuming Statement, source: consuming Statement) {
        self.summary = summary
        self.bucket = bucket
        self.source = source
    }

    mutating func write(_ values: AggregateValues, type: Int64, identifier: [UInt8], _ events: EventCounts)
        throws(ArchiveError)
    {
        let text = preimage.summary(
            AggregatePreimage.Values(count: values.count, sum: values.sum, maximum: values.maximum),
            AggregatePreimage.Events(
                appeared: events.appeared, disappeared: events.disappeared,
                representationChanged: events.representationChanged),
            earliestStart: values.earliestStart, latestEnd: values.latestEnd, sampleType: identifier)
        summary.bind(SummaryColumn.sampleTypeID, type)
        summary.bind(SummaryColumn.visibleRecordCount, values.count)
        summary.bind(SummaryColumn.appearedCount, events.appeared)
        summary.bind(SummaryColumn.disappearedCount, events.disappeared)
        summary.bind(SummaryColumn.representationChangedCount, events.representationChanged)
        summary.bind(SummaryColumn.earliestStartDate, values.earliestStart)
        summary.bind(SummaryColumn.latestEndDate, values.latestEnd)
        summary.bind(SummaryColumn.valueSum, values.sum)
        summary.bind(SummaryColumn.valueMax, values.maximum)
        summary.bind(SummaryColumn.aggregateHash, hex: text.map { hasher.digest(of: $0.span, in: .typeSummary) })
        try summary.run(storing: 1)
    }

    mutating func write(
        _ values: AggregateValues, type: Int64, identifier: [UInt8], day: Range<Int64>, revision: Int64?
    ) throws(ArchiveError) {
        let source = try revision.map { id throws(ArchiveError) in try json(ofSource: id) }
        let text = preimage.bucket(
            AggregatePreimage.Values(count: values.count, sum: values.sum, maximum: values.maximum), day: day,
            sampleType: identifier, source: source)
        bucket.bind(BucketColumn.sampleTypeID, type)
        bucket.bind(BucketColumn.bucketStart, Double(day.lowerBound))
        bucket.bind(BucketColumn.bucketEnd, Double(day.upperBound))
        bucket.bind(BucketColumn.visibleRecordCount, values.count)
        bucket.bind(BucketColumn.valueSum, values.sum)
        bucket.bind(BucketColumn.valueMax, values.maximum)
        bucket.bind(BucketColumn.sourceRevisionID, optional: revision)
        bucket.bind(BucketColumn.aggregateHash, hex: text.map { hasher.digest(of: $0.span, in: .dailyAggregate) })
        try bucket.run(storing: 1)
    }

    /// The object `source` of `Spec/items.md`.
    private mutating func json(ofSource revision: Int64) throws(ArchiveError) -> [UInt8] {
        if let known = sourceJSON[revision] { return known }
        source.bind(1, revision)
        var texts = [[UInt8]?](repeating: nil, count: 5)
        if try source.step() {
            for column in texts.indices where !source.isNull(Int32(column)) {
                texts[column] = source.bytes(Int32(column))
            }
        }
        source.reset()
        let json = ProvenancePreimage.source(
            bundleIdentifier: texts[0], operatingSystemVersion: texts[1], productType: texts[2], nameHash: texts[3],
            version: texts[4])
        if sourceJSON.count >= 1024 { sourceJSON.removeAll() }
        sourceJSON[revision] = json
        return json
    }
}
