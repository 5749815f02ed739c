/// How an observation stands to what the archive has.
public enum ObservationStart: Sendable {
    case new
    /// It was begun before and did not end well: everything is sent again.
    case resumed
    /// It ended before: what is sent is compared, and nothing is kept.
    case compared
}
