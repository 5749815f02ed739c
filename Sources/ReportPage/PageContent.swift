internal import Measures
internal import Timestamps

/// A page that is being written; `ReportPage` has its parts in their order.
struct PageContent {
    /// The page so far.
    var html = HTML()
    let header: PageValue
    let items: [PageValue]
    /// The manifest hash of the export, of a page to share; such a page has no values.
    let manifestHash: String?

    init(header: PageValue, items: [PageValue], manifestHash: String? = nil) {
        (self.header, self.items, self.manifestHash) = (header, items, manifestHash)
    }

    /// The row of all types; null where the selection has no records.
    var all: PageValue { items.first { $0["sample_type"].string == nil && $0["label"].string == nil } ?? .null }
    /// The rows of types.
    var types: [PageValue] { items.filter { $0["standing"].string != nil } }

    // MARK: Types

    mutating func writeTypes() {
        html.heading(.types)
        guard !types.isEmpty else { return html.element("p", PageText.noTypes) }
        let isChanged = { (item: PageValue) in item["standing"].string == "changed" }
        let (changed, others) = (types.filter(isChanged), types.filter { !isChanged($0) })
        html.table(PageText.changedTypes(changed.count), PageText.typeHeads, rows(changed))
        guard !others.isEmpty else { return }
        html.beginFold(isOpen: others.count <= 12, PageText.otherTypes(others.count))
        html.table(PageText.unchangedTypes, PageText.typeHeads, rows(others))
        html.endFold()
    }

    private func rows(_ types: [PageValue]) -> [[Cell]] {
        types.map { item -> [Cell] in
            let labels = item["labels"].members.map { PageText.count(label($0.key), $0.value.count) }
            let pairs = item["pair_counts"].members.map {
                PageText.count(PageText.pairs[$0.key] ?? words($0.key), $0.value.count)
            }
            return [
                named(item["sample_type"]), .number("\(item["before"]["record_count"].count)"),
                .number("\(item["after"]["record_count"].count)"), .number("\(item["appeared_count"].count)"),
                .number("\(item["disappeared_count"].count)"),
                .number("\(item["representation_changed_count"].count)"),
                .lines(
                    [standing(item)] + measured(item)
                        + [(PageText.pairsOf, pairs), (PageText.labelsOf, labels)].filter { !$0.1.isEmpty }
                        .map { PageText.evidence($0.0, $0.1.joined(separator: ", ")) }),
            ]
        }
    }

    /// Returns the measures of both sides, in a line; none without a value.
    private func measured(_ item: PageValue) -> [String] {
        let sides = (measured(item["before"], item), measured(item["after"], item))
        guard sides.0 != PageText.none || sides.1 != PageText.none else { return [] }
        return [PageText.measured(measure(item), unitText(item), sides.0, sides.1)]
    }

    /// Returns the state of a type as a whole, and the reasons why no more is known.
    func standing(_ item: PageValue) -> String {
        let reasons = item["standing_reasons"].elements.compactMap(\.string).map { PageText.reason($0) ?? words($0) }
        let text = item["standing"].string.map { PageText.standings[$0] ?? words($0) } ?? PageText.none
        return reasons.isEmpty ? text : PageText.evidence(text, reasons.joined(separator: ", "))
    }

    // MARK: Coverage and words

    /// Each type with what the observations have of it.
    var coverage: [(type: String, before: PageValue, after: PageValue)] {
        var sides: [String: (before: PageValue, after: PageValue)] = [:]
        for entry in header["from_coverage"].elements {
            sides[entry["sample_type"].string ?? PageText.none, default: (.null, .null)].before = entry
        }
        for entry in header["coverage"].elements {
            sides[entry["sample_type"].string ?? PageText.none, default: (.null, .null)].after = entry
        }
        return sides.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value.before, $0.value.after) }
    }

    mutating func writeCoverage() {
        html.heading(.coverage)
        let rows = coverage.map { row in
            [named(.string(row.type))]
                + [row.before, row.after].flatMap { entry -> [Cell] in
                    let status = entry["status"].string
                    return [
                        status.flatMap { PageText.statuses[$0] }.map { .words($0) } ?? stored(entry["status"]),
                        .words(entry["state"].string.map(words) ?? PageText.none),
                        .number(entry["verified_visible_count"].number.map(figure) ?? PageText.none),
                    ]
                }
        }
        guard !rows.isEmpty else { return html.element("p", PageText.noTypes) }
        html.table(PageText.coverageCaption, PageText.coverageHeads, rows)
    }

    mutating func writeWords() {
        let scope = header["scope"]
        writeWords(PageText.meanings(scope["from_observation_id"].count, scope["observation_id"].count))
    }

    mutating func writeWords(_ meanings: [(word: String, meaning: String)]) {
        html.beginFold(.words)
        html.markup("<dl>\n")
        for (word, meaning) in meanings where manifestHash == nil || !PageText.meaningsOfEvidence.contains(word) {
            html.element("dt", word)
            html.element("dd", meaning)
        }
        html.markup("</dl>\n")
        html.endFold()
    }
}

/// The monthly figures of each type, both sides over each other.
extension PageContent {
    /// Types that are seen at once.
    private static let open = 3

    mutating func writeStrips() {
        html.heading(.months)
        let changed = types.filter { $0["standing"].string == "changed" }
        let shown = changed.filter { !$0["strip"].elements.isEmpty }
        guard !shown.isEmpty else { return html.element("p", PageText.noStrips) }
        html.element("p", PageText.stripKey)
        for (place, type) in shown.enumerated() { writeStrip(of: type, isOpen: place < Self.open) }
        if changed.count > shown.count { html.element("p", PageText.otherStrips(changed.count - shown.count)) }
    }

    private mutating func writeStrip(of type: PageValue, isOpen: Bool) {
        let name = self.type(type["sample_type"])
        let months = type["strip"].elements
        // Of a type without values, records are what a month comes to.
        let hasValues = type["measure"].string != "event" && manifestHash == nil
        let (measure, unit) =
            hasValues ? (measure(type), unitText(type)) : (PageText.recordCount, PageText.recordUnit)
        html.beginFold(isOpen: isOpen, of: name, PageText.stripCaption(measure, unit))
        html.table(
            PageText.stripCaption(measure, unit), of: name,
            hasValues ? PageText.stripHeads : PageText.stripHeadsOfRecords,
            months.map { month in
                let (before, after) = (month["before_count"].count, month["after_count"].count)
                let head = Cell.words(monthName(month["start"]))
                guard hasValues else { return [head, .number("\(before)"), .number("\(after)")] }
                return [
                    head, .number("\(before)"), .number(shownValue(month["before_value"])), .number("\(after)"),
                    .number(shownValue(month["after_value"])),
                ]
            })
        let names = hasValues ? ("before_value", "after_value") : ("before_count", "after_count")
        let values = months.map { (monthNumber($0["start"]), $0[names.0].number, $0[names.1].number) }
        let all = values.flatMap { [$0.1, $0.2] }.compactMap { $0 }
        let scale = PageText.stripScale(
            figure(min(0, all.min() ?? 0)), figure(max(0, all.max() ?? 0)), unit,
            monthName(months[0]["start"]), monthName(months[months.count - 1]["start"]))
        html.strip(PageText.stripChart(months.count), scale, values)
        html.endFold()
    }

    private func shownValue(_ value: PageValue) -> String { value.number.map(figure) ?? PageText.none }

    func unitText(_ type: PageValue) -> String {
        if case .words(let words) = unit(type) { return words }
        return (type["after"]["unit"].string ?? type["before"]["unit"].string) ?? PageText.none
    }

    private func date(_ start: PageValue) -> (year: Int, month: Int)? {
        guard let text = start.string.map({ Array($0.utf8) }), let moment = TimestampReader.moment(in: text.span) else {
            return nil
        }
        let seconds = moment.seconds + Int64(laterOffset)
        let date = Calendar.date(days: (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
        return (date.year, date.month)
    }

    private func monthName(_ start: PageValue) -> String {
        date(start).map { "\(padded($0.year, 4))-\(padded($0.month))" } ?? PageText.noTime
    }

    private func monthNumber(_ start: PageValue) -> Int { date(start).map { $0.year * 12 + $0.month } ?? 0 }
}

/// The wording of items' values.
extension PageContent {
    /// Returns a stored text as a cell.
    func stored(_ value: PageValue) -> Cell { value.string.map { .stored($0) } ?? .words(PageText.none) }

    /// Returns a sample type by what people call it, if it has such a name.
    func type(_ value: PageValue) -> Cell {
        guard let identifier = value.string else { return .words(PageText.none) }
        return SampleTypeNames.name(of: identifier).map { .words($0) } ?? .stored(identifier)
    }

    /// Returns a sample type by its name and its identifier.
    func named(_ value: PageValue) -> Cell {
        guard let identifier = value.string else { return .words(PageText.none) }
        return SampleTypeNames.name(of: identifier).map { .named($0, identifier) } ?? .stored(identifier)
    }

    /// Returns the outcome of a query.
    func status(_ value: PageValue) -> Cell {
        value.string.flatMap { PageText.statuses[$0] }.map { .words($0) } ?? stored(value)
    }

    /// Returns a value of a record of a type: the name of a category value or an activity, or a number.
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

    /// Returns a code of the format as words.
    func words(_ code: String) -> String { String(code.map { $0 == "_" ? " " : $0 }) }

    /// Returns the words of a label.
    func label(_ name: String) -> String { PageText.labels[name] ?? name }

    /// Returns the measure of a type, in a word.
    func measure(_ item: PageValue) -> String {
        if item["method"].string == "equivalent_level" { return PageText.equivalentLevel }
        return item["measure"].string.flatMap { PageText.measures[$0] } ?? PageText.none
    }

    /// Returns the measure of a side, in the unit of its type.
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

    /// Returns a number of at most three decimals; as it is if that would leave nothing of it, or if it is huge.
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

    /// Returns a moment at an offset, to the second.
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

    /// Returns an offset from UTC.
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

/// The first part of a page: the numbers, the two observations, how to check the page, and what it leaves out.
extension PageContent {
    mutating func writeNumbers() {
        html.heading(.numbers)
        html.element("p", PageText.compared(observation(isLater: true), observation(isLater: false)))
        guard all["before"].members.count > 0 else { return html.element("p", PageText.noItems) }
        let sides = (all["before"]["record_count"].count, all["after"]["record_count"].count)
        html.element("p", PageText.records("\(sides.0)", "\(sides.1)"))
        html.element("p", PageText.when)
        if let span = spanOfChanges { html.element("p", PageText.span(span.first, span.last, offset(laterOffset))) }
        writePairs()
    }

    /// The first and the last day on which a changed record begins, of the types that have a calendar.
    private var spanOfChanges: (first: String, last: String)? {
        let days = types.flatMap { $0["calendar"]["buckets"].elements.compactMap { localDay($0["start"]) } }
        guard let first = days.min(), let last = days.max() else { return nil }
        let length = types.map { $0["calendar"]["bucket_days"].count }.max() ?? 1
        return (date(first), date(last + Int64(max(1, length)) - 1))
    }

    private mutating func writePairs() {
        var counts: [String: Int] = [:]
        for (kind, value) in types.flatMap({ $0["pair_counts"].members }) { counts[kind, default: 0] += value.count }
        let parts = counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            PageText.count(PageText.pairs[$0.key] ?? words($0.key), $0.value)
        }
        guard !parts.isEmpty else { return html.element("p", PageText.noPairs) }
        html.element("p", PageText.pairs(parts.joined(separator: ", "), command("--pairs")))
    }

    /// Returns one of the two observations in words: its id, local time and offset.
    func observation(isLater: Bool) -> String {
        let scope = header["scope"]
        let id = (isLater ? scope["observation_id"] : scope["from_observation_id"]).count
        let found = header["observations"].elements.first { $0["id"].count == id } ?? .null
        let seconds = offset(of: found)
        return PageText.observation(id, local(found["observed_at"], seconds), offset(seconds))
    }

    /// Returns a command that asks the archive about the same two observations.
    func command(_ options: String) -> String {
        let scope = header["scope"]
        return PageText.diff(scope["from_observation_id"].count, scope["observation_id"].count, options)
    }

    // MARK: Observations, check, limits

    mutating func writeObservations() {
        html.heading(.observations)
        let later = header["scope"]["observation_id"].count
        let rows = header["observations"].elements.map { observation -> [Cell] in
            let seconds = offset(of: observation)
            return [
                .words(PageText.observation(observation["id"].count, isLater: observation["id"].count == later)),
                .words(local(observation["observed_at"], seconds)), .words(offset(seconds)),
                stored(observation["time_zone_identifier"]), status(observation["status"]),
                stored(observation["os_version"]), stored(observation["trigger_reason"]),
            ]
        }
        html.table(PageText.observationCaption, PageText.observationHeads, rows)
    }

    mutating func writeCheck() {
        html.beginFold(.check)
        let id = header["export_id"].string ?? PageText.none
        if let manifestHash {
            html.element("p", PageText.sharedCheck)
            for (words, hash) in [(PageText.exportID, id), (PageText.manifestHash, manifestHash)] {
                html.markup("<p>")
                html.text(words)
                html.markup("<code>")
                html.text(hash)
                html.markup("</code></p>\n")
            }
            html.element("p", PageText.sharedReproduce)
            html.command(PageText.reproduce(id))
            return html.endFold()
        }
        html.markup("<p>")
        html.text(PageText.exportID)
        html.markup("<code>")
        html.text(id)
        html.markup("</code></p>\n<ol>\n")
        for (words, line) in PageText.checks(id) {
            html.markup("<li>")
            html.text(words)
            html.markup(" <code>")
            html.text(line)
            html.markup("</code></li>\n")
        }
        html.markup("</ol>\n")
        html.element("p", PageText.withoutArchive)
        html.endFold()
    }

    mutating func writeLimits() {
        html.heading(.limits)
        html.markup("<ul>\n")
        let filter = header["filter"].members
        if filter.isEmpty {
            html.element("li", PageText.notFiltered)
        } else {
            html.markup("<li>")
            html.text(PageText.filtered)
            for (index, member) in filter.enumerated() {
                html.text("\(index == 0 ? "" : "; ")\(words(member.key)): ")
                for (number, value) in (member.value.elements.isEmpty ? [member.value] : member.value.elements)
                    .enumerated()
                {
                    html.text(number == 0 ? "" : ", ")
                    html.stored(value.string ?? value.bool.map(PageText.truth) ?? PageText.none)
                }
            }
            html.markup("</li>\n")
        }
        let gaps = coverage.filter { row in
            [row.before, row.after].contains {
                $0["status"].string != "completed" || $0["state"].string == "unknown"
            }
        }
        html.element("li", gaps.isEmpty ? PageText.covered : PageText.gaps(gaps.count))
        let defects = header["defects"].elements.count
        html.element(
            "li",
            all["rejected_count"].number == nil
                ? PageText.rejectedUnknown
                : PageText.rejected(all["rejected_count"].count, all["withheld_count"].count))
        if defects > 0 { html.element("li", PageText.defects(defects)) }
        html.element("li", PageText.summaryOnly)
        html.element("li", manifestHash == nil ? PageText.rounding : PageText.shared)
        html.markup("</ul>\n")
    }
}
