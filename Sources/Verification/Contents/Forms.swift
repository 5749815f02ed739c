/// The forms that a line can have, as a set: which members it may and must have depends on these.
///
/// An item's form is its kind; of a change, a comparison and a finding there are several, told apart by a member. A
/// header's form is the kind of its export.
struct Forms: OptionSet, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    static let record = Forms(rawValue: 1 << 0), sample = Forms(rawValue: 1 << 1), version = Forms(rawValue: 1 << 2)
    static let appeared = Forms(rawValue: 1 << 3), disappeared = Forms(rawValue: 1 << 4),
        representationChanged = Forms(rawValue: 1 << 5)
    /// Rows of a comparison: all types, one type, a window.
    static let allTypes = Forms(rawValue: 1 << 6), wholeType = Forms(rawValue: 1 << 7), window = Forms(rawValue: 1 << 8)
    static let disappearance = Forms(rawValue: 1 << 9), divergence = Forms(rawValue: 1 << 10),
        exactDuplicate = Forms(rawValue: 1 << 11)
    static let lateArrival = Forms(rawValue: 1 << 12), semanticDuplicate = Forms(rawValue: 1 << 13)
    static let typeManifest = Forms(rawValue: 1 << 14)
    static let reIdentified = Forms(rawValue: 1 << 15), condensedInto = Forms(rawValue: 1 << 23),
        expandedInto = Forms(rawValue: 1 << 24), ambiguous = Forms(rawValue: 1 << 25)

    static let relationshipAppeared = Forms(rawValue: 1 << 31), relationshipDisappeared = Forms(rawValue: 1 << 32),
        relationshipChanged = Forms(rawValue: 1 << 33)

    /// A record of a shared bundle.
    static let sharedRecord = Forms(rawValue: 1 << 29)

    /// Items of bundles.
    static let evidence: Forms = [.record, .sample, .version]
    /// Items of samples that a scope selects.
    static let selected: Forms = [.evidence, .sharedRecord]
    /// Changes of records, and of relationships.
    static let recordChange: Forms = [.appeared, .disappeared, .representationChanged]
    static let linkChange: Forms = [.relationshipAppeared, .relationshipDisappeared, .relationshipChanged]
    static let change: Forms = [.recordChange, .linkChange]
    static let comparison: Forms = [.allTypes, .wholeType, .window]
    static let finding: Forms = [.disappearance, .divergence, .exactDuplicate, .lateArrival, .semanticDuplicate]
    /// Pairs of a container and its parts.
    static let contained: Forms = [.condensedInto, .expandedInto, .ambiguous]
    static let pair: Forms = [.reIdentified, .contained]

    static let recoveryBundle = Forms(rawValue: 1 << 16), recordTable = Forms(rawValue: 1 << 17),
        diffReport = Forms(rawValue: 1 << 18), changeSet = Forms(rawValue: 1 << 19)
    static let diffSummary = Forms(rawValue: 1 << 20), findingReport = Forms(rawValue: 1 << 21),
        observationManifest = Forms(rawValue: 1 << 22), pairReport = Forms(rawValue: 1 << 26),
        pageReport = Forms(rawValue: 1 << 27), versionTable = Forms(rawValue: 1 << 28),
        sharedBundle = Forms(rawValue: 1 << 30)
    /// Exports whose items are comparisons.
    static let summaries: Forms = [.diffSummary, .pageReport]

    /// Exports that compare two observations.
    static let ofChanges: Forms = [.diffReport, .changeSet, .summaries, .findingReport, .pairReport]
    static let headers: Forms = [
        .recoveryBundle, .recordTable, .versionTable, .ofChanges, .observationManifest, .sharedBundle,
    ]
    /// Exports that leave nothing out.
    static let whole = headers.subtracting(.sharedBundle)
    static let all = Forms(rawValue: .max)
}

/// The kind of an export, and what belongs to it (`Spec/reports.md`, Kinds).
enum ExportKind: String, CaseIterable, Sendable {
    case recoveryBundle = "recovery_bundle", recordTable = "record_table", diffReport = "diff_report", changeSet =
        "change_set"
    case diffSummary = "diff_summary", findingReport = "finding_report", observationManifest = "observation_manifest"
    case pairReport = "pair_report", pageReport = "page_report", versionTable = "version_table"
    case sharedBundle = "shared_bundle"

    /// The form of its header.
    var form: Forms {
        switch self {
        case .recoveryBundle: .recoveryBundle
        case .recordTable: .recordTable
        case .diffReport: .diffReport
        case .changeSet: .changeSet
        case .diffSummary: .diffSummary
        case .findingReport: .findingReport
        case .observationManifest: .observationManifest
        case .pairReport: .pairReport
        case .pageReport: .pageReport
        case .versionTable: .versionTable
        case .sharedBundle: .sharedBundle
        }
    }

    /// `format` of its header.
    var format: String { self == .recoveryBundle ? "healthprobe-bundle" : "healthprobe-report" }

    /// The modes that its scope can have.
    var modes: [String] {
        switch self {
        case .recoveryBundle: ["point_in_time", "history"]
        case .recordTable, .observationManifest, .sharedBundle: ["point_in_time"]
        case .versionTable: ["history"]
        default: ["changes"]
        }
    }

    /// The forms of its items.
    func items(mode: String) -> Forms {
        switch self {
        case .recoveryBundle: mode == "history" ? [.sample, .version] : .record
        case .recordTable: .record
        case .versionTable: .version
        case .sharedBundle: .sharedRecord
        case .diffReport, .changeSet: .change
        case .diffSummary, .pageReport: .comparison
        case .findingReport: .finding
        case .pairReport: .pair
        case .observationManifest: .typeManifest
        }
    }
}

/// The value of `item_kind`, and the tables that its items are read by.
enum ItemKind: String, CaseIterable, Sendable {
    case record, sample, version, change, comparison, finding, pair, typeManifest = "type_manifest"
    case sharedRecord = "shared_record"

    /// All forms of the kind.
    var forms: Forms {
        switch self {
        case .record: .record
        case .sample: .sample
        case .version: .version
        case .change: .change
        case .comparison: .comparison
        case .finding: .finding
        case .pair: .pair
        case .typeManifest: .typeManifest
        case .sharedRecord: .sharedRecord
        }
    }
}

extension Forms {
    /// The kinds of change, as `change` and `scope.changes` spell them.
    static var changes: [(name: String, form: Forms)] {
        [
            ("appeared", .appeared), ("disappeared", .disappeared),
            ("relationship_appeared", .relationshipAppeared), ("relationship_changed", .relationshipChanged),
            ("relationship_disappeared", .relationshipDisappeared),
            ("representation_changed", .representationChanged),
        ]
    }

    /// The kinds of pair.
    static var pairs: [(name: String, form: Forms)] {
        [
            ("ambiguous", .ambiguous), ("condensed_into", .condensedInto), ("expanded_into", .expandedInto),
            ("re_identified", .reIdentified),
        ]
    }

    /// The kinds of finding.
    static var findings: [(name: String, form: Forms)] {
        [
            ("disappearance", .disappearance), ("divergence", .divergence), ("exact_duplicate", .exactDuplicate),
            ("late_arrival", .lateArrival),
            ("semantic_duplicate", .semanticDuplicate),
        ]
    }
}
