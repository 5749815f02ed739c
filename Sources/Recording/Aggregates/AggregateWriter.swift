internal import Archive
internal import CanonicalJSON
internal import Manifest
internal import SQLite
internal import Timestamps

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
    private var json = Writer(capacity: 512)

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
        json.removeAll()
        json.beginObject()
        put("appeared_count", events.appeared)
        put("disappeared_count", events.disappeared)
        var isWhole = put("earliest_start_date", moment: values.earliestStart)
        isWhole = put("latest_end_date", moment: values.latestEnd) && isWhole
        put("representation_changed_count", events.representationChanged)
        isWhole = put("sample_type", text: identifier) && isWhole
        put("value_max", values.maximum)
        put("value_sum", values.sum)
        put("visible_record_count", values.count)
        json.endObject()
        summary.bind(SummaryColumn.sampleTypeID, type)
        summary.bind(SummaryColumn.visibleRecordCount, values.count)
        summary.bind(SummaryColumn.appearedCount, events.appeared)
        summary.bind(SummaryColumn.disappearedCount, events.disappeared)
        summary.bind(SummaryColumn.representationChangedCount, events.representationChanged)
        summary.bind(SummaryColumn.earliestStartDate, values.earliestStart)
        summary.bind(SummaryColumn.latestEndDate, values.latestEnd)
        summary.bind(SummaryColumn.valueSum, values.sum)
        summary.bind(SummaryColumn.valueMax, values.maximum)
        summary.bind(SummaryColumn.aggregateHash, hex: isWhole ? Self.digest(of: json, in: .typeSummary, &hasher) : nil)
        try summary.run(storing: 1)
    }

    mutating func write(
        _ values: AggregateValues, type: Int64, identifier: [UInt8], day: Range<Int64>, revision: Int64?
    ) throws(ArchiveError) {
        let source = try revision.map { id throws(ArchiveError) in try json(ofSource: id) }
        json.removeAll()
        json.beginObject()
        var isWhole = put("bucket_end", moment: Double(day.upperBound))
        isWhole = put("bucket_start", moment: Double(day.lowerBound)) && isWhole
        isWhole = put("sample_type", text: identifier) && isWhole
        if let source {
            json.key("source")
            json.embed(canonical: source.span)
        }
        put("value_max", values.maximum)
        put("value_sum", values.sum)
        put("visible_record_count", values.count)
        json.endObject()
        bucket.bind(BucketColumn.sampleTypeID, type)
        bucket.bind(BucketColumn.bucketStart, Double(day.lowerBound))
        bucket.bind(BucketColumn.bucketEnd, Double(day.upperBound))
        bucket.bind(BucketColumn.visibleRecordCount, values.count)
        bucket.bind(BucketColumn.valueSum, values.sum)
        bucket.bind(BucketColumn.valueMax, values.maximum)
        bucket.bind(BucketColumn.sourceRevisionID, optional: revision)
        bucket.bind(
            BucketColumn.aggregateHash, hex: isWhole ? Self.digest(of: json, in: .dailyAggregate, &hasher) : nil)
        try bucket.run(storing: 1)
    }

    private static func digest(of json: borrowing Writer, in domain: Domain, _ hasher: inout ContentHasher) -> Digest {
        let bytes = json.bytes
        return hasher.digest(of: bytes.span, in: domain)
    }

    /// The object `source` of `Spec/items.md`.
    private mutating func json(ofSource revision: Int64) throws(ArchiveError) -> [UInt8] {
        if let known = sourceJSON[revision] { return known }
        source.bind(1, revision)
        json.removeAll()
        json.beginObject()
        if try source.step() {
            for (column, key) in [
                "bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version",
            ].enumerated() where !source.isNull(Int32(column)) {
                _ = put(key, text: source.bytes(Int32(column)))
            }
        }
        source.reset()
        json.endObject()
        if sourceJSON.count >= 1024 { sourceJSON.removeAll() }
        sourceJSON[revision] = json.bytes
        return json.bytes
    }

    private mutating func put(_ key: String, _ value: Int64) {
        json.key(Key(key))
        json.integer(value)
    }

    private mutating func put(_ key: String, _ value: Double?) {
        guard let value else { return }
        json.key(Key(key))
        json.number(value)
    }

    /// False where a moment has no canonical text: then there is no hash.
    private mutating func put(_ key: String, moment: Double?) -> Bool {
        guard let moment else { return true }
        guard let text = try? TimestampText(moment) else { return false }
        json.key(Key(key))
        json.string(text.string)
        return true
    }

    private mutating func put(_ key: String, text: [UInt8]) -> Bool {
        // Also what an item cannot carry, such as U+0000: the hash is that of what is stored.
        guard (try? UTF8Span(validating: text.span)) != nil else { return false }
        json.key(Key(key))
        return (try? json.string(text.span)) != nil
    }
}
