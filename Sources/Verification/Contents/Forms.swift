internal import Bytes
internal import Format

extension Forms {
    /// Items of bundles.
    static let evidence: Forms = [.record, .sample, .version]
    /// Items of samples that a scope selects.
    static let selected: Forms = [.evidence, .sharedRecord]
    /// Changes of records, and of relationships.
    static let recordChange: Forms = [.appeared, .disappeared, .representationChanged]
    static let linkChange: Forms = [.relationshipAppeared, .relationshipDisappeared, .relationshipChanged]
    static let change: Forms = [.recordChange, .linkChange]
    static let comparison: Forms = [.allTypes, .wholeType, .window]
    static let finding: Forms = [
        .disappearance, .divergence, .exactDuplicate, .lateArrival, .semanticDuplicate, .sourceAppeared,
        .sourceChanged, .sourceQuiet,
    ]
    /// Pairs of a container and its parts.
    static let contained: Forms = [.condensedInto, .expandedInto, .ambiguous, .regrouped]
    static let pair: Forms = [.reIdentified, .contained]
    /// Items of a day report.
    static let day: Forms = [.activitySummary, .category, .cumulative, .discrete, .event, .nights, .workout]
    static let nights: Forms = [.nap, .night]

    /// Exports whose items are comparisons.
    static let summaries: Forms = [.diffSummary, .pageReport]

    /// Exports that compare two observations.
    static let ofChanges: Forms = [.diffReport, .changeSet, .summaries, .findingReport, .pairReport]
    static let headers: Forms = [
        .recoveryBundle, .recordTable, .versionTable, .ofChanges, .observationManifest, .sharedBundle, .dayReport,
    ]
    /// Exports that leave nothing out.
    static let whole = headers.subtracting(.sharedBundle)
}

/// The kind of an export, and what belongs to it (`Spec/reports.md`, Kinds).
enum ExportKind: String, CaseIterable, Sendable {
    case recoveryBundle = "recovery_bundle", recordTable = "record_table", diffReport = "diff_report", changeSet =
        "change_set"
    case diffSummary = "diff_summary", findingReport = "finding_report", observationManifest = "observation_manifest"
    case pairReport = "pair_report", pageReport = "page_report", versionTable = "version_table"
    case sharedBundle = "shared_bundle", dayReport = "day_report"

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
        case .dayReport: .dayReport
        }
    }

    /// `format` of its header.
    var format: String { self == .recoveryBundle ? "healthprobe-bundle" : "healthprobe-report" }

    /// The modes that its scope can have.
    var modes: [String] {
        switch self {
        case .recoveryBundle: ["point_in_time", "history"]
        case .recordTable, .observationManifest, .sharedBundle, .dayReport: ["point_in_time"]
        case .versionTable: ["history"]
        default: ["changes"]
        }
    }

    /// Returns the forms of its items.
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
        case .dayReport: .day
        }
    }
}

/// The value of `item_kind`, and the tables that its items are read by.
enum ItemKind: String, CaseIterable, Sendable {
    case record, sample, version, change, comparison, finding, pair, typeManifest = "type_manifest"
    case sharedRecord = "shared_record", day

    private static let all = allCases

    /// The kind that a text names; nil where none has it.
    init?(_ text: Span<UInt8>) {
        for kind in Self.all where text.isText(kind.rawValue) {
            self = kind
            return
        }
        return nil
    }

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
        case .day: .day
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
            ("re_identified", .reIdentified), ("regrouped", .regrouped),
        ]
    }

    /// The measures of a day.
    static var measures: [(name: String, form: Forms)] {
        [
            ("activity_summary", .activitySummary), ("category", .category), ("cumulative", .cumulative),
            ("discrete", .discrete), ("event", .event), ("nap", .nap), ("night", .night), ("workout", .workout),
        ]
    }

    /// The kinds of finding.
    static var findings: [(name: String, form: Forms)] {
        [
            ("disappearance", .disappearance), ("divergence", .divergence), ("exact_duplicate", .exactDuplicate),
            ("late_arrival", .lateArrival),
            ("semantic_duplicate", .semanticDuplicate), ("source_appeared", .sourceAppeared),
            ("source_changed", .sourceChanged), ("source_quiet", .sourceQuiet),
        ]
    }
}
