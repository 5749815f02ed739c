/// A change as comparisons look at it.
struct ComparedChange {
    let type: Int?
    let kind: ChangeKind
    /// Whether its versions may belong to other changes too.
    let isOneOfSeveral: Bool
    let sampleID, versionID, otherID: StoredID
    let leading, other: ComparedVersion

    /// The versions on either side.
    var before: ComparedVersion? { kind == .appeared ? nil : leading }
    var after: ComparedVersion? { kind == .appeared ? leading : kind == .disappeared ? nil : other }
}
