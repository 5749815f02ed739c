internal import CanonicalJSON

/// The preimages of aggregates (`Spec/capture.md`, "Aggregates"), without their prefixes.
public struct AggregatePreimage: ~Copyable {
    /// Counts of an observation's events of a type.
    public struct Events {
        var appeared, disappeared, representationChanged: Int64

        /// Counts.
        public init(appeared: Int64, disappeared: Int64, representationChanged: Int64) {
            self.appeared = appeared
            self.disappeared = disappeared
            self.representationChanged = representationChanged
        }
    }

    /// What summaries and buckets have in common.
    public struct Values {
        var count: Int64
        var sum, maximum: Double?

        /// Values; the sum and the maximum are finite.
        public init(count: Int64, sum: Double?, maximum: Double?) {
            self.count = count
            self.sum = sum
            self.maximum = maximum
        }
    }

    private var object = PreimageObject()

    /// Its memory is used for one after the other.
    public init() {}

    /// Of a row of `observation_type_summaries`; nil where a value has no canonical text.
    ///
    /// - Parameters:
    ///   - earliestStart: Unix seconds, as `latestEnd`.
    ///   - sampleType: the identifier in UTF-8.
    public mutating func summary(
        _ values: Values, _ events: Events, earliestStart: Double?, latestEnd: Double?, sampleType: [UInt8]
    ) -> [UInt8]? {
        object.begin()
        object.put("appeared_count", events.appeared)
        object.put("disappeared_count", events.disappeared)
        object.put("earliest_start_date", moment: earliestStart)
        object.put("latest_end_date", moment: latestEnd)
        object.put("representation_changed_count", events.representationChanged)
        object.put("sample_type", text: sampleType)
        return end(with: values)
    }

    /// Of a row of `daily_type_aggregates`; nil where a value has no canonical text.
    ///
    /// - Parameters:
    ///   - day: Unix seconds.
    ///   - sampleType: the identifier in UTF-8.
    ///   - source: `ProvenancePreimage.source`; nil for all sources.
    public mutating func bucket(
        _ values: Values, day: Range<Int64>, sampleType: [UInt8], source: [UInt8]?
    ) -> [UInt8]? {
        object.begin()
        object.put("bucket_end", moment: Double(day.upperBound))
        object.put("bucket_start", moment: Double(day.lowerBound))
        object.put("sample_type", text: sampleType)
        object.put("source", object: source)
        return end(with: values)
    }

    private mutating func end(with values: Values) -> [UInt8]? {
        object.put("value_max", values.maximum)
        object.put("value_sum", values.sum)
        object.put("visible_record_count", values.count)
        let text = object.end()
        return object.isWhole ? text : nil
    }
}
