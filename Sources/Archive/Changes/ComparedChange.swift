/// A change as comparisons look at it.
struct ComparedChange {
    /// A version, and what its metadata state, by number.
    struct Side {
        let version: ComparedVersion
        let statements: [Int]
    }

    /// The ids of versions that may belong to other changes too.
    struct SharedIDs {
        let before, after: [StoredID]
    }

    let kind: ChangeKind
    let before, after: Side?
    /// Nil where its versions belong to no other change.
    let shared: SharedIDs?
    /// Whether the sample was first seen after the first observation of its type, and ended before that.
    let isFirstSeenLater: Bool
    /// From the first start to the last end of its versions; nil where the leading one lacks a date.
    let span: ClosedRange<Double>?

    init(
        kind: ChangeKind, leading: Side, other: Side?, shared: SharedIDs?, isFirstSeenLater: Bool
    ) {
        self.kind = kind
        before = kind == .appeared ? nil : leading
        after = kind == .appeared ? leading : kind == .disappeared ? nil : other
        self.shared = shared
        self.isFirstSeenLater = isFirstSeenLater
        var span = leading.version.span
        if let own = span, let more = other?.version.span, kind == .representationChanged {
            span = min(own.lowerBound, more.lowerBound)...max(own.upperBound, more.upperBound)
        }
        self.span = span
    }
}
