internal import Timestamps

/// On which days records of each type changed.
extension PageContent {
    /// Calendars that are seen at once.
    private static let open = 3
    /// Columns that a table has at most, but for the first one.
    static let besides = 6

    mutating func writeCalendars() {
        html.heading(.calendars)
        let changed = types.filter { $0["standing"].string == "changed" }
        let shown = changed.filter { !$0["calendar"]["buckets"].elements.isEmpty }
        guard !shown.isEmpty else { return html.element("p", PageText.noCalendar) }
        html.element("p", PageText.calendarSigns(offset(laterOffset)))
        html.markup("<ul class=\"key\">\n")
        for (kind, words) in PageText.calendarKinds {
            html.markup("<li class=\"\(kind.rawValue)\">")
            html.text(words)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
        writeOverview(of: shown)
        for (place, type) in shown.enumerated() { writeCalendar(of: type, isOpen: place < Self.open) }
        if changed.count > shown.count {
            html.element("p", PageText.otherCalendars(changed.count - shown.count, command("")))
        }
    }

    /// Types against months; against years where their calendars have weeks.
    private mutating func writeOverview(of types: [PageValue]) {
        let length = types[0]["calendar"]["bucket_days"].count == 1 ? 7 : 4
        let rows = types.map { type -> (Cell, [String: Changes]) in
            var columns: [String: Changes] = [:]
            for bucket in type["calendar"]["buckets"].elements {
                guard let day = localDay(bucket["start"]) else { continue }
                columns[String(date(day).prefix(length)), default: Changes()].add(bucket)
            }
            return (self.type(type["sample_type"]), columns)
        }
        let columns = Set(rows.flatMap(\.1.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for first in stride(from: 0, to: columns.count, by: Self.besides) {
            let columns = columns[first..<min(first + Self.besides, columns.count)]
            let caption = PageText.overview(isOfMonths: length == 7, columns.first ?? "", columns.last ?? "")
            html.table(
                caption, [PageText.typeHeads[0]] + columns,
                rows.map { row in [row.0] + columns.map { (row.1[$0] ?? Changes()).cell } })
        }
    }

    private mutating func writeCalendar(of type: PageValue, isOpen: Bool) {
        let isOfDays = type["calendar"]["bucket_days"].count == 1
        let buckets = type["calendar"]["buckets"].elements
        var rows: [(head: String, cells: [Cell])] = []
        for bucket in buckets {
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
                let count = isOfDays ? 7 : mondays(inMonthOf: day)
                let none = [Cell](repeating: Changes().cell, count: count)
                rows.append((head, none + [Cell](repeating: .counts("", .none), count: isOfDays ? 0 : 5 - count)))
            }
            var changes = Changes()
            changes.add(bucket)
            rows[rows.count - 1].cells[column] = changes.cell
        }
        html.beginFold(isOpen: isOpen, of: self.type(type["sample_type"]), PageText.calendar(buckets.count, isOfDays))
        let subject = self.type(type["sample_type"])
        if isOfDays {
            html.weeks(
                PageText.byDay, of: subject, PageText.weekdays, rows.map { (PageText.week($0.head), $0.cells) })
        } else {
            html.table(
                PageText.byWeek, of: subject, PageText.weeksOfMonth, rows.map { [.words($0.head)] + $0.cells })
        }
        html.endFold()
    }

    /// Counts the weeks that begin in the month of a Monday.
    private func mondays(inMonthOf monday: Int64) -> Int {
        let month = Calendar.date(days: monday).month
        let first = (Int(Calendar.date(days: monday).day) - 1) / 7
        let last = (1...5).prefix { Calendar.date(days: monday + Int64($0) * 7).month == month }.count
        return first + last + 1
    }

    // MARK: Days

    /// Returns the day on which a moment falls for the compared observation.
    func localDay(_ value: PageValue) -> Int64? {
        guard let text = value.string.map({ Array($0.utf8) }), let moment = TimestampReader.moment(in: text.span) else {
            return nil
        }
        let seconds = moment.seconds + Int64(laterOffset)
        return (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    }

    func date(_ day: Int64) -> String {
        let date = Calendar.date(days: day)
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
    }
}

/// The changes in some time.
private struct Changes {
    private var gone = 0, new = 0, changed = 0, again = 0, condensed = 0

    mutating func add(_ bucket: PageValue) {
        gone += bucket["disappeared_count"].count
        new += bucket["appeared_count"].count
        changed += bucket["representation_changed_count"].count
        again += bucket["re_identified_count"].count
        condensed += bucket["condensed_count"].count
    }

    /// The counts, with a sign each; a zero where nothing changed.
    var cell: Cell {
        let parts = [(gone, "\u{2212}"), (new, "+"), (changed, "~"), (again, "="), (condensed, "\u{222A}")]
            .filter { $0.0 > 0 }.map { "\($0.1)\($0.0)" }
        return parts.isEmpty ? .counts("0", .none) : .counts(parts.joined(separator: " "), kind)
    }

    /// Of records that are all in pairs, which kind of pair; else whether there are more or fewer than before.
    private var kind: Cell.Kind {
        if gone > 0, gone == again + condensed { return condensed > 0 ? .condensed : .again }
        return gone > new ? .fewer : new > gone ? .more : .other
    }
}
