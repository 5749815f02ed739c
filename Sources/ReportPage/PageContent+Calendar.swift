internal import Timestamps

/// On which days records of each type changed.
extension PageContent {
    mutating func writeCalendars() {
        html.element("h2", PageText.calendars)
        let types = items.filter { $0["standing"].string == "changed" }
        let shown = types.filter { !$0["calendar"]["buckets"].elements.isEmpty }
        guard !shown.isEmpty else { return html.element("p", PageText.noCalendar) }
        html.element("p", PageText.calendarSigns(offset(laterOffset)))
        for type in shown { writeCalendar(of: type) }
        if types.count > shown.count { html.element("p", PageText.otherCalendars(types.count - shown.count)) }
    }

    private mutating func writeCalendar(of type: PageValue) {
        let isOfDays = type["calendar"]["bucket_days"].count == 1
        var rows: [(head: String, cells: [Cell])] = []
        for bucket in type["calendar"]["buckets"].elements {
            guard let day = localDay(bucket["start"]) else { continue }
            // A row is a week from Monday on, or a month with the weeks that begin in it.
            let (head, column): (String, Int)
            if isOfDays {
                let weekday = Int((day + 3) % 7 + 7) % 7
                (head, column) = (date(day - Int64(weekday)), weekday)
            } else {
                let found = Calendar.date(days: day)
                (head, column) = (String(date(day).dropLast(3)), (Int(found.day) - 1) / 7)
            }
            if rows.last?.head != head {
                rows.append((head, [Cell](repeating: .counts("", .none), count: isOfDays ? 7 : 5)))
            }
            rows[rows.count - 1].cells[column] = changes(bucket)
        }
        html.table(
            isOfDays ? PageText.byDay : PageText.byWeek, of: type["sample_type"].string ?? PageText.none,
            isOfDays ? PageText.weekdays : PageText.weeksOfMonth, rows.map { [.words($0.head)] + $0.cells })
    }

    /// The counts of a bucket, with a sign each.
    private func changes(_ bucket: PageValue) -> Cell {
        let (gone, new, changed) = (
            bucket["disappeared_count"].count, bucket["appeared_count"].count,
            bucket["representation_changed_count"].count
        )
        let parts = [
            gone > 0 ? "\u{2212}\(gone)" : nil, new > 0 ? "+\(new)" : nil, changed > 0 ? "~\(changed)" : nil,
        ].compactMap { $0 }
        let kind: Cell.Kind = gone > new ? .fewer : new > gone ? .more : .other
        return .counts(parts.joined(separator: " "), kind)
    }

    /// The day on which a moment falls for the compared observation.
    private func localDay(_ value: PageValue) -> Int64? {
        guard let text = value.string.map({ Array($0.utf8) }), let moment = TimestampReader.moment(in: text.span) else {
            return nil
        }
        let seconds = moment.seconds + Int64(laterOffset)
        return (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    }

    private func date(_ day: Int64) -> String {
        let date = Calendar.date(days: day)
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
    }
}
