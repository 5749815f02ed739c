internal import Timestamps

/// What a reader sees first: the numbers, the two observations, how to check the page, and what it leaves out.
extension PageContent {
    mutating func writeCounts() {
        html.heading(.numbers)
        html.element("p", PageText.compared(observation(isLater: true), observation(isLater: false)))
        guard all["before"].members.count > 0 else { return html.element("p", PageText.noItems) }
        html.markup("<ul class=\"counts\">\n")
        for (key, words) in [
            ("appeared_count", PageText.appeared), ("disappeared_count", PageText.disappeared),
            ("representation_changed_count", PageText.changed),
        ] {
            html.markup("<li><b>\(all[key].count)</b> ")
            html.text(words)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
        let sides = (all["before"]["record_count"].count, all["after"]["record_count"].count)
        html.element("p", PageText.records("\(sides.0)", "\(sides.1)") + " " + PageText.noCause)
        html.element("p", PageText.when)
        if let span = spanOfChanges { html.element("p", PageText.span(span.first, span.last, offset(laterOffset))) }
        writePairs()
    }

    /// The first and the last day on which a changed record begins, of the types that have a calendar.
    private var spanOfChanges: (first: String, last: String)? {
        let days = types.flatMap { $0["calendar"]["buckets"].elements.compactMap { localDay($0["start"]) } }
        guard let first = days.min(), let last = days.max() else { return nil }
        let length = types.map { $0["calendar"]["bucket_days"].count }.max() ?? 1
        return (date(first), date(last + Int64(max(1, length)) - 1))
    }

    private mutating func writePairs() {
        var counts: [String: Int] = [:]
        for (kind, value) in types.flatMap({ $0["pair_counts"].members }) { counts[kind, default: 0] += value.count }
        let parts = counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            PageText.count(PageText.pairs[$0.key] ?? words($0.key), $0.value)
        }
        guard !parts.isEmpty else { return html.element("p", PageText.noPairs) }
        html.element("p", PageText.pairs(parts.joined(separator: ", "), command("--pairs")))
    }

    /// One of the two observations in words: its id, local time and offset.
    private func observation(isLater: Bool) -> String {
        let scope = header["scope"]
        let id = (isLater ? scope["observation_id"] : scope["from_observation_id"]).count
        let found = header["observations"].elements.first { $0["id"].count == id } ?? .null
        let seconds = offset(of: found)
        return PageText.observation(id, local(found["observed_at"], seconds), offset(seconds))
    }

    /// A command that asks the archive about the same two observations.
    func command(_ options: String) -> String {
        let scope = header["scope"]
        return PageText.diff(scope["from_observation_id"].count, scope["observation_id"].count, options)
    }

    // MARK: Observations, check, limits

    mutating func writeObservations() {
        html.heading(.observations)
        let later = header["scope"]["observation_id"].count
        let rows = header["observations"].elements.map { observation -> [Cell] in
            let seconds = offset(of: observation)
            return [
                .words(PageText.observation(observation["id"].count, isLater: observation["id"].count == later)),
                .words(local(observation["observed_at"], seconds)), .words(offset(seconds)),
                stored(observation["time_zone_identifier"]), status(observation["status"]),
                stored(observation["os_version"]), stored(observation["trigger_reason"]),
            ]
        }
        html.table(PageText.observationCaption, PageText.observationHeads, rows)
    }

    mutating func writeCheck() {
        html.heading(.check)
        let id = header["export_id"].string ?? PageText.none
        html.markup("<p>")
        html.text(PageText.exportID)
        html.markup("<code>")
        html.text(id)
        html.markup("</code></p>\n<ol>\n")
        for (words, line) in PageText.checks(id) {
            html.markup("<li>")
            html.text(words)
            html.markup(" <code>")
            html.text(line)
            html.markup("</code></li>\n")
        }
        html.markup("</ol>\n")
        html.element("p", PageText.withoutArchive)
    }

    mutating func writeLimits() {
        html.heading(.limits)
        html.markup("<ul>\n")
        let filter = header["filter"].members
        if filter.isEmpty {
            html.element("li", PageText.notFiltered)
        } else {
            html.markup("<li>")
            html.text(PageText.filtered)
            for (index, member) in filter.enumerated() {
                html.text("\(index == 0 ? "" : "; ")\(words(member.key)): ")
                for (number, value) in (member.value.elements.isEmpty ? [member.value] : member.value.elements)
                    .enumerated()
                {
                    html.text(number == 0 ? "" : ", ")
                    html.stored(value.string ?? value.bool.map(PageText.truth) ?? PageText.none)
                }
            }
            html.markup("</li>\n")
        }
        let gaps = coverage.filter { row in
            [row.before, row.after].contains { $0["status"].string != "completed" }
        }
        html.element("li", gaps.isEmpty ? PageText.covered : PageText.gaps(gaps.count))
        let defects = header["defects"].elements.count
        html.element(
            "li",
            all["rejected_count"].number == nil
                ? PageText.rejectedUnknown
                : PageText.rejected(all["rejected_count"].count, all["withheld_count"].count))
        if defects > 0 { html.element("li", PageText.defects(defects)) }
        html.element("li", PageText.summaryOnly)
        html.element("li", PageText.rounding)
        html.markup("</ul>\n")
    }
}
