/// What a type run states of its type when its observation ends (`Spec/capture.md`, "Type runs"): whether what is
/// visible was verified, is continued without a break since it was, or is not known.
package struct TypeRunState: Equatable, Sendable {
    package let state: String
    /// Why the run continues nothing, or disagrees: words with spaces between them; `nil` if it does not.
    package let discontinuity: String?

    /// A run, its type and the run before it.
    package struct Run {
        package var isCompleted = false
        package var isFullScan = false
        /// Whether the run begins at the anchor that the completed run before it ended with.
        package var hasAnchorOfEarlier = false
        /// The state of that run.
        package var earlierState: String?
        /// How many samples the source stated as visible, how many are, and how many more it may have.
        package var statedCount: Int64?
        package var visibleCount: Int64 = 0
        package var rejectedCount: Int64 = 0
        package var withheldCount: Int64 = 0
        /// Whether the observation states that the clock ran backwards.
        package var isClockBackwards = false

        /// A run that did not complete.
        package init() {}
    }

    /// Derives the state of a run.
    package init(of run: Run) {
        var words: [String] = []
        if run.isCompleted, !run.isFullScan, !run.hasAnchorOfEarlier { words.append("anchor_broken") }
        if run.isCompleted, let stated = run.statedCount {
            let (most, isBeyond) = run.visibleCount.addingReportingOverflow(run.rejectedCount)
            if stated < run.visibleCount || (stated > most && !isBeyond) { words.append("count_differs") }
        }
        let isSound = run.isCompleted && words.isEmpty && run.withheldCount == 0
        let isVerified = run.isFullScan || run.statedCount != nil
        let continues = run.earlierState == "verified" || run.earlierState == "continued"
        state = !isSound ? "unknown" : isVerified ? "verified" : continues ? "continued" : "unknown"
        // What is visible is decided by ids, not by dates: the word is not evidence against the state.
        if run.isClockBackwards { words.append("clock_backwards") }
        discontinuity = words.isEmpty ? nil : words.joined(separator: " ")
    }
}
