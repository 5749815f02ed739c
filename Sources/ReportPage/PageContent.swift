internal import Timestamps

/// The parts of a page, in their order.
struct PageContent {
    /// The page so far.
    var html = HTML()
    let header: PageValue
    let items: [PageValue]

    init(header: PageValue, items: [PageValue]) {
        self.header = header
        self.items = items
    }

    /// Windows that are listed.
    private static let listed = 200

    mutating func write() {
        html.begin(PageText.title)
        html.element("h1", PageText.title)
        html.element("p", PageText.skip)
        writeCounts()
        writeObservations()
        writeCheck()
        writeLimits()
        writeTypes()
        writeCalendars()
        writeStrips()
        writeWindows()
        writeRecords()
        writeFindings()
        writeCoverage()
        writeObservationsOfChain()
        writeContext()
        writeWords()
        html.markup("</main>\n")
    }

    // MARK: Head

    private mutating func writeCounts() {
        html.element("h2", PageText.counts)
        guard let all = items.first(where: { $0["sample_type"].string == nil && $0["label"].string == nil }) else {
            return html.element("p", PageText.noItems)
        }
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
    }

    private mutating func writeObservations() {
        html.element("h2", PageText.observations)
        let later = header["scope"]["observation_id"].count
        let rows = header["observations"].elements.map { observation -> [Cell] in
            let seconds = observation["time_zone_seconds_from_gmt"].count
            return [
                .words(PageText.observation(observation["id"].count, isLater: observation["id"].count == later)),
                .words(local(observation["observed_at"], seconds)), .words(offset(seconds)),
                stored(observation["time_zone_identifier"]), stored(observation["status"]),
                stored(observation["os_version"]), stored(observation["trigger_reason"]),
            ]
        }
        html.table(PageText.observationCaption, PageText.observationHeads, rows)
    }

    private mutating func writeCheck() {
        html.element("h2", PageText.check)
        html.markup("<p>")
        html.text(PageText.exportID)
        html.markup("<code>")
        html.text(header["export_id"].string ?? PageText.none)
        html.markup("</code></p>\n")
        html.element("p", PageText.command)
        html.markup("<p><code>")
        html.text(PageText.commandLine)
        html.markup("</code></p>\n")
        html.element("p", PageText.withoutArchive)
    }

    private mutating func writeLimits() {
        html.element("h2", PageText.left)
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
        html.element("li", PageText.summaryOnly)
        html.element("li", PageText.rounding)
        html.markup("</ul>\n")
    }

    // MARK: Types and windows

    private mutating func writeTypes() {
        html.element("h2", PageText.types)
        let rows = items.filter { $0["standing"].string != nil }.map { item -> [Cell] in
            let labels = item["labels"].members.map { "\(label($0.key)): \($0.value.count)" }
            return [
                stored(item["sample_type"]), .number("\(item["before"]["record_count"].count)"),
                .number("\(item["after"]["record_count"].count)"), .number("\(item["appeared_count"].count)"),
                .number("\(item["disappeared_count"].count)"),
                .number("\(item["representation_changed_count"].count)"), .words(measure(item)),
                .number(measured(item["before"], item)), .number(measured(item["after"], item)), unit(item),
                .words(labels.isEmpty ? PageText.none : labels.joined(separator: ", ")),
            ]
        }
        guard !rows.isEmpty else { return html.element("p", PageText.noTypes) }
        html.table(PageText.typesCaption, PageText.typeHeads, rows)
    }

    /// Windows of the summary by label, whether the page has them or not.
    private var windowCounts: (all: Int, appeared: Int) {
        let labels = items.filter { $0["standing"].string != nil }.map { $0["labels"] }
        return (
            labels.reduce(0) { $0 + $1.members.reduce(0) { $0 + $1.value.count } },
            labels.reduce(0) { $0 + $1["appeared"].count }
        )
    }

    private mutating func writeWindows() {
        html.element("h2", PageText.windows)
        let counts = windowCounts
        let windows = items.filter { $0["label"].string.map { $0 != "appeared" } ?? false }
        let seconds = laterOffset
        let rows = windows.prefix(Self.listed).map { item -> [Cell] in
            [
                stored(item["sample_type"]), .words(local(item["window_start"], seconds)),
                .words(local(item["window_end"], seconds)), .number("\(item["before"]["record_count"].count)"),
                .number("\(item["after"]["record_count"].count)"), .words(label(item["label"].string ?? "")),
                .words(evidence(item)), .words(against(item)),
            ]
        }
        if rows.isEmpty {
            html.element("p", PageText.noWindows)
        } else {
            html.table(PageText.windowCaption(offset(seconds)), PageText.windowHeads, rows)
        }
        let more = counts.all - counts.appeared - rows.count
        if more > 0 { html.element("p", PageText.moreWindows(more)) }
        if counts.appeared > 0 { html.element("p", PageText.onlyAppeared(counts.appeared)) }
    }

    // MARK: Coverage and words

    /// Each type with what the observations have of it.
    private var coverage: [(type: String, before: PageValue, after: PageValue)] {
        var sides: [String: (before: PageValue, after: PageValue)] = [:]
        for entry in header["from_coverage"].elements {
            sides[entry["sample_type"].string ?? PageText.none, default: (.null, .null)].before = entry
        }
        for entry in header["coverage"].elements {
            sides[entry["sample_type"].string ?? PageText.none, default: (.null, .null)].after = entry
        }
        return sides.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value.before, $0.value.after) }
    }

    private mutating func writeCoverage() {
        html.element("h2", PageText.coverage)
        let rows = coverage.map { row in
            [.stored(row.type)]
                + [row.before, row.after].flatMap { entry -> [Cell] in
                    let status = entry["status"].string
                    return [
                        status.flatMap { PageText.statuses[$0] }.map { .words($0) } ?? stored(entry["status"]),
                        .words(entry["state"].string.map(words) ?? PageText.none),
                        .number(entry["verified_visible_count"].number.map(figure) ?? PageText.none),
                    ]
                }
        }
        guard !rows.isEmpty else { return html.element("p", PageText.noTypes) }
        html.table(PageText.coverageCaption, PageText.coverageHeads, rows)
    }

    private mutating func writeWords() {
        html.element("h2", PageText.words)
        html.markup("<dl>\n")
        for (word, meaning) in PageText.meanings {
            html.element("dt", word)
            html.element("dd", meaning)
        }
        html.markup("</dl>\n")
    }
}
