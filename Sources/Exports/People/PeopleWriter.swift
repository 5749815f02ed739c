internal import CSV
internal import CanonicalJSON
internal import Measures
internal import Timestamps

/// Writes items as rows for people (`Spec/people-view.md`): every cell follows from the item, a table of names, the
/// view's zone, its labels, and for blood pressures from the records that they are linked to.
struct PeopleWriter: ~Copyable {
    private var csv: CSVWriter
    private let view: PeopleView
    private let columns: [PeopleColumn]
    private var item: ItemCells
    /// The reader of a day report's items.
    private var days: PeopleDays?
    /// The places of each side's members of a change among the cells; of a record, both are the one there is.
    private let before, after: Int
    private let changePlace: Int?
    /// Columns with a cell that is not empty, by their place.
    private(set) var present: UInt32 = 0
    /// The rows since the last `removeAll`.
    private(set) var rows: [PeopleRow] = []
    private let totals = PeopleTotals()
    /// The row id of the sample of the item.
    private var sample: Int64?

    /// The members of a version that are looked at, by place.
    private enum Member: String, CaseIterable {
        case start = "start_date", end = "end_date", valueKind = "value_kind", value = "numeric_value", unit
        case category = "category_value", activity = "workout_activity_type", duration = "duration_seconds"
        case bundle = "source.bundle_identifier", product = "source.product_type", sourceVersion = "source.version"
        case system = "source.operating_system_version", sourceName = "source.source_name_hash", source
        case model = "device.model", hardware = "device.hardware_version", firmware = "device.firmware_version"
        case software = "device.software_version", deviceHash = "device.device_hash"
        case identifier = "device.local_identifier_hash", manufacturer = "device.manufacturer_hash"
        case udi = "device.udi_hash", device
        case metadata, metadataHash = "metadata_hash"

        /// The member of an item that a change of it is a change of.
        var field: String { rawValue == "metadata_hash" ? "metadata" : String(rawValue.prefix { $0 != "." }) }
    }

    /// The members of a changed relationship that are looked at: on either side its kind and the type at its other end.
    private static let ofLinks = ["after", "before"].flatMap { side in
        ["relationship_kind", "end_sample_type"].map { "relationship_\(side).\($0)" }
    }

    private static let places = Dictionary(uniqueKeysWithValues: Member.allCases.enumerated().map { ($1, $0) })

    init(_ view: PeopleView, of kind: ExportKind) {
        guard let columns = PeopleColumn.columns(of: kind) else { preconditionFailure("items that have no view") }
        self.view = view
        self.columns = columns
        csv = CSVWriter(capacity: 1 << 20, usesSemicolons: view.dialect == .excel)
        let names = Member.allCases.map(\.rawValue)
        days = kind == .dayReport ? PeopleDays(view) : nil
        if kind == .recordTable || kind == .dayReport {
            item = ItemCells(["sample_type"] + names)
            (before, after, changePlace) = (1, 1, nil)
        } else {
            item = ItemCells(
                ["sample_type"] + names.map { "before." + $0 } + names.map { "after." + $0 } + [
                    "change", "label", "reasons",
                ] + Self.ofLinks)
            (before, after, changePlace) = (1, 1 + names.count, 1 + 2 * names.count)
        }
    }

    /// The text of the rows since the last `removeAll`.
    var bytes: [UInt8] { csv.bytes }

    /// Forgets the rows.
    mutating func removeAll() {
        csv.removeAll()
        rows.removeAll(keepingCapacity: true)
        present = 0
    }

    /// Appends the row of an item without its number; `hash` is the text of its item hash, `sample` the row id of its
    /// sample.
    mutating func write(_ item: Span<UInt8>, hash: Span<UInt8>, sample: Int64?) {
        guard days == nil else { return writeDay(item, hash: hash) }
        self.item.read(item)
        self.sample = sample
        let change = changePlace.flatMap { text($0, item) }
        let side = change == "disappeared" ? before : after
        let isChanged = change == "representation_changed"
        let (start, end) = (date(.start, side, item), date(.end, side, item))
        let zone = PeopleDates(view.zone, start, end)
        let totals = totals.read(text(0, item), metadata(side), item)
        for (place, column) in columns.enumerated() where column != .item && column != .itemHash {
            let cell: String? =
                switch column {
                case .change: change.map { words($0, item) }
                case .changedFields: isChanged ? changedFields(item) : nil
                case .label: changePlace.flatMap { label($0 + 1, item) }
                case .timeZone: zone.name
                case .start: zone.start
                case .end: zone.end
                case .energy: totals.energy
                case .distance: totals.distance
                case .valueName: totals.rings ?? valueName(side, item) ?? (start == nil ? nil : pressure(side))
                case .valueBefore, .unitBefore, .valueNameBefore, .startBefore, .endBefore:
                    isChanged ? cellBefore(column, item) : nil
                default: cell(column, side, item)
                }
            write(cell, column, place)
        }
        endRow(hash, PeopleRow.key(start), PeopleRow.key(end))
    }

    private mutating func writeDay(_ item: Span<UInt8>, hash: Span<UInt8>) {
        days!.read(item)
        for (place, column) in columns.enumerated() where column != .item && column != .itemHash {
            write(days!.cell(column), column, place)
        }
        let date = days!.dateKey()
        endRow(hash, date, 0)
    }

    /// Appends the item hash; the cell before it is the item's number, which is not known yet.
    private mutating func endRow(_ hash: Span<UInt8>, _ start: UInt64, _ end: UInt64) {
        csv.field(hash)
        csv.endRecord()
        present |= 3 << UInt32(columns.count - 2)
        rows.append(PeopleRow(textEnd: csv.bytes.count, start: start, end: end))
    }

    private mutating func write(_ cell: String?, _ column: PeopleColumn, _ place: Int) {
        guard let cell, !cell.isEmpty else { return csv.emptyField() }
        present |= 1 << UInt32(place)
        var bytes = Array(cell.utf8)
        if column.content == .text { bytes = PeopleText.guarded(bytes) }
        if column.content == .number, view.dialect == .excel {
            for index in bytes.indices where bytes[index] == UInt8(ascii: ".") { bytes[index] = UInt8(ascii: ",") }
        }
        Self.write(bytes, to: &csv)
    }

    private static func write(_ text: [UInt8], to csv: inout CSVWriter) { csv.field(text.span) }

    // MARK: Cells

    private func cell(_ column: PeopleColumn, _ side: Int, _ item: Span<UInt8>) -> String? {
        switch column {
        case .type: return text(0, item).map { SampleTypeNames.name(of: $0) ?? $0 }
        case .value: return text(.value, side, item)
        case .unit: return text(.unit, side, item)
        case .activity:
            return text(.activity, side, item).map { ValueNames.name(ofActivity: $0) ?? "activity \($0)" }
        case .duration: return duration(side, item)
        case .source: return source(side, item)
        case .device:
            if let label = text(.deviceHash, side, item).flatMap({ view.labels?[$0] }) { return label }
            let names = [text(.model, side, item), text(.hardware, side, item)].compactMap { $0 }
            return names.isEmpty ? text(.product, side, item) : names.joined(separator: " ")
        default: return nil
        }
    }

    /// Returns a change in words; of a relationship, with its kind and the type at its other end.
    private func words(_ change: String, _ item: Span<UInt8>) -> String {
        guard change.hasPrefix("relationship_"), let first = changePlace.map({ $0 + 3 }) else {
            return change == "representation_changed" ? "changed" : change
        }
        func either(_ place: Int) -> String? { text(first + place, item) ?? text(first + place + 2, item) }
        let type = either(1).map { SampleTypeNames.name(of: $0) ?? $0 }
        let parts = [either(0), type].compactMap { $0 }
        return change.map { $0 == "_" ? " " : String($0) }.joined()
            + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }

    /// Returns the value before, if it differs; else `nil`.
    private func cellBefore(_ column: PeopleColumn, _ item: Span<UInt8>) -> String? {
        func differing(_ value: (Int) -> String?) -> String? { value(before) == value(after) ? nil : value(before) }
        switch column {
        case .valueBefore: return differing { text(.value, $0, item) }
        case .unitBefore: return differing { text(.unit, $0, item) }
        case .valueNameBefore: return differing { valueName($0, item) ?? pressure($0) }
        case .startBefore: return differing { PeopleDates(view.zone, date(.start, $0, item), nil).start }
        case .endBefore: return differing { PeopleDates(view.zone, nil, date(.end, $0, item)).end }
        default: return nil
        }
    }

    private func valueName(_ side: Int, _ item: Span<UInt8>) -> String? {
        guard let value = text(.category, side, item), let type = text(0, item) else { return nil }
        if let name = ValueNames.name(of: value, in: type) { return name }
        return ValueNames.has(type) || SampleTypeNames.name(of: type) == nil ? "value \(value)" : nil
    }

    private func pressure(_ side: Int) -> String? {
        sample.flatMap { side == after ? view.pressures.after[$0] : view.pressures.before[$0] }
    }

    private func source(_ side: Int, _ item: Span<UInt8>) -> String? {
        view.source(hash: text(.sourceName, side, item), bundle: text(.bundle, side, item))
    }

    /// Seconds, rounded to whole milliseconds where they are worked out from the dates.
    private func duration(_ side: Int, _ item: Span<UInt8>) -> String? {
        if let stated = text(.duration, side, item) { return stated }
        guard let start = date(.start, side, item), let end = date(.end, side, item) else { return nil }
        var json = Writer()
        json.number(((end - start) * 1000).rounded() / 1000)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Returns the label of a change in words; of an uncertain one, followed by the reasons.
    private func label(_ place: Int, _ item: Span<UInt8>) -> String? {
        guard let label = text(place, item) else { return nil }
        var words = ""
        for character in label {
            if character.isUppercase { words += " " }
            words += character.lowercased()
        }
        guard let list = text(place + 1, item) else { return words }
        // An array of texts of letters and underlines.
        let reasons = list.dropFirst().dropLast().split(separator: ",").map { $0.dropFirst().dropLast() }
        return words + ": " + reasons.joined(separator: ", ").map { $0 == "_" ? " " : String($0) }.joined()
    }

    private func changedFields(_ item: Span<UInt8>) -> String {
        var fields: [String] = []
        for (place, member) in Member.allCases.enumerated() where fields.last != member.field {
            if !isSame(before + place, after + place, item) { fields.append(member.field) }
        }
        return fields.joined(separator: " ")
    }

    private func isSame(_ one: Int, _ other: Int, _ item: Span<UInt8>) -> Bool {
        switch (self.item[one], self.item[other]) {
        case (.absent, .absent): return true
        case (.text(let a), .text(let b)): return Self.isSame(item.extracting(a.range), item.extracting(b.range))
        case (.json(let a), .json(let b)): return Self.isSame(item.extracting(a), item.extracting(b))
        default: return false
        }
    }

    private static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        one.count == other.count && one.indices.allSatisfy { one[$0] == other[$0] }
    }

    // MARK: Members

    /// Returns the range of a version's metadata in the item; `nil` if they are not an object.
    private func metadata(_ side: Int) -> Range<Int>? {
        guard case .json(let range) = item[side + (Self.places[.metadata] ?? 0)] else { return nil }
        return range
    }

    private func text(_ member: Member, _ side: Int, _ item: Span<UInt8>) -> String? {
        text(side + (Self.places[member] ?? 0), item)
    }

    private func text(_ place: Int, _ item: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        switch self.item[place] {
        case .absent: return nil
        case .json(let range): for index in range { bytes.append(item[index]) }
        case .text(let contents): self.item.unescape(contents, in: item, into: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a date in Unix seconds.
    private func date(_ member: Member, _ side: Int, _ item: Span<UInt8>) -> Double? {
        guard case .text(let contents) = self.item[side + (Self.places[member] ?? 0)] else { return nil }
        return TimestampReader.moment(in: item.extracting(contents.range))?.unixSeconds
    }
}

/// Texts of a view for people as no spreadsheet takes them for formulas, whatever it splits the file at
/// (`Spec/people-view.md`, Dialects).
enum PeopleText {
    /// Returns the text with a `'` before each part that begins like a formula.
    static func guarded(_ text: [UInt8]) -> [UInt8] {
        var guarded: [UInt8] = []
        for at in text.indices {
            let isFirst = at == 0
            if isFirst || isSeparator(text[at - 1]) {
                if beginsFormula(text[at...]) || isFirst && TableDialect.needsMark(text.span) {
                    guarded.append(TableDialect.mark)
                }
            }
            guarded.append(text[at])
        }
        return guarded
    }

    /// Returns `true` for a byte at which some program ends a cell or a row.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
            UInt8(ascii: "\n"):
            true
        default: false
        }
    }

    /// Returns `true` if a program that drops quotes and blanks sees a formula.
    private static func beginsFormula(_ part: ArraySlice<UInt8>) -> Bool {
        let rest = part.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") }
        switch rest.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
        // The full-width forms of = + - @ in UTF-8.
        case 0xEF:
            let form = Array(rest.prefix(3))
            return form.count == 3 && form[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(form[2])
        default: return false
        }
    }
}
