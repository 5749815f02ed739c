/// A column of the people view (`Spec/people-view.md`, Columns).
enum PeopleColumn: String, CaseIterable, Sendable {
    case change
    case changedFields = "changed_fields"
    case label
    case type
    case value
    case unit
    case valueName = "value_name"
    case start
    case end
    case timeZone = "time_zone"
    case duration = "duration_seconds"
    case activity
    case valueBefore = "value_before"
    case unitBefore = "unit_before"
    case valueNameBefore = "value_name_before"
    case startBefore = "start_before"
    case endBefore = "end_before"
    case source
    case device
    case itemHash = "item_hash"

    /// Columns that only changes have.
    private static let ofChanges: Set<PeopleColumn> = [
        .change, .changedFields, .label, .valueBefore, .unitBefore, .valueNameBefore, .startBefore, .endBefore,
    ]

    /// The columns of a kind of export; nil where it has no such view.
    static func columns(of kind: ExportKind) -> [PeopleColumn]? {
        switch kind {
        case .recordTable: allCases.filter { !ofChanges.contains($0) }
        case .diffReport, .changeSet: allCases
        default: nil
        }
    }

    /// What a cell holds.
    enum Content { case text, number, date }

    var content: Content {
        switch self {
        case .value, .valueBefore, .duration: .number
        case .start, .end, .startBefore, .endBefore: .date
        default: .text
        }
    }
}
