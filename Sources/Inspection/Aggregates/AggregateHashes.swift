internal import Archive
internal import CanonicalJSON
internal import Codes
internal import Manifest
internal import SQLite
internal import Timestamps

/// The hashes of stored aggregate rows, over what the rows say (`Spec/capture.md`, "Aggregates").
struct AggregateHashes: ~Copyable {
    private var objects: StoredObjects
    private var json = Writer(capacity: 512)
    /// Before the object: where the writer goes back to when a value has no canonical form.
    private let beginning: Writer.Mark
    private var hasher = ContentHasher()

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        objects = try StoredObjects(reader)
        beginning = json.mark
    }

    /// Columns as `BucketSweep` selects them.
    mutating func check(bucket row: borrowing Statement, type: [UInt8]?, _ log: inout CheckLog) throws(ArchiveError) {
        guard let type, let start = row.real(3), let end = row.real(4), let endText = try? TimestampText(end),
            let startText = try? TimestampText(start)
        else { return }
        let source = try row.exactInteger(8).map { id throws(ArchiveError) in
            try objects.object(.source, id: id)?.text ?? Array("{}".utf8)
        }
        begin()
        json.member("bucket_end", endText.string)
        json.member("bucket_start", startText.string)
        put(type)
        if let source {
            json.key("source")
            json.embed(canonical: source.span)
        }
        guard finish(row, maximum: 7, sum: 6, count: 5) else { return }
        compare(row, 9, .dailyAggregate, "daily_type_aggregates", &log)
    }

    /// Columns as `AggregateCheck` selects them.
    mutating func check(summary row: borrowing Statement, type: [UInt8]?, _ log: inout CheckLog) {
        guard let type, let appeared = row.canonicalInteger(4), let disappeared = row.canonicalInteger(5),
            let changed = row.canonicalInteger(6)
        else { return }
        let (earliest, latest) = (row.real(7), row.real(8))
        let (earliestText, latestText) = (
            earliest.flatMap { try? TimestampText($0) }, latest.flatMap { try? TimestampText($0) }
        )
        guard (earliest == nil) == (earliestText == nil), (latest == nil) == (latestText == nil) else { return }
        begin()
        json.member("appeared_count", appeared)
        json.member("disappeared_count", disappeared)
        if let earliestText { json.member("earliest_start_date", earliestText.string) }
        if let latestText { json.member("latest_end_date", latestText.string) }
        json.member("representation_changed_count", changed)
        put(type)
        guard finish(row, maximum: 10, sum: 9, count: 3) else { return }
        compare(row, 11, .typeSummary, "observation_type_summaries", &log)
    }

    private mutating func begin() {
        json.removeAll()
        json.beginObject()
    }

    /// Writes what both kinds end with; false, and nothing of the object is left, where a value has no canonical form.
    private mutating func finish(_ row: borrowing Statement, maximum: Int32, sum: Int32, count: Int32) -> Bool {
        for (key, column) in [("value_max", maximum), ("value_sum", sum)] as [(Key, Int32)] where !row.isNull(column) {
            guard let value = row.real(column), value.isFinite else { return takeBack() }
            json.key(key)
            json.number(value)
        }
        guard let count = row.canonicalInteger(count) else { return takeBack() }
        json.member("visible_record_count", count)
        json.endObject()
        return true
    }

    private mutating func takeBack() -> Bool {
        json.rewind(to: beginning)
        return false
    }

    private mutating func compare(
        _ row: borrowing Statement, _ column: Int32, _ domain: Domain, _ table: String, _ log: inout CheckLog
    ) {
        let bytes = json.bytes
        let digest = hasher.digest(of: bytes.span, in: domain)
        if !row.isHex(column, digest) {
            log.add(
                .aggregatesHash, table, row: row.exactInteger(0), column: "aggregate_hash",
                expected: "the hash of what the row says")
        }
    }

    private mutating func put(_ type: [UInt8]) {
        json.key("sample_type")
        try? json.string(type.span)
    }
}
