/// The observations of the chain: how many records each had, and which types it asked for.
extension PageContent {
    mutating func writeObservationsOfChain() {
        html.element("h2", PageText.growth)
        let all = items.first { $0["sample_type"].string == nil && $0["label"].string == nil }
        let points = all?["observations"].elements ?? []
        guard !points.isEmpty else { return html.element("p", PageText.noObservations) }
        html.bars(PageText.growthChart(points.count), points.map { $0["record_count"].count })
        html.table(
            PageText.growthCaption(offset(laterOffset)), PageText.growthHeads,
            points.map { point in
                [
                    .words("\(point["observation_id"].count)"), .words(local(point["observed_at"], laterOffset)),
                    status(point["status"]), .number("\(point["record_count"].count)"),
                ]
            })
        let types = items.filter { $0["statuses"].elements.count == points.count }
        guard !types.isEmpty else { return }
        html.table(
            PageText.matrixCaption, [PageText.typeHeads[0]] + points.map { "\($0["observation_id"].count)" },
            types.map { type in [stored(type["sample_type"])] + type["statuses"].elements.map(status) })
    }

    private func status(_ value: PageValue) -> Cell {
        value.string.flatMap { PageText.statuses[$0] }.map { .words($0) } ?? stored(value)
    }
}

extension HTML {
    /// Appends bars from zero, of which a table behind them has the numbers. Numbers are drawn in the order given; the
    /// greatest fills the height.
    mutating func bars(_ label: String, _ counts: [Int]) {
        let greatest = max(1, counts.max() ?? 1)
        let (width, height) = (20, 100)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(counts.count * width) \(height)\" width=\"\(counts.count * width)\" ")
        markup("height=\"\(height)\">\n")
        for (place, count) in counts.enumerated() {
            // A bar is whole units high, rounded down but for a number that would leave none.
            let (quotient, _) = greatest.dividingFullWidth(count.multipliedFullWidth(by: height))
            let size = count == 0 ? 0 : max(1, quotient)
            markup("<rect class=\"bar\" x=\"\(place * width + 2)\" y=\"\(height - size)\" ")
            markup("width=\"\(width - 4)\" height=\"\(size)\"></rect>\n")
        }
        markup("</svg>\n")
    }
}
