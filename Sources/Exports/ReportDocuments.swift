internal import Archive
internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// The items of the reports whose items come from no row.
enum ReportDocuments {
    /// Calls `take` with the items of a summary or of findings, in order.
    static func write(
        _ kind: ExportKind, of archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, _ thresholds: [Threshold: Double]?, take: (Document) throws -> Void
    ) throws {
        let types = TypeNames(context.types)
        if kind == .diffSummary {
            var comparisons = try archive.comparisons(of: scope, in: context, thresholds: thresholds ?? [:])
            while let comparison = try comparisons.next() { try take(ComparisonWriter.document(comparison, types)) }
        } else {
            var findings = try archive.findings(of: scope, in: context, thresholds: thresholds ?? [:])
            while let finding = try findings.next() { try take(FindingWriter.document(finding, types)) }
        }
    }
}

/// Writes the members of items that come from no row: members in the order of their keys, absent ones left out.
struct DocumentWriter: ~Copyable {
    private var json = Writer(capacity: 1024)

    init() { json.beginObject() }

    /// The finished item.
    consuming func finish() -> [UInt8] {
        json.endObject()
        return json.bytes
    }

    mutating func put(_ key: Key, _ number: Int?) {
        guard let number else { return }
        json.key(key)
        json.integer(Int64(number))
    }

    /// A number that is not finite has no member; −0 is 0.
    mutating func put(_ key: Key, _ number: Double?) {
        guard let number, number.isFinite else { return }
        json.key(key)
        json.number(number)
    }

    mutating func put(_ key: Key, _ text: String?) {
        guard let text else { return }
        json.key(key)
        json.string(text)
    }

    mutating func put(_ key: Key, _ value: Bool) {
        json.key(key)
        json.bool(value)
    }

    /// UTF-8 that was checked.
    mutating func put(_ key: Key, text: [UInt8]?) {
        guard let text else { return }
        json.key(key)
        do throws(JSONError) { try json.string(text.span) } catch { preconditionFailure("text that was checked is not UTF-8") }
    }

    mutating func put(_ key: Key, moment: Double?) {
        guard let moment, let text = try? TimestampText(moment) else { return }
        put(key, text.string)
    }

    mutating func put(_ key: Key, object: (inout DocumentWriter) -> Void) {
        json.key(key)
        json.beginObject()
        object(&self)
        json.endObject()
    }

    mutating func put<Element>(_ key: Key, array: [Element], _ element: (Element, inout DocumentWriter) -> Void) {
        json.key(key)
        json.beginArray()
        for each in array {
            json.beginObject()
            element(each, &self)
            json.endObject()
        }
        json.endArray()
    }

    mutating func put(_ key: Key, texts: [String]) {
        json.key(key)
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }

    /// The identifier of a type, which has a canonical form where it has an index.
    mutating func putType(_ index: Int?, _ types: TypeNames) { put("sample_type", text: index.flatMap { types.name($0) }) }
}

/// Writes `comparison` items (`Spec/changes.md`, Comparison).
enum ComparisonWriter {
    static func document(_ comparison: Comparison, _ types: TypeNames) -> Document {
        var writer = DocumentWriter()
        var isWhole = true
        if case .allTypes = comparison.subject { isWhole = false }
        writer.put("after") { write(comparison.after, isComplete: isWhole, &$0) }
        writer.put("appeared_count", comparison.appeared)
        writer.put("before") { write(comparison.before, isComplete: isWhole, &$0) }
        writer.put("disappeared_count", comparison.disappeared)
        if case .window(_, _, let evidence, _, _) = comparison.subject { writer.put("evidence") { write(evidence, &$0) } }
        writer.put("item_kind", "comparison")
        switch comparison.subject {
        case .allTypes(let labels), .type(let labels): write(labels, &writer)
        case .window(_, _, _, let label, let reasons):
            writer.put("label", label.rawValue)
            if !reasons.isEmpty { writer.put("reasons", texts: reasons.map(\.rawValue)) }
        }
        writer.put("representation_changed_count", comparison.representationChanged)
        writer.putType(comparison.type, types)
        if isWhole { writer.put("sources", array: comparison.sources, write) }
        if case .window(let start, let end, _, _, _) = comparison.subject {
            writer.put("window_end", moment: end)
            writer.put("window_start", moment: start)
        }
        return Document(bytes: writer.finish(), type: comparison.type ?? -1)
    }

    private static func write(_ labels: [Comparison.Label: Int], _ writer: inout DocumentWriter) {
        writer.put("labels") { writer in for (label, count) in labels.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { writer.put(Key(label.rawValue), count) } }
    }

    private static func write(_ side: Comparison.Side, isComplete: Bool, _ writer: inout DocumentWriter) {
        guard isComplete else { return writer.put("record_count", side.recordCount) }
        writer.put("earliest_start_date", moment: side.earliestStart)
        writer.put("interval_seconds", side.intervalSeconds)
        writer.put("latest_end_date", moment: side.latestEnd)
        writer.put("mean_interval_seconds", side.meanIntervalSeconds)
        writer.put("record_count", side.recordCount)
        writer.put("records_per_hour", side.recordsPerHour)
        writer.put("unit", text: side.unit)
        writer.put("value_count", side.valueCount)
        writer.put("value_max", side.maximum)
        writer.put("value_sum", side.sum)
    }

    private static func write(_ evidence: Comparison.Evidence, _ writer: inout DocumentWriter) {
        writer.put("coverage_overlap", evidence.coverageOverlap)
        writer.put("record_count_delta", evidence.recordCountDelta)
        writer.put("sources_compatible", evidence.areSourcesCompatible)
        writer.put("value_sum_delta", evidence.sumDelta)
    }

    private static func write(_ count: Comparison.SourceCount, _ writer: inout DocumentWriter) {
        writer.put("after_count", count.after)
        writer.put("before_count", count.before)
        writer.put("bundle_identifier", text: count.source.bundleIdentifier)
        writer.put("operating_system_version", text: count.source.operatingSystemVersion)
        writer.put("product_type", text: count.source.productType)
        writer.put("version", text: count.source.version)
    }
}

/// Writes `finding` items (`Spec/changes.md`, Findings).
enum FindingWriter {
    static func document(_ finding: ChangeFinding, _ types: TypeNames) -> Document {
        let writer =
            switch finding.content {
            case .disappearance(let before, let after, let disappeared, let elapsed): disappearance(before, after, disappeared, elapsed, finding.type, types)
            case .divergence(let divergence): write(divergence, finding.type, types)
            case .exactDuplicate(let start, let end, let hash, let count): exactDuplicate(start, end, hash, count, finding.type, types)
            case .lateArrival(let arrival): write(arrival, finding.type, types)
            case .semanticDuplicate(let fingerprint, let payloads, let records): semanticDuplicate(fingerprint, payloads, records, finding.type, types)
            }
        return Document(bytes: writer, type: finding.type ?? -1)
    }

    private static func disappearance(_ before: Int, _ after: Int, _ disappeared: Int, _ elapsed: Double?, _ type: Int?, _ types: TypeNames) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("after_count", after)
        writer.put("before_count", before)
        writer.put("disappeared_count", disappeared)
        writer.put("disappeared_share", Double(disappeared) / Double(before))
        writer.put("elapsed_seconds", elapsed)
        writer.put("finding", "disappearance")
        writer.put("item_kind", "finding")
        writer.putType(type, types)
        return writer.finish()
    }

    private static func write(_ divergence: ChangeFinding.Divergence, _ type: Int?, _ types: TypeNames) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("baseline_day_count", divergence.baselineDayCount)
        writer.put("baseline_standard_deviation", divergence.baselineDeviation)
        writer.put("baseline_start", moment: divergence.baselineStart)
        writer.put("current_day_count", divergence.currentDayCount)
        writer.put("current_end", moment: divergence.currentEnd)
        writer.put("current_standard_deviation", divergence.currentDeviation)
        writer.put("current_start", moment: divergence.currentStart)
        writer.put("finding", "divergence")
        writer.put("item_kind", "finding")
        writer.put("ratio", divergence.currentDeviation / divergence.baselineDeviation)
        writer.putType(type, types)
        return writer.finish()
    }

    private static func exactDuplicate(_ start: Double?, _ end: Double?, _ hash: [UInt8], _ count: Int, _ type: Int?, _ types: TypeNames) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("end_date", moment: end)
        writer.put("finding", "exact_duplicate")
        writer.put("item_kind", "finding")
        writer.put("payload_hash", text: hash)
        writer.put("record_count", count)
        writer.putType(type, types)
        writer.put("start_date", moment: start)
        return writer.finish()
    }

    private static func write(_ arrival: ChangeFinding.LateArrival, _ type: Int?, _ types: TypeNames) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("delay_seconds", arrival.delaySeconds)
        writer.put("end_date", moment: arrival.end)
        writer.put("finding", "late_arrival")
        writer.put("first_seen_at", moment: arrival.firstSeenAt)
        writer.put("first_seen_observation_id", Int(arrival.firstSeenObservationID))
        writer.put("item_kind", "finding")
        writer.put("payload_hash", text: arrival.payloadHash)
        writer.putType(type, types)
        writer.put("sample_uuid_hash", text: arrival.sampleUUIDHash)
        writer.put("start_date", moment: arrival.start)
        writer.put("strict_fingerprint", text: arrival.strictFingerprint)
        return writer.finish()
    }

    private static func semanticDuplicate(_ fingerprint: [UInt8], _ payloads: Int, _ records: Int, _ type: Int?, _ types: TypeNames) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("finding", "semantic_duplicate")
        writer.put("item_kind", "finding")
        writer.put("payload_count", payloads)
        writer.put("record_count", records)
        writer.putType(type, types)
        writer.put("semantic_fingerprint", text: fingerprint)
        return writer.finish()
    }
}

/// Adds up the records of each type for an observation manifest (`Spec/changes.md`, Observation manifest).
struct TypeManifests: ~Copyable {
    private var type: Int?
    private var hasher = ItemListHasher()
    private var itemCount = 0
    private var defectCount = 0
    private var finished: [(type: Int, itemCount: Int, defectCount: Int, hash: String)] = []
    private let types: TypeNames

    init(_ types: TypeNames) { self.types = types }

    /// Adds the records of a piece.
    mutating func add(_ chunk: BuiltChunk) {
        for (index, row) in chunk.rows.enumerated() { add(type: row.type, defectCount: row.defectCount, quotedHash: chunk.quotedHashes.span.extracting(index * 67..<index * 67 + 66)) }
    }

    /// Adds a record. They come in bundle order, so each type is complete when the next begins; types without an identifier share one item.
    mutating func add(type index: Int, defectCount count: Int, quotedHash: Span<UInt8>) {
        let next = index >= 0 && types.name(index) != nil ? index : -1
        if type != next { end() }
        type = next
        itemCount += 1
        defectCount += count
        hasher.add(quotedHashes: quotedHash)
    }

    private mutating func end() {
        guard let type else { return }
        var complete = ItemListHasher()
        swap(&complete, &hasher)
        finished.append((type, itemCount, defectCount, complete.finish().hex))
        (itemCount, defectCount) = (0, 0)
    }

    /// An item per type.
    consuming func finish() -> [Document] {
        end()
        return finished.map { entry in
            var writer = DocumentWriter()
            writer.put("defect_count", entry.defectCount)
            writer.put("item_count", entry.itemCount)
            writer.put("item_kind", "type_manifest")
            writer.put("items_hash", entry.hash)
            writer.putType(entry.type >= 0 ? entry.type : nil, types)
            return Document(bytes: writer.finish(), type: entry.type)
        }
    }
}
