/// The way in which a capture treats an observation that it begins.
public enum ObservationStart: Sendable {
    case new
    /// It is running, and the newest of the archive: everything is sent again.
    case resumed
    /// It was captured before: what is sent is compared, and nothing is kept.
    case compared
}
