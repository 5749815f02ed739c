internal import Archive
internal import Changes
internal import CanonicalJSON

/// Writes `finding` items (`Spec/changes.md`, Findings).
enum FindingWriter {
    static func document(_ finding: ChangeFinding, _ types: TypeNames) -> Document {
        let writer =
            switch finding.content {
            case .disappearance(let before, let after, let disappeared, let elapsed):
                disappearance(before, after, disappeared, elapsed, finding.type, types)
            case .divergence(let divergence): write(divergence, finding.type, types)
            case .exactDuplicate(let start, let end, let hash, let count):
                exactDuplicate(start, end, hash, count, finding.type, types)
            case .lateArrival(let arrival): write(arrival, finding.type, types)
            case .semanticDuplicate(let fingerprint, let payloads, let records):
                semanticDuplicate(fingerprint, payloads, records, finding.type, types)
            case .source(let change): write(change)
            }
        return Document(bytes: writer, type: finding.type ?? -1)
    }

    /// Returns the name of a kind of finding.
    static func name(_ content: ChangeFinding.Content) -> String {
        switch content {
        case .disappearance: "disappearance"
        case .divergence: "divergence"
        case .exactDuplicate: "exact_duplicate"
        case .lateArrival: "late_arrival"
        case .semanticDuplicate: "semantic_duplicate"
        case .source(let change): name(change.kind)
        }
    }

    private static func name(_ kind: SourceChange.Kind) -> String {
        switch kind {
        case .appeared: "source_appeared"
        case .changed: "source_changed"
        case .quiet: "source_quiet"
        }
    }

    private static func disappearance(
        _ before: Int, _ after: Int, _ disappeared: Int, _ elapsed: Double?, _ type: Int?, _ types: TypeNames
    ) -> [UInt8] {
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
        writer.put("baseline_mean", divergence.baselineMean)
        writer.put("baseline_standard_deviation", divergence.baselineDeviation)
        writer.put("baseline_start", moment: divergence.baselineStart)
        writer.put("current_day_count", divergence.currentDayCount)
        writer.put("current_end", moment: divergence.currentEnd)
        writer.put("current_mean", divergence.currentMean)
        writer.put("current_standard_deviation", divergence.currentDeviation)
        writer.put("current_start", moment: divergence.currentStart)
        writer.put("finding", "divergence")
        writer.put("item_kind", "finding")
        writer.put("measure", divergence.measure)
        writer.put("method", divergence.method)
        writer.put("ratio", divergence.currentDeviation / divergence.baselineDeviation)
        writer.putType(type, types)
        writer.put("unit", divergence.unit)
        return writer.finish()
    }

    private static func exactDuplicate(
        _ start: Double?, _ end: Double?, _ hash: [UInt8], _ count: Int, _ type: Int?, _ types: TypeNames
    ) -> [UInt8] {
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

    private static func semanticDuplicate(
        _ fingerprint: [UInt8], _ payloads: Int, _ records: Int, _ type: Int?, _ types: TypeNames
    ) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("finding", "semantic_duplicate")
        writer.put("item_kind", "finding")
        writer.put("payload_count", payloads)
        writer.put("record_count", records)
        writer.putType(type, types)
        writer.put("semantic_fingerprint", text: fingerprint)
        return writer.finish()
    }

    private static func write(_ change: SourceChange) -> [UInt8] {
        var writer = DocumentWriter()
        writer.put("after_count", change.after)
        writer.put("before_count", change.before > 0 ? change.before : nil)
        writer.put("end_date", moment: change.end)
        writer.put("finding", name(change.kind))
        writer.put("item_kind", "finding")
        writer.put("source") { writer in
            writer.put("bundle_identifier", text: change.bundleIdentifier)
            writer.put("product_type", text: change.productType)
            writer.put("source_name_hash", text: change.sourceNameHash)
        }
        writer.put("start_date", moment: change.start)
        return writer.finish()
    }
}
