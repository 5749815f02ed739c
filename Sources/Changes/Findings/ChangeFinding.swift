internal import Archive

/// One piece of evidence that is worth a look (`Spec/changes.md`, Findings). It names no cause.
public struct ChangeFinding: Sendable {
    /// Index into the types of the context; nil for a type without an identifier.
    public let type: Int?
    public let content: Content

    /// The content of a finding.
    public enum Content: Sendable {
        /// Records of a type are no longer visible.
        case disappearance(before: Int, after: Int, disappeared: Int, elapsedSeconds: Double?)
        /// The daily figures of a type spread more than they did.
        case divergence(Divergence)
        /// Samples with the same payload. The dates are Unix seconds.
        case exactDuplicate(start: Double?, end: Double?, payloadHash: [UInt8], recordCount: Int)
        /// A record that was first seen long after its date.
        case lateArrival(LateArrival)
        /// Samples that mean the same and say it differently.
        case semanticDuplicate(fingerprint: [UInt8], payloadCount: Int, recordCount: Int)
        /// A source that appeared, states another product, or went quiet; it is of no type.
        case source(SourceChange)
    }

    /// The figures of a type on the days of two spans, in Unix seconds: sums of amounts, means of readings.
    public struct Divergence: Sendable {
        public let baselineStart, currentStart, currentEnd: Double
        public let baselineDayCount, currentDayCount: Int
        /// Of the type, as `Spec/measures.md` names them.
        public let measure, method: String
        public let unit: String?
        /// Of the days' values, in the canonical unit of the type.
        public let baselineMean, currentMean: Double
        public let baselineDeviation, currentDeviation: Double
    }

    /// A record by its identity; texts in UTF-8, dates in Unix seconds.
    public struct LateArrival: Sendable {
        public let delaySeconds: Double
        public let start, firstSeenAt: Double
        public let end: Double?
        public let firstSeenObservationID: Int64
        public let payloadHash, sampleUUIDHash, strictFingerprint: [UInt8]?
    }
}
