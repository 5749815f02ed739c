internal import Answer

/// What a reader sees first: the answer, and a card for each type of which something is missing, replaced, changed or
/// unknown. Every figure is one of the rows of types.
extension PageContent {
    /// Cards that are seen at once; further types are folded.
    private static let cards = 6

    /// What became of records of a type.
    private struct Loss {
        let name: String
        /// Records before: those in no pair, those in pairs, those with another version.
        let gone, replaced, changed: Int
        /// Records that stand for the replaced ones.
        let became: Int
        /// How they were replaced, a sentence each.
        let ways: [String]
        /// The local days of each; `nil` if the calendar does not have them.
        let goneDays, replacedDays, changedDays: Days?
    }

    /// Days, or weeks of days, on which something changed.
    private struct Days {
        let span: ClosedRange<Int64>
        let count: Int
        let isOfDays: Bool
    }

    // MARK: What is known

    /// Whether it is known what became of the records of a type.
    private func isKnown(_ type: PageValue) -> Bool {
        isFirstRead(type) || type["standing"].string != "unknown" && type["standing_reasons"].elements.isEmpty
    }

    /// Whether the earlier observation had not asked for a type and has no record of it: nothing can be missing.
    private func isFirstRead(_ type: PageValue) -> Bool {
        type["standing_reasons"].elements.map(\.string) == ["from_never_queried"]
            && type["before"]["record_count"].count == 0 && type["disappeared_count"].count == 0
    }

    /// The types of which something is not known.
    private var unknownTypes: [PageValue] { types.filter { !isKnown($0) } }

    private var losses: [Loss] {
        types.filter(isKnown).map { type in
            let entries = type["replaced"].elements, gone = type["left_over"]["before_count"].count
            let replaced = entries.reduce(0) { $0 + $1["before_count"].count }
            let changed = type["representation_changed_count"].count
            // A bucket counts pairs of these two kinds alone.
            let areCounted = entries.allSatisfy { ["condensed_into", "re_identified"].contains($0["pair"].string) }
            func found(_ bucket: PageValue) -> Int {
                bucket["re_identified_count"].count + bucket["condensed_count"].count
            }
            return Loss(
                name: typeText(type), gone: gone, replaced: replaced, changed: changed,
                became: entries.reduce(0) { $0 + $1["after_count"].count },
                ways: entries.filter { $0["before_count"].count > 0 }.map {
                    PageText.replaced(
                        $0["before_count"].count, of: gone + replaced, by: $0["after_count"].count,
                        $0["pair"].string ?? "", $0["outcome"].string ?? "")
                },
                goneDays: areCounted || replaced == 0
                    ? days(type, gone) { $0["disappeared_count"].count - found($0) } : nil,
                replacedDays: areCounted
                    ? days(type, replaced, found)
                    : gone == 0 ? days(type, replaced) { $0["disappeared_count"].count } : nil,
                changedDays: days(type, changed) { $0["representation_changed_count"].count })
        }
    }

    /// The days of a count that is `all` together.
    private func days(_ type: PageValue, _ all: Int, _ count: (PageValue) -> Int) -> Days? {
        let length = Int64(max(1, type["calendar"]["bucket_days"].count))
        let buckets = type["calendar"]["buckets"].elements.filter { count($0) > 0 }
        let days = buckets.compactMap { localDay($0["start"]) }
        guard buckets.reduce(0, { $0 + count($1) }) == all, let first = days.min(), let last = days.max() else {
            return nil
        }
        return Days(span: first...last + length - 1, count: days.count, isOfDays: length == 1)
    }

    /// What people call a type.
    private func typeText(_ type: PageValue) -> String {
        if case .words(let words) = self.type(type["sample_type"]) { return words }
        return type["sample_type"].string ?? PageText.none
    }

    private func dates(_ days: Days?) -> String? {
        guard let days else { return nil }
        let text = AnswerDates.text(days.span, isLong: true)
        if days.span.lowerBound == days.span.upperBound { return text }
        return PageText.spread(text, days.count, isOfDays: days.isOfDays)
    }

    // MARK: The heading

    /// The answer in a sentence or two.
    private func answer(_ losses: [Loss]) -> String {
        guard all["before"].members.count > 0 else { return PageText.noItems }
        let scope = header["scope"]
        // Of a comparison with a newer observation, or with the same one, nothing can be missing.
        guard scope["from_observation_id"].count < scope["observation_id"].count else { return PageText.title }
        var parts: [String] = []
        for (count, part) in [(\Loss.gone, PageText.Part.gone), (\Loss.replaced, .replaced)] {
            let some = losses.filter { $0[keyPath: count] > 0 }.sorted { $0[keyPath: count] > $1[keyPath: count] }
            guard let most = some.first else { continue }
            let total = some.reduce(0) { $0 + $1[keyPath: count] }
            parts.append(
                some.count == 1
                    ? PageText.answer(
                        part, total, most.name, dates(part == .gone ? most.goneDays : most.replacedDays),
                        by: most.became)
                    : PageText.answer(
                        part, total, some.count, most[keyPath: count], most.name,
                        by: some.reduce(0) { $0 + $1.became }))
        }
        if parts.isEmpty {
            let changed = losses.reduce(0) { $0 + $1.changed }
            parts = [
                PageText.nothingGone(
                    changed, links: all["relationship_disappeared_count"].count, isAll: unknownTypes.isEmpty,
                    losses.count)
            ]
        }
        if !unknownTypes.isEmpty { parts.append(PageText.unknownTypes(unknownTypes.count)) }
        return (header["filter"].members.isEmpty ? "" : PageText.ofSelection) + parts.joined(separator: " ")
    }

    // MARK: Cards

    /// The parts that say what is missing, replaced, changed, or not known.
    mutating func writeAnswer() {
        let losses = losses
        html.element("h1", answer(losses))
        html.element("p", PageText.contains + compared)
        html.element("p", PageText.kept)
        let new = types.filter { isKnown($0) && $0["left_over"]["after_count"].count > 0 }
        let newCount = new.reduce(0) { $0 + $1["left_over"]["after_count"].count }
        writeCounts(losses, newCount)
        let sections = [
            (.gone, cards(of: losses, \.gone) { [dates($0.goneDays) ?? PageText.undatedCard, PageText.notReplaced] }),
            (.replaced, cards(of: losses, \.replaced) { [dates($0.replacedDays) ?? PageText.undatedCard] + $0.ways }),
            (
                PageSection.changed,
                cards(of: losses, \.changed) { [dates($0.changedDays) ?? PageText.undatedCard, PageText.otherVersion] }
            ),
            (.unknown, unknownTypes.map(cardOfUnknown)),
        ]
        for (section, cards) in sections where !cards.isEmpty { write(section, cards) }
        for (section, cards) in sections where cards.isEmpty { html.heading(section, PageText.nothing) }
        html.heading(.others)
        let same = types.count { isKnown($0) && $0["standing"].string != "changed" && !isFirstRead($0) }
        html.element("p", PageText.others(newCount, new.count, same, types.count(where: isFirstRead)))
    }

    /// The two observations by their dates.
    private var compared: String {
        let scope = header["scope"]
        func date(_ id: Int) -> String {
            let observation = header["observations"].elements.first { $0["id"].count == id } ?? .null
            return localDay(observation["observed_at"]).map { AnswerDates.text($0) } ?? PageText.noTime
        }
        return PageText.compared(
            date(scope["observation_id"].count), date(scope["from_observation_id"].count), offset(laterOffset))
    }

    /// The numbers of the cards, and those of relationships if there are any.
    private mutating func writeCounts(_ losses: [Loss], _ newCount: Int) {
        guard all["before"].members.count > 0 else { return }
        let counts = [
            (losses.reduce(0) { $0 + $1.gone }, PageText.gone),
            (losses.reduce(0) { $0 + $1.replaced }, PageText.replaced),
            (losses.reduce(0) { $0 + $1.changed }, PageText.changed), (newCount, PageText.new),
        ]
        html.markup("<ul class=\"counts\">\n")
        for (count, words) in counts + PageText.links.map({ (all[$0.key].count, $0.words) }).filter({ $0.0 > 0 }) {
            html.markup("<li><b>\(AnswerNumbers.text(count))</b> ")
            html.text(words)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
    }

    private func cardOfUnknown(_ type: PageValue) -> [String] {
        [
            PageText.cardOfUnknown(
                typeText(type), type["before"]["record_count"].count, type["after"]["record_count"].count),
            standing(type), PageText.unknownChanges(type["disappeared_count"].count, type["appeared_count"].count),
        ]
    }

    /// The lines of cards, those with the most records first.
    private func cards(of losses: [Loss], _ count: KeyPath<Loss, Int>, _ rest: (Loss) -> [String]) -> [[String]] {
        losses.filter { $0[keyPath: count] > 0 }
            .sorted { ($1[keyPath: count], $0.name) < ($0[keyPath: count], $1.name) }
            .map { [PageText.card($0[keyPath: count], $0.name)] + rest($0) }
    }

    private mutating func write(_ section: PageSection, _ cards: [[String]]) {
        html.heading(section)
        for lines in cards.prefix(Self.cards) { card(lines) }
        let rest = cards.dropFirst(Self.cards)
        guard !rest.isEmpty else { return }
        html.beginFold(isOpen: false, PageText.moreTypes(rest.count))
        for lines in rest { card(lines) }
        html.endFold()
    }

    /// A box with a heading and sentences.
    private mutating func card(_ lines: [String]) {
        html.markup("<div class=\"card\">\n")
        for (place, line) in lines.enumerated() where !line.isEmpty { html.element(place == 0 ? "h3" : "p", line) }
        html.markup("</div>\n")
    }
}
