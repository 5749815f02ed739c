/// The way in which the source of an observation ended.
public enum SourceEnd: String, Sendable {
    /// It was read to its end.
    case complete
    /// It ended early.
    case truncated
    /// It could not be read to its end.
    case malformed
    /// It says that its capture failed.
    case failed
    /// It was stopped, by itself or by the user.
    case cancelled

    /// The status of an observation whose source ended like this; nil where it was read to its end.
    var status: String? {
        switch self {
        case .complete: nil
        case .truncated: "partial_truncated"
        case .malformed: "partial_malformed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
