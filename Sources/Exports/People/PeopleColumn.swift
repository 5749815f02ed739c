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
    case energy = "energy_kcal"
    case distance = "distance_m"
    // Columns that only days have.
    case date
    case minimum, maximum, dropped
    case inBed = "in_bed_h"
    case awake = "awake_h"
    case core = "core_h"
    case deep = "deep_h"
    case rem = "rem_h"
    case records, note
    case item
    case itemHash = "item_hash"

    private static let ofRecords: [PeopleColumn] = [
        .type, .value, .unit, .valueName, .start, .end, .timeZone, .duration, .activity, .energy,
        .distance, .source, .device, .item, .itemHash,
    ]
    private static let ofChanges: [PeopleColumn] = [
        .change, .changedFields, .label, .type, .value, .unit, .valueName, .start, .end, .timeZone, .duration,
        .activity, .energy, .distance, .valueBefore, .unitBefore, .valueNameBefore, .startBefore, .endBefore, .source,
        .device, .item, .itemHash,
    ]
    private static let ofDays: [PeopleColumn] = [
        .date, .type, .value, .unit, .valueName, .activity, .minimum, .maximum, .dropped, .energy, .distance, .inBed,
        .awake, .core, .deep, .rem, .start, .end, .timeZone, .records, .source, .note, .item, .itemHash,
    ]

    /// Returns the columns of a kind of export; `nil` if it has no such view.
    static func columns(of kind: ExportKind) -> [PeopleColumn]? {
        switch kind {
        case .recordTable: ofRecords
        case .diffReport, .changeSet: ofChanges
        case .dayReport: ofDays
        default: nil
        }
    }

    /// The content of a cell.
    enum Content { case text, number, date }

    var content: Content {
        switch self {
        case .value, .valueBefore, .duration, .minimum, .maximum, .dropped, .energy, .distance, .inBed, .awake, .core,
            .deep, .rem, .records, .item:
            .number
        case .start, .end, .startBefore, .endBefore: .date
        default: .text
        }
    }
}
