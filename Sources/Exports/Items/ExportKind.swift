internal import Archive
internal import Format
internal import Manifest

/// The question that an export answers (`Spec/reports.md`, Kinds).
public enum ExportKind: String, Sendable {
    case recoveryBundle = "recovery_bundle"
    case recordTable = "record_table"
    case versionTable = "version_table"
    case sharedBundle = "shared_bundle"
    case diffReport = "diff_report"
    case changeSet = "change_set"
    case diffSummary = "diff_summary"
    case findingReport = "finding_report"
    case pairReport = "pair_report"
    case pageReport = "page_report"
    case observationManifest = "observation_manifest"
    case dayReport = "day_report"

    /// `export.format`.
    var format: String { self == .recoveryBundle ? Bundle.format : Bundle.reportFormat }

    /// `true` if each item is one of a sample, so that `export_items` has a row for it.
    public var hasRecordedItems: Bool {
        switch self {
        case .recoveryBundle, .recordTable, .versionTable, .diffReport, .changeSet, .sharedBundle: true
        case .diffSummary, .findingReport, .pairReport, .pageReport, .observationManifest, .dayReport: false
        }
    }

    /// The part of the archive that its header and its items have.
    var profile: ExportProfile { self == .sharedBundle ? .shared : .whole }

    /// Returns the columns of its table; `nil` if its items share none.
    func columns(in mode: Scope.Mode) -> [TableColumn]? {
        switch self {
        case .recoveryBundle: mode == .pointInTime ? TableColumn.record : nil
        case .recordTable: TableColumn.record
        case .versionTable: TableColumn.version
        case .diffReport, .changeSet: TableColumn.change
        case .diffSummary: TableColumn.comparison
        case .findingReport: TableColumn.finding
        case .pairReport: TableColumn.pair
        case .pageReport, .sharedBundle: nil
        case .observationManifest: TableColumn.typeManifest
        case .dayReport: TableColumn.day
        }
    }
}

/// The packing of an export's lines (`Spec/reports.md`, Containers). It carries no meaning.
public enum ExportContainer: Sendable, Equatable {
    /// Zstandard frames and a seek table; the level is 1 to 19.
    case bundle(level: Int)
    /// The lines as plain text.
    case lines
    /// One JSON text.
    case envelope
    /// CSV and a sidecar.
    case table
    /// A page to read, which carries the lines unless it is made to be shared; what a `page_report` has, and nothing
    /// else.
    case page(isShared: Bool)

    /// `true` if it is a page.
    var isPage: Bool { if case .page = self { true } else { false } }
}
