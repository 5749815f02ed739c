package import Archive
package import Manifest
internal import Preimages

/// The hashes of rows of `observation_type_summaries` and `daily_type_aggregates`, over what the rows say
/// (`Spec/capture.md`, "Aggregates").
package struct AggregateHasher: ~Copyable {
    private var preimage = AggregatePreimage()
    private var hasher = ContentHasher()
    private var objects: ProvenanceObjects

    /// Hashes of rows of an archive, which has their sources.
    package init(_ connection: borrowing Connection) throws(ArchiveError) {
        objects = try ProvenanceObjects(connection)
    }

    /// Returns the hash of a summary; `nil` if a value has no canonical text.
    package mutating func summary(_ values: AggregateValues, _ events: EventCounts, type: [UInt8]) -> Digest? {
        let text = preimage.summary(
            appeared: events.appeared, disappeared: events.disappeared,
            representationChanged: events.representationChanged, earliestStart: values.earliestStart,
            latestEnd: values.latestEnd, sampleType: type, count: values.count, sum: values.sum,
            maximum: values.maximum)
        return text.map { hasher.digest(of: $0.span, in: .typeSummary) }
    }

    /// Returns the hash of a bucket; `nil` if a value has no canonical text.
    ///
    /// - Parameter revision: a source revision; `nil` for all records.
    package mutating func bucket(
        _ values: AggregateValues, start: Double, end: Double, type: [UInt8], revision: Int64?
    ) throws(ArchiveError) -> Digest? {
        var source: [UInt8]?
        // A revision that does not exist says nothing.
        if let revision { source = try objects.source(revision)?.text ?? Array("{}".utf8) }
        let text = preimage.bucket(
            start: start, end: end, sampleType: type, source: source, count: values.count, sum: values.sum,
            maximum: values.maximum)
        return text.map { hasher.digest(of: $0.span, in: .dailyAggregate) }
    }
}
