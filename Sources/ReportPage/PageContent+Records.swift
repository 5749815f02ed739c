/// Records that are no longer visible or changed, findings, what the context log says, and the observations of the
/// chain: how many records each had, and which types it asked for.
extension PageContent {
    mutating func writeRecords() {
        html.element("h2", PageText.recordsTitle)
        let types = items.filter { $0["standing"].string != nil }
        let seconds = laterOffset
        let rows = types.flatMap { type in
            type["examples"].elements.map { example -> [Cell] in
                let isChanged = example["change"].string == "representation_changed"
                return [
                    stored(type["sample_type"]), .words(local(example["start_date"], seconds)),
                    .words(local(example["end_date"], seconds)), .number(shown(example["value_before"])),
                    isChanged ? .number(shown(example["value_after"])) : .words(PageText.notVisible), unit(type),
                ]
            }
        }
        if rows.isEmpty { return html.element("p", PageText.noRecords) }
        html.table(PageText.recordCaption(offset(seconds)), PageText.recordHeads, rows)
        let all = types.reduce(0) { $0 + $1["disappeared_count"].count + $1["representation_changed_count"].count }
        if all > rows.count { html.element("p", PageText.moreRecords(all - rows.count)) }
    }

    private func shown(_ value: PageValue) -> String { value.number.map(figure) ?? PageText.none }

    mutating func writeFindings() {
        html.element("h2", PageText.findings)
        let types = items.filter { !$0["finding_counts"].members.isEmpty }
        guard !types.isEmpty else { return html.element("p", PageText.noFindings) }
        html.table(
            PageText.findingCaption, [PageText.typeHeads[0]] + PageText.findingHeads.map(\.words),
            types.map { type in
                [stored(type["sample_type"])]
                    + PageText.findingHeads.map { .number("\(type["finding_counts"][$0.key].count)") }
            })
    }

    mutating func writeContext() {
        html.element("h2", PageText.context)
        let entries = items.first { !$0["context"].elements.isEmpty }?["context"].elements ?? []
        guard !entries.isEmpty else { return html.element("p", PageText.noContext) }
        html.table(
            PageText.contextCaption(offset(laterOffset)), PageText.contextHeads,
            entries.map { entry in
                [
                    .words(local(entry["logged_at"], laterOffset)), .stored(words(entry["event_kind"].string ?? "")),
                    .number("\(entry["observation_id"].count)"),
                ]
            })
    }

    // MARK: Observations of the chain

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
