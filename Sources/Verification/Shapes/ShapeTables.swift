internal import Format

/// The shape by which a line is read.
enum LineShape: Int, CaseIterable {
    /// A line of an item: of a sample, of a change, and of each kind of report.
    case evidence, change, comparison, finding, pair, typeManifest, day
    /// The other lines of an export, and those of a salvage.
    case header, manifest, salvage, salvageEnd

    /// The line of a kind of item.
    init(_ kind: ItemKind) {
        self =
            switch kind {
            case .record, .sample, .version, .sharedRecord: .evidence
            case .change: .change
            case .comparison: .comparison
            case .finding: .finding
            case .pair: .pair
            case .typeManifest: .typeManifest
            case .day: .day
            }
    }

    /// The format in the specification.
    var format: ObjectFormat {
        switch self {
        case .evidence: .evidence
        case .change: .change
        case .comparison: .comparison
        case .finding: .finding
        case .pair: .pair
        case .typeManifest: .typeManifest
        case .day: .day
        case .header: .header
        case .manifest: .manifest
        case .salvage: .salvage
        case .salvageEnd: .salvageEnd
        }
    }
}

/// Lists of the specification that other checks go by.
enum ShapeTables {
    /// The data that a shared bundle leaves out, by kind; sorted (`Spec/shared-bundles.md`).
    static let leftOut = ObjectFormat.headerExport.choices(of: "left_out")

    /// Members of `samples`: a defect that says that the row is not there stands for all of them.
    static let sampleMembers = Set(
        ObjectFormat.evidenceItem.members.filter { !$0.excusable.isDisjoint(with: .sample) }.map(\.name))

    /// Members of `sample_versions`, likewise.
    static let versionMembers = Set(ObjectFormat.changeItemBefore.names)

    /// The possible labels of a window, sorted.
    static let labels = ObjectFormat.comparisonItem.choices(of: "label")

    /// Codes of provenance loss, sorted.
    static let losses = ObjectFormat.manifestTotalsTypesProvenanceLoss.names
}
