/// Windows of time in which records changed, each with its label, what that rests on, and what replaced its records.
extension PageContent {
    /// Windows that are listed, and those that are seen at once.
    private static let (listed, open) = (200, 20)

    /// Windows of the summary by label, whether the page has them or not.
    private var windowCounts: (all: Int, appeared: Int) {
        let labels = types.map { $0["labels"] }
        return (
            labels.reduce(0) { $0 + $1.members.reduce(0) { $0 + $1.value.count } },
            labels.reduce(0) { $0 + $1["appeared"].count }
        )
    }

    mutating func writeWindows() {
        html.heading(.windows)
        let counts = windowCounts
        let windows = items.filter { $0["label"].string.map { $0 != "appeared" } ?? false }.enumerated()
            .sorted { precedes($0, $1) }.map(\.element)
        let seconds = laterOffset
        let rows = windows.prefix(Self.listed).map { item -> [Cell] in
            [
                type(item["sample_type"]), .words(local(item["window_start"], seconds)),
                .words(local(item["window_end"], seconds)), .number("\(item["before"]["record_count"].count)"),
                .number("\(item["after"]["record_count"].count)"),
                .lines([label(item["label"].string ?? ""), evidence(item), replaced(item)].compactMap { $0 }),
            ]
        }
        if rows.isEmpty {
            html.element("p", PageText.noWindows)
        } else {
            html.element("p", PageText.windowNote)
            html.table(PageText.windowCaption(offset(seconds)), PageText.windowHeads, Array(rows.prefix(Self.open)))
            if rows.count > Self.open {
                html.beginFold(isOpen: false, PageText.foldedWindows(rows.count - Self.open))
                html.table(
                    PageText.furtherWindows(offset(seconds)), PageText.windowHeads, Array(rows.dropFirst(Self.open)))
                html.endFold()
            }
        }
        let more = counts.all - counts.appeared - rows.count
        if more > 0 { html.element("p", PageText.moreWindows(more, command("--summary --format csv"))) }
        if counts.appeared > 0 { html.element("p", PageText.onlyAppeared(counts.appeared)) }
    }

    /// Windows with more records no longer visible or changed come first, of equal ones those in which more appeared.
    private func precedes(
        _ one: (offset: Int, element: PageValue), _ other: (offset: Int, element: PageValue)
    ) -> Bool {
        func weight(_ item: PageValue) -> (Int, Int) {
            (
                item["disappeared_count"].count + item["representation_changed_count"].count,
                item["appeared_count"].count
            )
        }
        let (left, right) = (weight(one.element), weight(other.element))
        return left == right ? one.offset < other.offset : left > right
    }

    // MARK: Words

    /// Returns the evidence of a label; `nil` if it rests on nothing else.
    private func evidence(_ item: PageValue) -> String? {
        var parts = PageText.evidence.compactMap { entry -> String? in
            let value = item["evidence"][entry.key]
            guard let words = value.bool.map(PageText.truth) ?? value.number.map({ figure($0, entry.form) }) else {
                return nil
            }
            return PageText.evidence(entry.words, words)
        }
        let signs = PageText.signatures.filter { item["signatures"][$0.key].bool == true }.map(\.words)
        if !signs.isEmpty { parts.append(PageText.evidence(PageText.signs, signs.joined(separator: ", "))) }
        let reasons = item["reasons"].elements.compactMap(\.string).map { PageText.reason($0) ?? words($0) }
        if !reasons.isEmpty { parts.append(PageText.evidence(PageText.reasons, reasons.joined(separator: ", "))) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private func figure(_ value: Double, _ form: PageText.Form) -> String {
        switch form {
        case .plain: figure(value)
        case .share: PageText.percent(figure((value * 1000).rounded() / 10))
        }
    }

    /// Returns the replacements of the records that are no longer visible, and what else looks like one; `nil` if
    /// nothing does.
    private func replaced(_ item: PageValue) -> String? {
        let gone = item["disappeared_count"].count
        var parts = item["replaced"].elements.map { entry in
            let (before, after) = (entry["before_count"].count, entry["after_count"].count)
            return PageText.replaced(
                before, of: gone, by: after, entry["pair"].string ?? "", entry["outcome"].string ?? "")
        }
        let left = item["left_over"]["before_count"].count
        if left > 0, left < gone { parts.append(PageText.leftOver(left, of: gone)) }
        let alike = item["look_alikes"].elements.compactMap(\.string).map { PageText.lookAlikes[$0] ?? words($0) }
        if !alike.isEmpty { parts.append(PageText.evidence(PageText.looksLike, alike.joined(separator: ", "))) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
