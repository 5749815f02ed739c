internal import Archive
internal import Measures

/// Goes through records in the order of their types and starts, day by day, and makes items of them.
struct DaySweep {
    private let question: DayQuestion
    private let types: DayTypes
    private var calendar: DayCalendar
    private let ranking: SourceRanking
    private let observedAt: Int64?
    private let since, until: Int64?

    /// The rank of the type that is being gathered.
    private var type = 0
    private var undated: DayCell?
    private var day: DayCalendar.Day?
    /// Records that have a part of the day, in the order of their starts.
    private var records: [DayRecord] = []
    private var nights = NightGatherer()
    private var periods = PeriodGatherer()

    init(
        _ question: DayQuestion, _ types: DayTypes, _ calendar: DayCalendar, _ ranking: SourceRanking,
        observedAt: Int64?, since: Int64?, until: Int64?
    ) {
        self.question = question
        self.types = types
        self.calendar = calendar
        self.ranking = ranking
        self.observedAt = observedAt
        self.since = since
        self.until = until
    }

    private var kind: DayMeasure { types.types[type].kind }

    /// Adds the next record.
    mutating func add(_ record: DayRecord, of type: Int, take: (DayItem) throws -> Void) throws {
        if type != self.type {
            try finish(take: take)
            self.type = type
        }
        // Records without a day come first.
        guard let start = record.start else { return addUndated(record) }
        try finishUndated(take: take)
        let day = kind == .activitySummary ? calendar.ringDay(of: start)! : calendar.day(of: start)
        if let current = self.day, current.number != day.number { try close(upTo: day, take: take) }
        self.day = day
        records.append(record)
        if types.types[type].isSleep { nights.add(record, &calendar) }
    }

    private mutating func addUndated(_ record: DayRecord) {
        var cell = undated ?? DayCell(DayCell.Key(measure: kind))
        cell.count(record, hasDay: false)
        cell.notSummed += 1
        undated = cell
    }

    private mutating func finishUndated(take: (DayItem) throws -> Void) throws {
        guard let cell = undated else { return }
        undated = nil
        try put(cell, nil, take: take)
    }

    /// Makes the items of the days before one that a record is of.
    private mutating func close(upTo next: DayCalendar.Day, take: (DayItem) throws -> Void) throws {
        while let day, day.number != next.number {
            closeDay(day)
            self.day = records.isEmpty ? nil : calendar.day(of: day.end)
        }
        try flush(before: next.start, take: take)
    }

    /// Makes the items of all days that are left of a type.
    mutating func finish(take: (DayItem) throws -> Void) throws {
        try finishUndated(take: take)
        while let day {
            closeDay(day)
            self.day = records.isEmpty ? nil : calendar.day(of: day.end)
        }
        try flush(before: .max, take: take)
    }

    /// Makes the items of a day, and keeps the records that have a part of the next.
    private mutating func closeDay(_ day: DayCalendar.Day) {
        for cell in cells(of: day) { periods.add(cell, of: period(of: day.number)) }
        let isCumulative = kind == .cumulative
        guard isCumulative || kind == .category else { return records.removeAll(keepingCapacity: true) }
        records.removeAll { $0.end <= day.end || $0.isLong || (isCumulative && $0.amount == nil) }
    }

    private func period(of day: Int64) -> DayCalendar.Day {
        question.period == .day ? calendar.day(day) : calendar.month(DayCalendar.firstOfMonth(day))
    }

    private mutating func flush(before moment: Int64, take: (DayItem) throws -> Void) throws {
        var margin: Int64 = 0
        if types.types[type].isSleep {
            margin = moment == .max ? 0 : NightGatherer.margin
            for (day, cell) in nights.take(before: moment, &calendar, ranking) {
                periods.add(cell, of: period(of: day))
            }
        }
        for (period, cells) in periods.take(before: moment - margin) {
            let sorted = cells.sorted { precedes($0.key, $1.key) }
            for cell in sorted { try put(cell, period, take: take) }
        }
    }

    private func precedes(_ left: DayCell.Key, _ right: DayCell.Key) -> Bool {
        if left.measure != right.measure { return left.measure < right.measure }
        if left.part != right.part {
            guard let one = left.part, let other = right.part else { return left.part == nil }
            return one < other
        }
        guard let one = left.source, let other = right.source else { return false }
        return ranking.place(of: one) < ranking.place(of: other)
    }

    // MARK: Items

    private func put(_ cell: DayCell, _ period: DayCalendar.Day?, take: (DayItem) throws -> Void) throws {
        if let period {
            if let since, period.start < since { return }
            if let until, period.start >= until { return }
        } else if since != nil || until != nil {
            return
        }
        let sources = cell.entries.sorted { ranking.place(of: $0.key) < ranking.place(of: $1.key) }
            .map { (source: ranking.sources[$0.key], entry: $0.value) }
        let taken = question.period == .day ? cell.taken.map { ranking.sources[$0] } : nil
        try take(
            DayItem(
                type: type == 0 ? nil : type - 1, period: question.period, unit: types.types[type].measure.unit,
                digits: types.types[type].digits, when: period.map(when), cell: cell, sources: sources,
                source: taken ?? (sources.count == 1 ? sources[0].source : nil)))
    }

    private func when(_ period: DayCalendar.Day) -> DayItem.When {
        let hasEnded = observedAt.map { $0 >= period.end } ?? false
        return DayItem.When(
            date: DayCalendar.text(period.number, question.period), start: period.start,
            seconds: (period.end - period.start) / Microseconds.second,
            completeness: !types.types[type].isComplete ? .unknown : hasEnded ? .complete : .partial)
    }

    // MARK: Measures

    private func cells(of day: DayCalendar.Day) -> [DayCell] {
        switch kind {
        case .cumulative:
            var found = CumulativeDay(day)
            for record in records { found.add(record) }
            return found.finish(question.method, ranking)
        case .category: return categories(day)
        case .activitySummary: return [rings()]
        case .discrete, .event, .workout, .nap, .night: return counted()
        }
    }

    /// Items of records that count where they start.
    private func counted() -> [DayCell] {
        var cells: [DayCell.Key: DayCell] = [:]
        for record in records {
            let key = DayCell.Key(measure: kind, part: record.part)
            var cell = cells.removeValue(forKey: key) ?? DayCell(key)
            cell.count(record)
            switch kind {
            case .discrete:
                if let value = record.value { cell.add(value: value) } else { cell.notSummed += 1 }
            case .workout:
                cell.seconds = DayCell.sum(cell.seconds, record.amount.map { Int128($0) })
                cell.energy = DayCell.sum(cell.energy, record.others[0].map { Int128($0) })
                cell.distance = DayCell.sum(cell.distance, record.others[1].map { Int128($0) })
            default: break
            }
            cells[key] = cell
        }
        return Array(cells.values)
    }

    /// Returns the rings of a date: of two or more summaries none is chosen.
    private func rings() -> DayCell {
        var cell = DayCell(DayCell.Key(measure: .activitySummary))
        for record in records { cell.count(record) }
        let isOne = records.count == 1
        cell.rings = records[0].others.map { isOne ? $0.map { Int128($0) } : nil }
        cell.notSummed = isOne ? 0 : records.count
        return cell
    }

    private func categories(_ day: DayCalendar.Day) -> [DayCell] {
        var cells: [DayCell.Key: (cell: DayCell, intervals: [Interval])] = [:]
        for record in records {
            guard let start = record.start else { continue }
            let key = DayCell.Key(measure: .category, part: record.part)
            var found = cells.removeValue(forKey: key) ?? (DayCell(key), [])
            if start >= day.start {
                found.cell.count(record)
                if record.isLong { found.cell.notSummed += 1 }
            }
            let interval = Interval(start: max(start, day.start), end: min(record.end, day.end))
            if !record.isLong, interval.start < interval.end {
                found.intervals.append(interval)
                if found.cell.entries[record.source] == nil { found.cell.entries[record.source] = DayCell.Entry() }
            }
            cells[key] = found
        }
        return cells.values.map { found in
            var cell = found.cell
            cell.seconds = Int128(found.intervals.union.length)
            return cell
        }
    }
}

/// Days, or months, that are not finished, each with the cells of its items.
private struct PeriodGatherer {
    private var periods: [(period: DayCalendar.Day, cells: [DayCell.Key: DayCell])] = []

    /// Adds the cell of a day to its period.
    mutating func add(_ cell: DayCell, of period: DayCalendar.Day) {
        var place = periods.count
        while place > 0, periods[place - 1].period.number > period.number { place -= 1 }
        if place > 0, periods[place - 1].period.number == period.number {
            place -= 1
        } else {
            periods.insert((period, [:]), at: place)
        }
        if periods[place].cells[cell.key]?.add(cell) == nil { periods[place].cells[cell.key] = cell }
    }

    /// Takes the periods that end at or before a moment, in their order.
    mutating func take(before moment: Int64) -> [(period: DayCalendar.Day, cells: [DayCell])] {
        let count = periods.prefix { $0.period.end <= moment }.count
        defer { periods.removeFirst(count) }
        return periods.prefix(count).map { ($0.period, Array($0.cells.values)) }
    }
}
