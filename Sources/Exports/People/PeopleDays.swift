internal import CanonicalJSON
internal import Measures
internal import Timestamps

/// The cells of the items of a day report in a view for people (`Spec/days.md`, Table).
struct PeopleDays: ~Copyable {
    private static let paths = [
        "active_energy", "active_energy_goal", "asleep_seconds", "awake_seconds", "category_value", "completeness",
        "core_seconds", "date", "day_count", "day_seconds", "deep_seconds", "distance", "dropped_sum", "end_date",
        "energy", "exercise_minutes", "exercise_minutes_goal", "in_bed_seconds", "measure", "move_minutes",
        "move_minutes_goal", "record_count", "rem_seconds", "sample_type", "seconds", "source",
        "source.bundle_identifier", "source.source_name_hash", "source_count", "stand_hours", "stand_hours_goal",
        "start_date", "unit", "value_max", "value_mean", "value_min", "value_sum", "workout_activity_type",
    ]
    private static let places = Dictionary(uniqueKeysWithValues: paths.enumerated().map { ($1, $0) })
    private static let rings = [
        ("active_energy", "kcal"), ("move_minutes", "min"), ("exercise_minutes", "min"), ("stand_hours", "h"),
    ]

    private let view: PeopleView
    private var cells = ItemCells(paths)
    /// The members of the item that are there.
    private var texts: [String: String] = [:]

    init(_ view: PeopleView) { self.view = view }

    /// Reads the next item.
    mutating func read(_ item: Span<UInt8>) {
        cells.read(item)
        texts.removeAll(keepingCapacity: true)
        for (path, place) in Self.places {
            var bytes: [UInt8] = []
            switch cells[place] {
            case .absent: continue
            case .json(let range): for index in range { bytes.append(item[index]) }
            case .text(let contents): cells.unescape(contents, in: item, into: &bytes)
            }
            texts[path] = String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns a number that sorts as the date does.
    func dateKey() -> UInt64 {
        guard let date = texts["date"] else { return .max }
        return date.utf8.reduce(0) { $1 == UInt8(ascii: "-") ? $0 : $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
    }

    private var isOfNight: Bool { texts["measure"] == "night" || texts["measure"] == "nap" }

    /// Returns the cell of a column; `nil` if it is empty.
    func cell(_ column: PeopleColumn) -> String? {
        switch column {
        case .date: texts["date"]
        case .type: type
        case .value: texts["value_sum"] ?? texts["value_mean"] ?? hours("seconds") ?? hours("asleep_seconds")
        case .unit: texts["unit"] ?? (texts["seconds"] ?? texts["asleep_seconds"]).map { _ in "h" }
        case .valueName: valueName
        case .activity:
            texts["workout_activity_type"].map { ValueNames.name(ofActivity: $0) ?? "activity \($0)" }
        case .minimum: texts["value_min"]
        case .maximum: texts["value_max"]
        case .dropped: texts["dropped_sum"].flatMap { $0 == "0" ? nil : $0 }
        case .energy: texts["energy"]
        case .distance: texts["distance"]
        case .inBed: hours("in_bed_seconds")
        case .awake: hours("awake_seconds")
        case .core: hours("core_seconds")
        case .deep: hours("deep_seconds")
        case .rem: hours("rem_seconds")
        case .start: dates.start
        case .end: dates.end
        case .timeZone: dates.name
        case .records: texts["record_count"]
        case .source: source
        case .note: note
        default: nil
        }
    }

    private var type: String? {
        switch texts["measure"] {
        case "night": "Night"
        case "nap": "Nap"
        default: texts["sample_type"].map { SampleTypeNames.name(of: $0) ?? $0 }
        }
    }

    private var valueName: String? {
        if let value = texts["category_value"], let type = texts["sample_type"] {
            return ValueNames.name(of: value, in: type)
                ?? (ValueNames.has(type) || SampleTypeNames.name(of: type) == nil ? "value \(value)" : nil)
        }
        let parts = Self.rings.compactMap { name, unit in
            texts[name].map { value in
                texts[name + "_goal"].map { "\(value) / \($0) \(unit)" } ?? "\(value) \(unit)"
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    private var dates: PeopleDates {
        func moment(_ name: String) -> Double? {
            texts[name].flatMap { TimestampReader.moment(in: $0.utf8Span.span)?.unixSeconds }
        }
        return PeopleDates(view.zone, moment("start_date"), moment("end_date"))
    }

    private var source: String? {
        guard texts["source"] == nil, texts["source.bundle_identifier"] == nil, texts["source.source_name_hash"] == nil
        else {
            return view.source(hash: texts["source.source_name_hash"], bundle: texts["source.bundle_identifier"])
        }
        return texts["source_count"].map { "\($0) sources" }
    }

    private var note: String? {
        let isMonth = texts["day_count"] != nil
        var notes: [String] = []
        switch texts["completeness"] {
        case "partial": notes.append(isMonth ? "partial month" : "partial day")
        case "unknown": notes.append("not read completely")
        default: break
        }
        if !isMonth, let seconds = texts["day_seconds"], seconds != "86400", let hours = hours("day_seconds") {
            notes.append("\(hours) hours")
        }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// Seconds as hours, to three decimals, half up.
    private func hours(_ name: String) -> String? {
        guard let text = texts[name] else { return nil }
        var reader = Reader(.json)
        guard case .number(let range)? = try? reader.next(in: text.utf8Span.span) else { return nil }
        let seconds = DecimalAmount.nearest(reader.double(range, in: text.utf8Span.span), digits: 6)
        let thousandths = (seconds * 2000 + 3_600_000_000).dividedDown(by: 7_200_000_000)
        var json = Writer()
        json.number(Double(thousandths) / 1000)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
