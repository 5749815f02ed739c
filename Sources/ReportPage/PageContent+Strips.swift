internal import Timestamps

/// What each type comes to month by month, both sides over each other.
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
        let hasValues = type["measure"].string != "event"
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
