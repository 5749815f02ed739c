internal import Answer
internal import Archive
internal import Changes
internal import CanonicalJSON

/// Writes `comparison` items (`Spec/changes.md`, Comparison).
enum ComparisonWriter {
    /// - Parameters:
    ///   - answer: of all types of a page.
    ///   - days: of a page of one observation.
    static func document(
        _ comparison: Comparison, _ types: TypeNames, answer: Answer? = nil, days: inout RecordDays?
    ) -> Document {
        var writer = DocumentWriter()
        let isWhole = if case .allTypes = comparison.subject { false } else { true }
        var window: Comparison.Window?
        if case .window(let found) = comparison.subject { window = found }
        writer.put("after") { write(comparison.after, isComplete: isWhole, &$0) }
        if let answer { writer.put("answer") { AnswerWriter.write(answer, &$0) } }
        writer.put("appeared_count", comparison.appeared)
        writer.put("before") { write(comparison.before, isComplete: isWhole, &$0) }
        write(comparison.calendar, &writer)
        if !comparison.context.isEmpty { writer.put("context", array: comparison.context, write) }
        if let crosses = window?.crossesBound { writer.put("crosses_bound", crosses) }
        writer.put("disappeared_count", comparison.disappeared)
        if let window { writer.put("evidence") { write(window.evidence, &$0) } }
        if !comparison.examples.isEmpty { writer.put("examples", array: comparison.examples, write) }
        let span = isWhole ? nil : days?.span
        writer.put("first_date", span.flatMap { AnswerWriter.date($0.lowerBound) })
        writer.put("item_kind", "comparison")
        switch comparison.subject {
        case .allTypes(let labels), .type(let labels, _, _): write(labels, &writer)
        case .window(let window): writer.put("label", window.label.rawValue)
        }
        writer.put("last_date", span.flatMap { AnswerWriter.date($0.upperBound) })
        write(comparison.replacements.left, "left_over", &writer)
        let alike = window?.lookAlikes ?? []
        if !alike.isEmpty { writer.put("look_alikes", texts: alike.map(\.rawValue)) }
        if isWhole {
            writer.put("measure", comparison.measure)
            writer.put("method", comparison.method)
        }
        if !isWhole { days?.writeNights(&writer) }
        if !comparison.observations.isEmpty { writer.put("observations", array: comparison.observations, write) }
        write(comparison.pairs, "pair_counts", &writer)
        if let window, !window.reasons.isEmpty { writer.put("reasons", texts: window.reasons.map(\.rawValue)) }
        if let rejected = comparison.rejected { writer.put("rejected_count", rejected) }
        write(comparison.links, &writer)
        let replaced = comparison.replacements.entries
        if !replaced.isEmpty { writer.put("replaced", array: replaced, write) }
        writer.put("representation_changed_count", comparison.representationChanged)
        writer.putType(comparison.type, types)
        if let signatures = window?.signatures { writer.put("signatures") { write(signatures, &$0) } }
        if isWhole { writer.put("sources", array: comparison.sources, write) }
        if case .type(_, let standing, let reasons) = comparison.subject {
            writer.put("standing", standing.rawValue)
            if !reasons.isEmpty { writer.put("standing_reasons", texts: reasons.map(\.rawValue)) }
        }
        if !comparison.statuses.isEmpty { writer.put("statuses", texts: comparison.statuses) }
        if !comparison.strip.isEmpty { writer.put("strip", array: comparison.strip, write) }
        if let window {
            writer.put("window_end", moment: window.end)
            writer.put("window_start", moment: window.start)
        }
        if let withheld = comparison.withheld { writer.put("withheld_count", withheld) }
        if case .type = comparison.subject { days?.writeYears(of: comparison.type.flatMap { types.name($0) }, &writer) }
        return Document(bytes: writer.finish(), type: comparison.type ?? -1)
    }

    private static func write(
        _ calendar: (bucketDays: Int, buckets: [ChangeCalendar.Bucket])?, _ writer: inout DocumentWriter
    ) {
        guard let calendar else { return }
        writer.put("calendar") { writer in
            writer.put("bucket_days", calendar.bucketDays)
            writer.put("buckets", array: calendar.buckets, write)
        }
    }

    private static func write(_ links: LinkCounts, _ writer: inout DocumentWriter) {
        if links.appeared > 0 { writer.put("relationship_appeared_count", links.appeared) }
        if links.changed > 0 { writer.put("relationship_changed_count", links.changed) }
        if links.disappeared > 0 { writer.put("relationship_disappeared_count", links.disappeared) }
    }

    private static func write(_ counts: [String: Int], _ name: Key, _ writer: inout DocumentWriter) {
        guard !counts.isEmpty else { return }
        writer.put(name) { writer in
            for (kind, count) in counts.sorted(by: { $0.key < $1.key }) { writer.put(Key(kind), count) }
        }
    }

    private static func write(
        _ sides: Comparison.Replacements.Sides, _ name: Key, _ writer: inout DocumentWriter
    ) {
        guard sides.before + sides.after > 0 else { return }
        writer.put(name) { writer in
            writer.put("after_count", sides.after)
            writer.put("before_count", sides.before)
        }
    }

    private static func write(_ entry: Comparison.Replacements.Entry, _ writer: inout DocumentWriter) {
        writer.put("after_count", entry.sides.after)
        writer.put("before_count", entry.sides.before)
        writer.put("outcome", entry.outcome?.name)
        writer.put("pair", entry.kind.name)
    }

    private static func write(_ entry: Comparison.ContextEntry, _ writer: inout DocumentWriter) {
        writer.put("event_kind", entry.kind)
        writer.put("logged_at", moment: entry.loggedAt)
        writer.put("observation_id", Int(entry.observationID))
    }

    private static func write(_ month: Comparison.StripMonth, _ writer: inout DocumentWriter) {
        writer.put("after_count", month.afterCount)
        writer.put("after_value", month.after)
        writer.put("before_count", month.beforeCount)
        writer.put("before_value", month.before)
        writer.put("start", moment: month.start)
    }

    private static func write(_ example: Comparison.Example, _ writer: inout DocumentWriter) {
        writer.put("change", example.isChanged ? "representation_changed" : "disappeared")
        writer.put("end_after", moment: example.endAfter)
        writer.put("end_date", moment: example.end)
        writer.put("start_after", moment: example.startAfter)
        writer.put("start_date", moment: example.start)
        writer.put("value_after", example.valueAfter)
        writer.put("value_before", example.valueBefore)
    }

    private static func write(_ point: Comparison.ObservationPoint, _ writer: inout DocumentWriter) {
        writer.put("observation_id", Int(point.id))
        writer.put("observed_at", moment: point.observedAt)
        writer.put("record_count", point.recordCount)
        writer.put("status", point.status)
    }

    private static func write(_ bucket: ChangeCalendar.Bucket, _ writer: inout DocumentWriter) {
        writer.put("appeared_count", bucket.appeared)
        if bucket.condensed > 0 { writer.put("condensed_count", bucket.condensed) }
        writer.put("disappeared_count", bucket.disappeared)
        if bucket.reIdentified > 0 { writer.put("re_identified_count", bucket.reIdentified) }
        writer.put("representation_changed_count", bucket.representationChanged)
        writer.put("start", moment: bucket.start)
    }

    private static func write(_ labels: [WindowLabel: Int], _ writer: inout DocumentWriter) {
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
        if side.otherUnitCount > 0 { writer.put("other_unit_count", side.otherUnitCount) }
        if !side.parts.isEmpty { writer.put("parts", array: side.parts, write) }
        writer.put("record_count", side.recordCount)
        writer.put("records_per_hour", side.recordsPerHour)
        writer.put("unit", side.unit)
        writer.put("value_count", side.valueCount)
        writer.put("value_max", side.maximum)
        writer.put("value_mean", side.mean)
        writer.put("value_min", side.minimum)
        writer.put("value_sum", side.sum)
    }

    private static func write(_ part: Comparison.Part, _ writer: inout DocumentWriter) {
        if let distance = part.distance {
            writer.put("distance", distance.sum)
            writer.put("distance_count", distance.count)
        }
        if let energy = part.energy {
            writer.put("energy", energy.sum)
            writer.put("energy_count", energy.count)
        }
        writer.put("record_count", part.recordCount)
        writer.put("seconds", part.seconds)
        writer.put("value", Int(part.value))
    }

    private static func write(_ evidence: Comparison.Evidence, _ writer: inout DocumentWriter) {
        let coverage = evidence.coverage
        writer.put("common_seconds", coverage?.commonSeconds)
        writer.put("coverage_overlap", coverage?.overlap)
        writer.put("covered_seconds_after", coverage?.secondsAfter)
        writer.put("covered_seconds_before", coverage?.secondsBefore)
        writer.put("instant_overlap", coverage?.instantOverlap)
        writer.put("instants_before", coverage?.instantsBefore)
        writer.put("instants_within", coverage?.instantsWithin)
        writer.put("measure_delta", evidence.measureDelta)
        writer.put("measure_kept", optional: evidence.isMeasureKept)
        writer.put("metadata_compatible", evidence.isMetadataCompatible)
        writer.put("peaks_kept", optional: evidence.arePeaksKept)
        writer.put("record_count_delta", evidence.recordCountDelta)
        writer.put("sources_compatible", evidence.areSourcesCompatible)
        writer.put("visible_end", moment: evidence.visibleEnd)
        writer.put("visible_start", moment: evidence.visibleStart)
    }

    private static func write(_ signatures: Comparison.Signatures, _ writer: inout DocumentWriter) {
        writer.put("condensed_again", optional: signatures.isCondensedAgain)
        writer.put("equal_rate", optional: signatures.isEqualRate)
        writer.put("equal_value", optional: signatures.isEqualValue)
        writer.put("inside_workout", optional: signatures.isInsideWorkout)
        writer.put("older_than_90_days", optional: signatures.isOld)
        writer.put("within_five_minutes", signatures.isShort)
    }

    private static func write(_ count: Comparison.SourceCount, _ writer: inout DocumentWriter) {
        writer.put("after_count", count.after)
        writer.put("before_count", count.before)
        writer.put("bundle_identifier", text: count.source.bundleIdentifier)
        writer.put("operating_system_version", text: count.source.operatingSystemVersion)
        writer.put("product_type", text: count.source.productType)
        writer.put("source_name_hash", text: count.source.sourceNameHash)
        writer.put("version", text: count.source.version)
    }
}
