internal import Timestamps

/// What each type comes to month by month, both sides over each other.
extension PageContent {
    mutating func writeStrips() {
        html.element("h2", PageText.strips)
        let types = items.filter { !$0["strip"].elements.isEmpty }
        guard !types.isEmpty else { return html.element("p", PageText.noStrips) }
        html.element("p", PageText.stripKey)
        for type in types {
            let name = type["sample_type"].string ?? PageText.none
            let months = type["strip"].elements
            html.table(
                PageText.stripCaption(measure(type), unitText(type)), of: name, PageText.stripHeads,
                months.map { month in
                    [
                        .words(monthName(month["start"])), .number("\(month["before_count"].count)"),
                        .number(shownValue(month["before_value"])), .number("\(month["after_count"].count)"),
                        .number(shownValue(month["after_value"])),
                    ]
                })
            html.strip(
                PageText.stripChart(months.count),
                months.map { (monthNumber($0["start"]), $0["before_value"].number, $0["after_value"].number) })
        }
    }

    private func shownValue(_ value: PageValue) -> String { value.number.map(figure) ?? PageText.none }

    private func unitText(_ type: PageValue) -> String {
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
