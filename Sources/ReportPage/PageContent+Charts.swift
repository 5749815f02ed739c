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
            let edges = (AnswerDates.text(first), AnswerDates.text(last + Int64(chart.barDays) - 1))
            draw(
                chart.days, 9, PageText.chart(days, dates), edges, what, hasValues ? type : nil, answer,
                Int64(chart.barDays))
        }
        if let first = chart.months.first?.day, let last = chart.months.last?.day {
            let dates = PageText.chartSpan(month(first), month(last))
            let edges = (month(first), month(last))
            draw(
                chart.months, 27, PageText.chart(PageText.chartMonths, dates), edges, what, hasValues ? type : nil,
                answer, nil)
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
                            [
                                .number(AnswerNumbers.text(side.count)),
                                .number(AnswerUnits.short(AnswerUnits.value(side.value, type))),
                            ]
                        }
                })
        }
        html.endFold()
    }

    /// Draws bars over each other: an outline for before, a filled one for after.
    ///
    /// - Parameters:
    ///   - edges: the first and the last day, or month.
    ///   - type: that of the values; `nil` if the numbers of records are drawn.
    private mutating func draw(
        _ bars: [Answer.Chart.Bar], _ step: Int, _ label: String, _ edges: (String, String), _ what: String,
        _ type: Answer.TypeFacts?, _ answer: Answer, _ barDays: Int64?
    ) {
        func value(_ side: Answer.Chart.Side) -> HTML.ChartBar.Side? {
            guard side.count > 0 else { return nil }
            guard let type else { return HTML.ChartBar.Side(value: Double(side.count), range: nil) }
            let (low, high) = (AnswerUnits.value(side.low, type), AnswerUnits.value(side.high, type))
            let range = low.flatMap { low in high.map { min(low, $0)...max(low, $0) } }
            return AnswerUnits.value(side.value, type).map { HTML.ChartBar.Side(value: $0, range: range) }
        }
        let drawn = bars.map { bar in
            // The day of an observation is partial, and later ones are not known.
            let end = barDays.map { bar.day + $0 - 1 }
            func state(_ last: Int64?) -> HTML.ChartBar.State {
                guard let last, let end else { return .whole }
                return bar.day > last ? .unknown : end >= last ? .partial : .whole
            }
            return HTML.ChartBar(
                before: value(bar.before), after: value(bar.after), hasRecords: bar.after.count > 0,
                state: state(answer.toDay))
        }
        guard let scale = HTML.ChartBar.scale(drawn) else { return }
        let words = PageText.chartScale(AnswerUnits.short(scale.lowerBound), AnswerUnits.short(scale.upperBound), what)
        html.chart("\(label): \(words)", drawn, step: step, scale, edges)
    }

    private func month(_ day: Int64) -> String { String(date(day).dropLast(3)) }
}
