internal import Archive
internal import CanonicalJSON

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
        if case .window(_, _, let evidence, _, _) = comparison.subject {
            writer.put("evidence") { write(evidence, &$0) }
        }
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
        writer.put("labels") { writer in
            for (label, count) in labels.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.put(Key(label.rawValue), count)
            }
        }
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
