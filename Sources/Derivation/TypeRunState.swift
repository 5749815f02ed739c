/// The state that a type run gives its type when its observation ends (`Spec/capture.md`, "Type runs"). The visible
/// samples were verified, are continued without a break since they were, or are not known.
package struct TypeRunState: Equatable, Sendable {
    package let state: String
    /// Why the run continues nothing, or does not know what is visible: words with spaces between them; `nil` if
    /// nothing speaks against the state.
    package let discontinuity: String?
    /// `true` if somebody should look at the observation for the sake of this run.
    package let needsReview: Bool

    /// The reasons that leave a type unknown and that nobody could mend.
    private static let wordsWithoutReview = ["files_missing", "no_anchor", "rejected_records"]

    /// Returns a condition in SQL: a column with words has one that asks for a review.
    package static func needsReview(_ column: String) -> String {
        let rest = wordsWithoutReview.reduce("ifnull(\(column), '')") { "replace(\($0), '\($1)', '')" }
        return "trim(\(rest)) <> ''"
    }

    /// A run, its type and the run before it.
    package struct Run {
        package var isCompleted = false
        package var isFullScan = false
        /// `true` if the run begins at the anchor that the completed run before it ended with.
        package var hasAnchorOfEarlier = false
        /// `true` if neither that run nor this one states an anchor.
        package var hasNoAnchor = false
        /// The state of that run.
        package var earlierState: String?
        /// The number of samples that the source stated as visible, and the number that are.
        package var statedCount: Int64?
        package var visibleCount: Int64 = 0
        package var withheldCount: Int64 = 0
        /// Records that contradict another record of the same sample in the same observation.
        package var conflictCount: Int64 = 0
        /// Records of which a part could not be looked at.
        package var unreadCount: Int64 = 0
        /// `true` if other records were rejected than at the observation before.
        package var hasOtherRejections = false
        /// `true` if the observation states that the clock ran backwards.
        package var isClockBackwards = false

        /// A run that did not complete.
        package init() {}
    }

    /// Derives the state of a run.
    package init(of run: Run) {
        var words: [String] = []
        if run.isCompleted {
            if !run.isFullScan, !run.hasAnchorOfEarlier, !run.hasNoAnchor { words.append("anchor_broken") }
            if run.conflictCount > 0 { words.append("conflicts") }
            if let stated = run.statedCount, stated != run.visibleCount { words.append("count_differs") }
            if run.unreadCount > 0 { words.append("files_missing") }
            if !run.isFullScan, run.hasNoAnchor { words.append("no_anchor") }
            if run.hasOtherRejections { words.append("rejected_records") }
        }
        needsReview =
            words.contains { !Self.wordsWithoutReview.contains($0) } || run.isClockBackwards || run.withheldCount > 0
        let isSound = run.isCompleted && words.isEmpty && run.withheldCount == 0
        let isVerified = run.isFullScan || run.statedCount != nil
        let continues = run.earlierState == "verified" || run.earlierState == "continued"
        state = !isSound ? "unknown" : isVerified ? "verified" : continues ? "continued" : "unknown"
        // What is visible is decided by ids, not by dates: the word is not evidence against the state.
        if run.isClockBackwards { words.append("clock_backwards") }
        discontinuity = words.isEmpty ? nil : words.joined(separator: " ")
    }
}
