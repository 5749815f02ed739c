/// Records that are no longer visible or changed, what the context log says, and the observations of the
/// chain: how many records each had, and which types it asked for.
extension PageContent {
    /// Records of a type that are seen at once; more are folded by day, or by week.
    private static let open = 25

    mutating func writeRecords() {
        html.heading(.records)
        let changed = types.filter { $0["disappeared_count"].count + $0["representation_changed_count"].count > 0 }
        let shown = changed.filter { !$0["examples"].elements.isEmpty }
        guard !changed.isEmpty else { return html.element("p", PageText.noRecords) }
        html.element("p", PageText.recordNote(offset(laterOffset)))
        for type in shown { writeRecords(of: type) }
        let others = changed.filter { $0["examples"].elements.isEmpty }
        let count = others.reduce(0) { $0 + $1["disappeared_count"].count + $1["representation_changed_count"].count }
        if count > 0 { html.element("p", PageText.otherRecords(count, others.count)) }
        html.element("p", PageText.each)
        html.command(command("--changes disappeared,changed"))
    }

    private mutating func writeRecords(of type: PageValue) {
        let name = self.type(type["sample_type"])
        html.markup("<h3>")
        html.contents(of: name)
        html.markup("</h3>\n")
        let examples = type["examples"].elements
        var left = type["disappeared_count"].count + type["representation_changed_count"].count
        if examples.count <= Self.open {
            writeTable(examples, of: type, PageText.recordCaption(unitText(type)))
            left -= examples.count
        } else {
            for (bucket, examples) in folded(examples, of: type) {
                let count = bucket.map { $0["disappeared_count"].count + $0["representation_changed_count"].count }
                let day = bucket.flatMap { localDay($0["start"]) }.map(date) ?? PageText.undated
                let isOfDays = type["calendar"]["bucket_days"].count != 7
                let fold = PageText.recordFold(day, isOfDays: isOfDays, count ?? examples.count, examples.count)
                html.beginFold(isOpen: false, fold)
                writeTable(examples, of: type, PageText.recordCaption(unitText(type), day))
                html.endFold()
                left -= count ?? examples.count
            }
        }
        if left > 0 { html.element("p", PageText.moreRecords(left)) }
    }

    /// Returns the records of a type by bucket of its calendar; those without one come first.
    private func folded(_ examples: [PageValue], of type: PageValue) -> [(bucket: PageValue?, examples: [PageValue])] {
        let buckets = type["calendar"]["buckets"].elements.compactMap { bucket in
            localDay(bucket["start"]).map { (day: $0, bucket: bucket) }
        }
        let length = Int64(max(1, type["calendar"]["bucket_days"].count))
        var groups: [Int: [PageValue]] = [:]
        for example in examples {
            let starts = [example["start_date"], example["start_after"]].compactMap { localDay($0) }
            let day = starts.min()
            let place = day.flatMap { day in buckets.firstIndex { ($0.day..<$0.day + length).contains(day) } }
            groups[place ?? -1, default: []].append(example)
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.key < 0 ? nil : buckets[$0.key].bucket, $0.value) }
    }

    private mutating func writeTable(_ examples: [PageValue], of type: PageValue, _ caption: String) {
        let seconds = laterOffset
        html.table(
            caption, of: self.type(type["sample_type"]), PageText.recordHeads,
            examples.map { example in
                let isChanged = example["change"].string == "representation_changed"
                let before: [Cell] = [
                    .words(local(example["start_date"], seconds)), .words(local(example["end_date"], seconds)),
                    recordValue(example["value_before"], of: type),
                ]
                guard isChanged else {
                    return before + [.words(PageText.none), .words(PageText.none), .words(PageText.notVisible)]
                }
                return before + [
                    .words(local(example["start_after"], seconds)), .words(local(example["end_after"], seconds)),
                    recordValue(example["value_after"], of: type),
                ]
            })
    }

    mutating func writeFindings() {
        html.heading(.findings)
        html.element("p", PageText.findings)
        html.command(command("--findings"))
    }

    mutating func writeContext() {
        html.heading(.log)
        let entries = all["context"].elements
        guard !entries.isEmpty else { return html.element("p", PageText.noContext) }
        html.table(
            PageText.contextCaption(offset(laterOffset)), PageText.contextHeads,
            entries.map { entry in
                [
                    .words(local(entry["logged_at"], laterOffset)), event(entry["event_kind"]),
                    .number("\(entry["observation_id"].count)"),
                ]
            })
    }

    private func event(_ kind: PageValue) -> Cell {
        kind.string.flatMap { PageText.events[$0] }.map { .words($0) } ?? .stored(words(kind.string ?? ""))
    }

    // MARK: Observations of the chain

    mutating func writeObservationsOfChain() {
        html.heading(.chain)
        let points = all["observations"].elements
        guard !points.isEmpty else { return html.element("p", PageText.noObservations) }
        let counts = points.map { $0["record_count"].count }
        html.bars(PageText.growthChart(points.count, counts.max() ?? 0), counts)
        html.table(
            PageText.growthCaption(offset(laterOffset)), PageText.growthHeads,
            points.map { point in
                [
                    .words("\(point["observation_id"].count)"), .words(local(point["observed_at"], laterOffset)),
                    status(point["status"]), .number("\(point["record_count"].count)"),
                ]
            })
        let asked = types.filter { $0["statuses"].elements.count == points.count }
        guard !asked.isEmpty else { return }
        for first in stride(from: 0, to: points.count, by: Self.besides) {
            let columns = first..<min(first + Self.besides, points.count)
            let names = columns.map { "\(points[$0]["observation_id"].count)" }
            html.table(
                PageText.matrixCaption(names[0], names[names.count - 1]), [PageText.typeHeads[0]] + names,
                asked.map { type in
                    let statuses = type["statuses"].elements
                    return [self.type(type["sample_type"])] + columns.map { status(statuses[$0]) }
                })
        }
    }
}
