internal import Answer

/// The charts of a box: twelve months that show where a stretch is, and its days with 14 on each side.
extension PageContent {
    mutating func writeCharts(of stretch: Answer.Stretch, _ answer: Answer) {
        guard let chart = stretch.chart else { return }
        let type = answer.types[stretch.type]
        // A mean that is kept shows no gap, so that of replaced records the number is drawn.
        let hasValues = stretch.part == .gone && type.measure != "event" && manifestHash == nil
        let unit = hasValues ? AnswerUnits.unit(type) : nil
        let what = PageText.chartWhat(hasValues ? PageText.measures[type.measure] ?? "" : PageText.recordCount, unit)
        let days = chart.barDays == 1 ? PageText.chartDays : PageText.chartDays(chart.barDays)
        if let first = chart.days.first?.day, let last = chart.days.last?.day {
            let dates = AnswerDates.text(first...(last + Int64(chart.barDays) - 1))
            draw(chart.days, 9, PageText.chart(days, dates), what, hasValues, answer, Int64(chart.barDays))
        }
        if let first = chart.months.first?.day, let last = chart.months.last?.day {
            let dates = PageText.chartSpan(month(first), month(last))
            draw(chart.months, 27, PageText.chart(PageText.chartMonths, dates), what, hasValues, answer, nil)
        }
        html.element("p", PageText.chartKey)
        html.beginFold(isOpen: false, PageText.figures)
        for (bars, caption, isOfMonths) in [(chart.days, days, false), (chart.months, PageText.chartMonths, true)] {
            html.table(
                "\(caption): \(AnswerDates.text(stretch)), \(what)", of: self.type(.string(type.identifier)),
                PageText.chartHeads,
                bars.map { bar in
                    [.words(isOfMonths ? month(bar.day) : date(bar.day))]
                        + [bar.before, bar.after].flatMap { side -> [Cell] in
                            [.number(AnswerNumbers.text(side.count)), .number(AnswerUnits.short(side.value))]
                        }
                })
        }
        html.endFold()
    }

    /// Draws bars over each other: an outline for before, a filled one for after.
    private mutating func draw(
        _ bars: [Answer.Chart.Bar], _ step: Int, _ label: String, _ what: String, _ hasValues: Bool, _ answer: Answer,
        _ barDays: Int64?
    ) {
        func value(_ side: Answer.Chart.Side) -> Double? {
            side.count == 0 ? nil : hasValues ? side.value : Double(side.count)
        }
        let drawn = bars.map { bar in
            // The day of an observation is partial, and later ones are not known.
            let end = barDays.map { bar.day + $0 - 1 }
            func state(_ last: Int64?) -> HTML.ChartBar.State {
                guard let last, let end else { return .whole }
                return bar.day > last ? .unknown : end >= last ? .partial : .whole
            }
            let ranges = hasValues && bar.before.low != nil ? (bar.before.low, bar.before.high) : (nil, nil)
            return HTML.ChartBar(
                before: value(bar.before), after: value(bar.after), low: ranges.0, high: ranges.1,
                state: state(answer.toDay))
        }
        let values = drawn.flatMap { [$0.before, $0.after, $0.high] }.compactMap { $0 }
        let scale = PageText.chartScale(AnswerUnits.short(values.max() ?? 0), what)
        html.chart("\(label): \(scale)", drawn, step: step)
    }

    private func month(_ day: Int64) -> String { String(date(day).dropLast(3)) }
}
