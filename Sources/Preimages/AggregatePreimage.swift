internal import CanonicalJSON

/// The preimages of aggregates (`Spec/capture.md`, "Aggregates"), without their prefixes. Moments are Unix seconds; the
/// sum and the maximum are finite; `sampleType` is the identifier in UTF-8.
public struct AggregatePreimage: ~Copyable {
    private var object = PreimageObject()

    /// Its memory is used for one after the other.
    public init() {}

    /// Returns the preimage of a row of `observation_type_summaries`; `nil` if a value has no canonical text.
    public mutating func summary(
        appeared: Int64, disappeared: Int64, representationChanged: Int64, earliestStart: Double?, latestEnd: Double?,
        sampleType: [UInt8], count: Int64, sum: Double?, maximum: Double?
    ) -> [UInt8]? {
        object.begin()
        object.put("appeared_count", appeared)
        object.put("disappeared_count", disappeared)
        object.put("earliest_start_date", moment: earliestStart)
        object.put("latest_end_date", moment: latestEnd)
        object.put("representation_changed_count", representationChanged)
        object.put("sample_type", text: sampleType)
        return finish(count, sum, maximum)
    }

    /// Returns the preimage of a row of `daily_type_aggregates`; `nil` if a value has no canonical text.
    ///
    /// - Parameter source: `ProvenancePreimage.source`; `nil` for all sources.
    public mutating func bucket(
        start: Double, end: Double, sampleType: [UInt8], source: [UInt8]?, count: Int64, sum: Double?, maximum: Double?
    ) -> [UInt8]? {
        object.begin()
        object.put("bucket_end", moment: end)
        object.put("bucket_start", moment: start)
        object.put("sample_type", text: sampleType)
        object.put("source", object: source)
        return finish(count, sum, maximum)
    }

    private mutating func finish(_ count: Int64, _ sum: Double?, _ maximum: Double?) -> [UInt8]? {
        object.put("value_max", maximum)
        object.put("value_sum", sum)
        object.put("visible_record_count", count)
        let text = object.end()
        return object.isWhole ? text : nil
    }
}
