internal import Timestamps

/// A page that is being written; `ReportPage` has its parts in their order.
struct PageContent {
    /// The page so far.
    var html = HTML()
    let header: PageValue
    let items: [PageValue]

    init(header: PageValue, items: [PageValue]) {
        self.header = header
        self.items = items
    }

    /// The row of all types; null where the selection has no records.
    var all: PageValue { items.first { $0["sample_type"].string == nil && $0["label"].string == nil } ?? .null }
    /// The rows of types.
    var types: [PageValue] { items.filter { $0["standing"].string != nil } }

    // MARK: Types

    mutating func writeTypes() {
        html.heading(.types)
        guard !types.isEmpty else { return html.element("p", PageText.noTypes) }
        let isChanged = { (item: PageValue) in item["standing"].string == "changed" }
        let (changed, others) = (types.filter(isChanged), types.filter { !isChanged($0) })
        html.table(PageText.changedTypes(changed.count), PageText.typeHeads, rows(changed))
        guard !others.isEmpty else { return }
        html.beginFold(isOpen: others.count <= 12, PageText.otherTypes(others.count))
        html.table(PageText.unchangedTypes, PageText.typeHeads, rows(others))
        html.endFold()
    }

    private func rows(_ types: [PageValue]) -> [[Cell]] {
        types.map { item -> [Cell] in
            let labels = item["labels"].members.map { PageText.count(label($0.key), $0.value.count) }
            let pairs = item["pair_counts"].members.map {
                PageText.count(PageText.pairs[$0.key] ?? words($0.key), $0.value.count)
            }
            return [
                named(item["sample_type"]), .number("\(item["before"]["record_count"].count)"),
                .number("\(item["after"]["record_count"].count)"), .number("\(item["appeared_count"].count)"),
                .number("\(item["disappeared_count"].count)"),
                .number("\(item["representation_changed_count"].count)"), .words(measure(item)),
                unit(item), .number(measured(item["before"], item)), .number(measured(item["after"], item)),
                .words(standing(item)), .words(pairs.isEmpty ? PageText.none : pairs.joined(separator: ", ")),
                .words(labels.isEmpty ? PageText.none : labels.joined(separator: ", ")),
            ]
        }
    }

    /// What is known of a type as a whole, and why not more.
    private func standing(_ item: PageValue) -> String {
        let reasons = item["standing_reasons"].elements.compactMap(\.string).map { PageText.reason($0) ?? words($0) }
        let text = item["standing"].string.map { PageText.standings[$0] ?? words($0) } ?? PageText.none
        return reasons.isEmpty ? text : PageText.evidence(text, reasons.joined(separator: ", "))
    }

    // MARK: Coverage and words

    /// Each type with what the observations have of it.
    var coverage: [(type: String, before: PageValue, after: PageValue)] {
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

    mutating func writeCoverage() {
        html.heading(.coverage)
        let rows = coverage.map { row in
            [named(.string(row.type))]
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

    mutating func writeWords() {
        html.heading(.words)
        html.markup("<dl>\n")
        for (word, meaning) in PageText.meanings {
            html.element("dt", word)
            html.element("dd", meaning)
        }
        html.markup("</dl>\n")
    }
}
