internal import Format

/// The columns of a view for people (`Spec/people-view.md`), written from the specification, apart from the writer's
/// own list on purpose.
struct PeopleColumns: Sendable {
    /// The way in which text is written.
    enum Dialect: String {
        case plain = "healthprobe-people-1"
        case excel = "healthprobe-people-excel-1"

        /// The dialect that a JSON text names.
        init?(json: [UInt8]) {
            guard json.count > 2 else { return nil }
            self.init(rawValue: String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
        }

        var delimiter: UInt8 { self == .excel ? UInt8(ascii: ";") : UInt8(ascii: ",") }
    }

    enum Kind { case text, number, date, place, hash }

    let columns: [(name: String, kind: Kind)]
    let dialect: Dialect

    /// The texts with which a sidecar can describe a view, with the columns that nothing vouches for.
    static let views = [[], ["device"], ["device", "source"], ["source"]].map { unvouched in
        let names = unvouched.map { "\"\($0)\"" }.joined(separator: ",")
        return (text: "{\"name\":\"people\",\"unvouched\":[\(names)]}", unvouched: unvouched)
    }
    /// Every name, with what stands around them.
    static let longestFirstRow = 1024

    private static let texts: Set = [
        "change", "changed_fields", "label", "type", "unit", "value_name", "time_zone", "activity", "unit_before",
        "value_name_before", "source", "device", "date", "note",
    ]
    private static let numbers: Set = [
        "value", "duration_seconds", "value_before", "minimum", "maximum", "dropped", "energy_kcal", "distance_m",
        "in_bed_h", "awake_h", "core_h", "deep_h", "rem_h", "records",
    ]
    private static let day = [
        "date", "type", "value", "unit", "value_name", "activity", "minimum", "maximum", "dropped", "energy_kcal",
        "distance_m", "in_bed_h", "awake_h", "core_h", "deep_h", "rem_h", "start", "end", "time_zone", "records",
        "source", "note", "item", "item_hash",
    ]
    private static let record = [
        "type", "value", "unit", "value_name", "start", "end", "time_zone", "duration_seconds", "activity",
        "energy_kcal", "distance_m", "source", "device", "item", "item_hash",
    ]
    private static let change = [
        "change", "changed_fields", "label", "type", "value", "unit", "value_name", "start", "end", "time_zone",
        "duration_seconds", "activity", "energy_kcal", "distance_m", "value_before", "unit_before",
        "value_name_before", "start_before", "end_before", "source", "device", "item", "item_hash",
    ]

    private init?(_ names: [String], _ dialect: Dialect, of kind: ItemKind?) {
        let all: [String]
        switch kind {
        case .record: all = Self.record
        case .day: all = Self.day
        case .change, nil: all = Self.change
        default: return nil
        }
        var rest = all[...]
        for name in names {
            guard let place = rest.firstIndex(of: name) else { return nil }
            rest = rest[(place + 1)...]
        }
        guard names.suffix(2) == ["item", "item_hash"] else { return nil }
        self.dialect = dialect
        columns = names.map { ($0, Self.kind(of: $0)) }
    }

    private static func kind(of name: String) -> Kind {
        if name == "item_hash" { return .hash }
        if name == "item" { return .place }
        if texts.contains(name) { return .text }
        return numbers.contains(name) ? .number : .date
    }

    /// The columns that a sidecar's `tableSchema` states; nil where a view has none like it.
    init?(schema: [UInt8], _ dialect: Dialect, of kind: ItemKind?) {
        // The names are known, so that any other text is found by writing what they would make.
        var names: [String] = []
        for part in String(decoding: schema, as: UTF8.self).split(separator: "\"titles\":\"").dropFirst() {
            names.append(String(part.prefix { $0 != "\"" }))
        }
        self.init(names, dialect, of: kind)
        guard self.schema.utf8.elementsEqual(schema) else { return nil }
    }

    /// The columns that a first row names; nil where it is none of a view.
    init?(firstRow text: [UInt8], _ dialect: Dialect, of kind: ItemKind?) {
        guard let end = text.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
        let start = dialect == .excel ? min(3, end) : 0
        let names = text[start..<end].split(separator: dialect.delimiter, omittingEmptySubsequences: false)
        self.init(names.map { String(decoding: $0, as: UTF8.self) }, dialect, of: kind)
    }

    /// The first row, with a byte order mark where it has one, and its CR LF.
    var firstRow: [UInt8] {
        let names = columns.map { Array($0.name.utf8) }.joined(separator: [dialect.delimiter])
        return (dialect == .excel ? [0xEF, 0xBB, 0xBF] : []) + names + Array("\r\n".utf8)
    }

    /// `tableSchema` of a sidecar.
    private var schema: String {
        let entries = columns.map {
            "{\"datatype\":\(datatype($0.kind)),\"name\":\"\($0.name)\",\"titles\":\"\($0.name)\"}"
        }
        return "{\"columns\":[" + entries.joined(separator: ",") + "]}"
    }

    private func datatype(_ kind: Kind) -> String {
        switch kind {
        case .text, .hash: "\"string\""
        case .number where dialect == .excel, .place where dialect == .excel:
            "{\"base\":\"double\",\"format\":{\"decimalChar\":\",\"}}"
        case .number, .place: "\"double\""
        case .date: "{\"base\":\"dateTime\",\"format\":\"yyyy-MM-dd HH:mm:ss\"}"
        }
    }
}

/// The facts that make the text of a view, as it states it.
package struct ViewFacts: Sendable {
    /// As the sidecar names the dialect.
    package let dialect: String
    package let renderer: Int64
    /// The columns that it has, and those that nothing vouches for.
    package let columns, unvouched: [String]
}
