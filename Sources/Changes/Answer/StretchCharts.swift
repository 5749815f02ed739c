internal import Answer
internal import Archive
internal import Measures
internal import SQLite
internal import Timestamps

/// Looks up the records around stretches (`Spec/report-page.md`, Answer): days by the index of starts, months as they
/// were added up.
struct StretchCharts {
    /// Days on each side of a stretch, and bars of days at most: so many that each is 9 pixels wide on a small screen.
    private static let (margin, mostBars): (Int64, Int64) = (14, 36)

    let query: ChangeQuery
    let days: LocalDays
    /// Months by place of the type in the answer.
    let months: [Int: [Comparison.StripMonth]]

    /// Returns the chart of a stretch; `nil` if it has no dates, or too many records would have to be looked at.
    func chart(
        of stretch: Answer.Stretch, _ measure: Measure, typeID: Int64, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Answer.Chart? {
        guard let span = stretch.span else { return nil }
        // No bar begins outside of the years 1 to 9999.
        let first = max(span.lowerBound - Self.margin, Calendar.days.lowerBound)
        let last = min(span.upperBound + Self.margin, Calendar.days.upperBound - 1)
        guard first <= last else { return nil }
        let width = (last - first + Self.mostBars) / Self.mostBars
        let count = (last - first + width) / width
        var bars = [(before: Amount, after: Amount)](repeating: (Amount(), Amount()), count: Int(count))
        var (reader, days) = (VersionReader(measure), days)
        var rows = try connection.prepare(query.versionsBetween)
        rows.bind(1, Double(days.start(of: first)))
        rows.bind(2, Double(days.start(of: first + count * width)))
        rows.bind(3, typeID)
        var looked = 0
        while try rows.step() {
            looked += 1
            guard rows.integer(0) == 1 else { continue }
            let version = reader.version(rows, at: 3)
            guard let start = version.start else { continue }
            let place = Int((days.date(of: start) - first) / width)
            guard bars.indices.contains(place) else { continue }
            let value = measure.kind.value(of: version)
            if rows.integer(1) == 1 { bars[place].before.add(value) }
            if rows.integer(2) == 1 { bars[place].after.add(value) }
        }
        guard looked < ChangeQuery.mostBetween else { return nil }
        let drawn = bars.enumerated().map { place, amounts in
            Answer.Chart.Bar(
                day: first + Int64(place) * width, before: Self.side(amounts.before, measure.kind),
                after: Self.side(amounts.after, measure.kind))
        }
        return Answer.Chart(days: drawn, barDays: Int(width), months: twelve(after: span.upperBound, stretch.type))
    }

    private static func side(_ amount: Amount, _ kind: Measure.Kind) -> Answer.Chart.Side {
        side(amount.recordCount, amount.value(kind), kind == .discrete ? amount.range : nil)
    }

    private static func side(_ count: Int?, _ value: Double?, _ range: ClosedRange<Double>?) -> Answer.Chart.Side {
        Answer.Chart.Side(count: count ?? 0, value: value, low: range?.lowerBound, high: range?.upperBound)
    }

    /// Returns twelve months of a type, of which the last one is after the month of a day.
    private func twelve(after day: Int64, _ type: Int) -> [Answer.Chart.Bar] {
        var known: [Int64: Comparison.StripMonth] = [:]
        var days = days
        // A month begins at an offset of its own: its second day is within it in any zone.
        for month in months[type] ?? [] {
            let date = Calendar.date(days: days.date(of: month.start + 86_400))
            if let first = Calendar.days(year: date.year, month: date.month, day: 1) { known[first] = month }
        }
        let date = Calendar.date(days: day)
        let end = date.year * 12 + date.month
        return (end - 11...end).compactMap { number in
            // A month whose first moment has no timestamp is not added up.
            guard let first = Calendar.days(year: number / 12, month: number % 12 + 1, day: 1),
                Calendar.range.contains(days.start(of: first))
            else { return nil }
            let month = known[first]
            return Answer.Chart.Bar(
                day: first, before: Self.side(month?.beforeCount, month?.before, month?.rangeBefore),
                after: Self.side(month?.afterCount, month?.after, month?.rangeAfter))
        }
    }
}

extension ChangeQuery {
    /// The versions that start between ?1 and ?2. Each row says if it is of type ?3; then also if it is visible before
    /// and after, and its values.
    fileprivate var versionsBetween: String {
        func isVisible(_ observation: Int64) -> String {
            """
            CASE WHEN s.sample_type_id = ?3 THEN EXISTS (SELECT 1 FROM sample_visibility_ranges r
                WHERE r.sample_id = v.sample_id AND r.version_id = v.id
                AND \(records.isVisible("r", at: observation))) END
            """
        }
        let scope = records.scope
        return """
            SELECT s.sample_type_id = ?3, \(isVisible(scope.fromObservationID ?? scope.observationID)),
                \(isVisible(scope.observationID)), \(compared("v"))
            FROM sample_versions v CROSS JOIN samples s ON s.id = v.sample_id
            WHERE v.start_date >= ?1 AND v.start_date < ?2 LIMIT \(Self.mostBetween)
            """
    }
}
