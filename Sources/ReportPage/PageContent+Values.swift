internal import Measures
internal import Timestamps

/// How values of items are worded.
extension PageContent {
    /// A stored text as a cell.
    func stored(_ value: PageValue) -> Cell { value.string.map { .stored($0) } ?? .words(PageText.none) }

    /// A sample type by what people call it, where it has such a name.
    func type(_ value: PageValue) -> Cell {
        guard let identifier = value.string else { return .words(PageText.none) }
        return SampleTypeNames.name(of: identifier).map { .words($0) } ?? .stored(identifier)
    }

    /// A sample type by its name and its identifier.
    func named(_ value: PageValue) -> Cell {
        guard let identifier = value.string else { return .words(PageText.none) }
        return SampleTypeNames.name(of: identifier).map { .named($0, identifier) } ?? .stored(identifier)
    }

    /// What became of a query.
    func status(_ value: PageValue) -> Cell {
        value.string.flatMap { PageText.statuses[$0] }.map { .words($0) } ?? stored(value)
    }

    /// A value of a record of a type: the name of a category value or an activity, or a number.
    func recordValue(_ value: PageValue, of type: PageValue) -> Cell {
        guard let number = value.number else { return .words(PageText.none) }
        let text = figure(number)
        let identifier = type["sample_type"].string ?? ""
        let name: String? =
            switch type["measure"].string {
            case "category": ValueNames.name(of: text, in: identifier)
            case "workout": ValueNames.name(ofActivity: text)
            default: nil
            }
        return name.map { .words(PageText.value($0, text)) } ?? .number(text)
    }

    /// A code of the format as words.
    func words(_ code: String) -> String { String(code.map { $0 == "_" ? " " : $0 }) }

    /// The words of a label.
    func label(_ name: String) -> String { PageText.labels[name] ?? name }

    /// What a type comes to, in a word.
    func measure(_ item: PageValue) -> String {
        if item["method"].string == "equivalent_level" { return PageText.equivalentLevel }
        return item["measure"].string.flatMap { PageText.measures[$0] } ?? PageText.none
    }

    /// What a side comes to, in the unit of its type.
    func measured(_ side: PageValue, _ item: PageValue) -> String {
        let value: Double? =
            switch item["measure"].string {
            case "cumulative": side["value_sum"].number
            case "discrete": side["value_mean"].number
            case "category", "workout": hours(side)
            default: nil
            }
        return value.map(figure) ?? PageText.none
    }

    private func hours(_ side: PageValue) -> Double? {
        let seconds = side["parts"].elements.map { $0["seconds"].number }
        guard !seconds.isEmpty, seconds.allSatisfy({ $0 != nil }) else { return nil }
        return seconds.reduce(0) { $0 + ($1 ?? 0) } / 3600
    }

    func unit(_ item: PageValue) -> Cell {
        switch item["measure"].string {
        case "category", "workout": .words(PageText.hours)
        default: stored(item["after"]["unit"].string == nil ? item["before"]["unit"] : item["after"]["unit"])
        }
    }

    /// A number of at most three decimals; as it is where that would leave nothing of it, or where it is huge.
    func figure(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        guard (0.001..<1e12).contains(value.magnitude) else { return "\(value)" }
        let rounded = (value * 1000).rounded() / 1000
        return Int64(exactly: rounded).map { String($0) } ?? "\(rounded)"
    }

    /// Seconds that the later observation's clock was ahead of UTC.
    var laterOffset: Int {
        let later = header["scope"]["observation_id"].count
        let observation = header["observations"].elements.first { $0["id"].count == later }
        return observation.map(offset(of:)) ?? 0
    }

    /// Seconds that an observation's clock was ahead of UTC; 0 where no zone has such an offset.
    func offset(of observation: PageValue) -> Int {
        let seconds = observation["time_zone_seconds_from_gmt"].count
        return Int(TimeZoneRules(secondsFromGMT: Int64(seconds)).offset(at: 0))
    }

    /// A moment at an offset, to the second.
    func local(_ value: PageValue, _ offset: Int) -> String {
        guard let text = value.string else { return PageText.noTime }
        let bytes = Array(text.utf8)
        guard let moment = TimestampReader.moment(in: bytes.span) else { return PageText.noTime }
        let (seconds, isBeyond) = moment.seconds.addingReportingOverflow(Int64(offset))
        guard !isBeyond, Calendar.range.contains(seconds) else { return text }
        let second = seconds >= 0 ? seconds % 86_400 : (seconds % 86_400 + 86_400) % 86_400
        let date = Calendar.date(days: (seconds - second) / 86_400)
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day)) "
            + "\(padded(Int(second / 3600))):\(padded(Int(second / 60 % 60))):\(padded(Int(second % 60)))"
    }

    /// An offset from UTC.
    func offset(_ seconds: Int) -> String {
        let (minutes, rest) = (seconds.magnitude / 60, seconds.magnitude % 60)
        let text = "UTC\(seconds < 0 ? "−" : "+")\(padded(Int(minutes / 60))):\(padded(Int(minutes % 60)))"
        return rest == 0 ? text : text + ":\(padded(Int(rest)))"
    }

    func padded(_ number: Int, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
