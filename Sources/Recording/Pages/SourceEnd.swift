/// How the source of an observation ended.
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
}
