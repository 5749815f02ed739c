internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// What is counted and summed of the records in a group: a type, a local day of a type, or one source revision in it.
struct AggregateGroup {
    private(set) var count: Int64 = 0
    private(set) var earliestStart: Double?
    private(set) var latestEnd: Double?
    private(set) var maximum: Double?
    private var sum = ExactSum()
    private var hasValues = false

    mutating func add(start: Double?, end: Double?, value: Double?) {
        count += 1
        if let start { earliestStart = min(earliestStart ?? start, start) }
        if let end { latestEnd = max(latestEnd ?? end, end) }
        guard let value, value.isFinite else { return }
        maximum = max(maximum ?? value, value)
        sum.add(value)
        hasValues = true
    }

    /// What a row says of the values.
    mutating func values() -> AggregateValues {
        AggregateValues(count: count, earliestStart: earliestStart, latestEnd: latestEnd, sum: hasValues ? sum.value() : nil, maximum: maximum)
    }

    mutating func reset() {
        count = 0
        earliestStart = nil
        latestEnd = nil
        maximum = nil
        hasValues = false
        sum.reset()
    }
}

/// What a row of an aggregate says.
struct AggregateValues {
    var count: Int64 = 0
    var earliestStart: Double?
    var latestEnd: Double?
    /// The exact sum, rounded once; nil where no record has a value, or beyond the doubles.
    var sum: Double?
    var maximum: Double?
}

/// Writes the rows of `observation_type_summaries` and `daily_type_aggregates`, each with its hash (`Spec/capture.md`, "Aggregates").
struct AggregateWriter: ~Copyable {
    /// Counts of an observation's events of a type.
    struct EventCounts {
        var appeared: Int64 = 0
        var disappeared: Int64 = 0
        var representationChanged: Int64 = 0
        /// Of samples of which nothing else is known.
        var disappearedUnseen: Int64 = 0
    }

    private var summary: Statement
    private var bucket: Statement
    private var source: Statement
    private var sourceJSON: [Int64: [UInt8]] = [:]
    private var hasher = ContentHasher()
    private var json = Writer(capacity: 512)

    /// - Parameter schema: that of the tables; rows that are rebuilt go to temporary tables.
    static func open(_ connection: borrowing Connection, observationID: Int64, schema: String = "main") throws(ArchiveError) -> AggregateWriter {
        AggregateWriter(
            summary: try connection.prepare(
                """
                INSERT OR REPLACE INTO \(schema).observation_type_summaries(observation_id, sample_type_id, visible_record_count, appeared_count, disappeared_count, \
                representation_changed_count, earliest_start_date, latest_end_date, value_sum, value_max, aggregate_hash) VALUES (\(observationID), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                """),
            bucket: try connection.prepare(
                """
                INSERT INTO \(schema).daily_type_aggregates(observation_id, sample_type_id, bucket_start, bucket_end, visible_record_count, value_sum, value_max, source_revision_id, aggregate_hash) \
                VALUES (\(observationID), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """),
            source: try connection.prepare(
                """
                SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash, r.version FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1
                """))
    }

    private init(summary: consuming Statement, bucket: consuming Statement, source: consuming Statement) {
        self.summary = summary
        self.bucket = bucket
        self.source = source
    }

    mutating func write(_ values: AggregateValues, type: Int64, identifier: [UInt8], _ events: EventCounts) throws(ArchiveError) {
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
        summary.bind(1, type)
        summary.bind(2, values.count)
        summary.bind(3, events.appeared)
        summary.bind(4, events.disappeared)
        summary.bind(5, events.representationChanged)
        summary.bind(6, values.earliestStart)
        summary.bind(7, values.latestEnd)
        summary.bind(8, values.sum)
        summary.bind(9, values.maximum)
        summary.bind(10, hex: isWhole ? Self.digest(of: json, in: .typeSummary, &hasher) : nil)
        try summary.run(storing: 1)
    }

    mutating func write(_ values: AggregateValues, type: Int64, identifier: [UInt8], day: Range<Int64>, revision: Int64?) throws(ArchiveError) {
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
        bucket.bind(1, type)
        bucket.bind(2, Double(day.lowerBound))
        bucket.bind(3, Double(day.upperBound))
        bucket.bind(4, values.count)
        bucket.bind(5, values.sum)
        bucket.bind(6, values.maximum)
        bucket.bind(7, optional: revision)
        bucket.bind(8, hex: isWhole ? Self.digest(of: json, in: .dailyAggregate, &hasher) : nil)
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
            for (column, key) in ["bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version"].enumerated() where !source.isNull(Int32(column)) {
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
