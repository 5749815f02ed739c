/// The differences of a source that is sent again from the capture of its date (`Spec/capture.md`, "Sent again").
public struct ObservationDifferences: Sendable {
    /// A difference that is not evidence of its own.
    public struct Fault: Sendable {
        /// The sample type; `nil` if it cannot be read.
        public let type: String?
        /// For example `2 records are missing`.
        public let text: String
    }

    /// Sample types in which there would be events.
    public internal(set) var types: [String] = []
    /// The first contradiction, or the first thing that is missing.
    public internal(set) var fault: Fault?
    /// `true` if more was sent than was captured before, and nothing contradicts it.
    var isLonger = false
}
