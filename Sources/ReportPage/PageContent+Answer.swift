internal import Answer

/// The first part of a page: the answer, a box for each loss, and the other differences. The sentences are those of the
/// screen (`AnswerSentences`), of the answer that the lines carry.
extension PageContent {
    // MARK: Names

    /// A text from outside is put between two signs, which `HTML.sentence` turns into an element of its own.
    static let names = AnswerNames { text in
        let scalars = text.unicodeScalars.map { HTML.isolates.contains($0) ? "\u{FFFD}" : $0 }
        return "\u{2068}" + String(String.UnicodeScalarView(scalars)) + "\u{2069}"
    }

    /// Returns the names of the two observations in sentences.
    func frame(of answer: Answer) -> AnswerFrame {
        let scope = header["scope"]
        let (from, to) = (scope["from_observation_id"].count, scope["observation_id"].count)
        let areExports = [from, to].allSatisfy { observation($0)["trigger_reason"].string == "apple_health_export" }
        return AnswerFrame(areExports: areExports, (Int64(from), answer.fromDay), (Int64(to), answer.toDay))
    }

    /// Returns an observation of the header; null if it has none with this id.
    func observation(_ id: Int) -> PageValue {
        header["observations"].elements.first { $0["id"].count == id } ?? .null
    }

    /// "Days at UTC+02:00."
    private var days: String {
        let later = observation(header["scope"]["observation_id"].count)
        return AnswerFrame.days(
            zone: later["time_zone_identifier"].string.map(Self.names.stored), offset: offset(laterOffset))
    }

    // MARK: The first screen

    mutating func writeAnswer() {
        html.element("p", manifestHash == nil ? PageText.contains : PageText.containsLess)
        guard let answer = PageAnswer.answer(of: all, types, header) else {
            return html.element("h1", all["before"].members.count > 0 ? PageText.title : PageText.noItems)
        }
        let frame = frame(of: answer), sentences = AnswerSentences(answer, Self.names, frame)
        html.sentence("p", "\(frame.compared) \(days)")
        let headline = AnswerHeadline(answer, Self.names, frame)
        html.sentence("h1", (header["filter"].members.isEmpty ? "" : PageText.ofSelection) + headline.first)
        let lost = answer.gone.count + answer.replaced.count
        // Nobody looks below the first loss to learn whether there is more that is not known.
        let unknown = answer.unknown.map { Self.names.type($0.identifier) }
        let isNamed = lost > 0 && unknown.count <= PageText.mostNamed && answer.withoutNotes.isEmpty
        let known = isNamed ? PageText.unknown(unknown) : nil
        let cause = answer.isUnchanged ? nil : PageText.noCause
        let rest = [headline.second, known, PageText.kept(lost), cause].compactMap { $0 }
        if !rest.isEmpty { html.sentence("p", rest.joined(separator: " ")) }
        writeCounts(answer)
        write(.gone, answer.gone, sentences, answer, PageText.gone(answer.gone))
        write(.replaced, answer.replaced, sentences, answer, PageText.replaced(answer.replaced))
        write(.changed, answer.changed, sentences, answer, PageText.changed(answer.changed))
        writeList(.sources, answer.sources.isEmpty && answer.newVersions == 0 ? [] : sentences.sources)
        writeUnknown(answer, sentences, frame)
        writeList(.earlier, sentences.earlier)
        if let links = sentences.links { writeList(.links, [links]) }
        writeOthers(answer, sentences)
    }

    /// Writes the numbers of the boxes, and those of relationships if there are any.
    private mutating func writeCounts(_ answer: Answer) {
        let counts = [
            (answer.gone.count, PageText.gone), (answer.replaced.count, PageText.replaced),
            (answer.changed.count, PageText.changed),
            (answer.newCount, answer.unknown.isEmpty ? PageText.new : PageText.newOfKnown),
        ]
        html.markup("<ul class=\"counts\">\n")
        for (count, words) in counts + PageText.links.map({ (all[$0.key].count, $0.words) }).filter({ $0.0 > 0 }) {
            html.markup("<li><b>")
            html.sentence(AnswerNumbers.text(count))
            html.markup("</b> ")
            html.text(words)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
    }

    // MARK: Sections

    /// Writes a section of stretches: a sentence, and a box for each of the largest; the others are counted.
    private mutating func write(
        _ section: PageSection, _ all: Answer.Stretches, _ sentences: AnswerSentences, _ answer: Answer,
        _ sentence: String
    ) {
        guard !all.isEmpty else { return html.heading(section, PageText.nothing) }
        html.heading(section)
        html.sentence("p", sentence)
        let shown = all.largest.prefix(Answer.shownStretches)
        for stretch in shown { card(stretch, sentences, answer) }
        let more = all.largest.dropFirst(shown.count)
        if !more.isEmpty {
            html.beginFold(isOpen: false, PageText.moreStretches(more.count))
            for stretch in more { card(stretch, sentences, answer) }
            html.endFold()
        }
        if let rest = sentences.rest(all, after: all.largest.count) {
            html.sentence("p", AnswerNames.capitalized(rest) + ".")
        }
        if section != .changed {
            html.element("p", PageText.each)
            html.command(command("--gone"))
        }
    }

    private mutating func card(_ stretch: Answer.Stretch, _ sentences: AnswerSentences, _ answer: Answer) {
        html.beginCard(
            AnswerNames.capitalized(sentences.subject(stretch)) + PageText.by(sentences.by(stretch)),
            AnswerNames.capitalized(AnswerDates.text(stretch, isLong: true)))
        let details = sentences.details(stretch)
        if !details.isEmpty { html.sentence("p", AnswerNames.capitalized(details) + ".") }
        writeCharts(of: stretch, answer)
        html.endCard()
    }

    /// Writes a section of sentences; a line if there are none.
    private mutating func writeList(_ section: PageSection, _ sentences: [String]) {
        guard !sentences.isEmpty else { return html.heading(section, PageText.nothing) }
        html.heading(section)
        if sentences.count == 1 { return html.sentence("p", AnswerNames.capitalized(sentences[0]) + ".") }
        html.markup("<ul>\n")
        for sentence in sentences { html.sentence("li", AnswerNames.capitalized(sentence)) }
        html.markup("</ul>\n")
    }

    private mutating func writeUnknown(_ answer: Answer, _ sentences: AnswerSentences, _ frame: AnswerFrame) {
        let unknown = sentences.unknownTypes
        let withoutNotes = sentences.withoutNotes.map { AnswerNames.capitalized($0) + "." }
        guard !unknown.isEmpty || withoutNotes != nil else { return html.heading(.unknown, PageText.nothing) }
        html.heading(.unknown)
        if let withoutNotes { html.sentence("p", withoutNotes) }
        guard !unknown.isEmpty else { return }
        html.sentence("p", PageText.unknown(unknown.count, of: answer.types.count))
        for type in unknown.prefix(Answer.shownStretches) { card(type, sentences, frame) }
        let more = unknown.dropFirst(Answer.shownStretches)
        guard !more.isEmpty else { return }
        html.beginFold(isOpen: false, PageText.moreTypes(more.count))
        for type in more { card(type, sentences, frame) }
        html.endFold()
    }

    private mutating func card(_ type: Answer.TypeFacts, _ sentences: AnswerSentences, _ frame: AnswerFrame) {
        let runs = runs(of: type.identifier)
        let doubts = AnswerDoubts(
            from: Int64(header["scope"]["from_observation_id"].count),
            to: Int64(header["scope"]["observation_id"].count), name: frame.name, stored: Self.names.stored)
        html.beginCard(sentences.counts(type), nil)
        html.sentence("p", AnswerNames.capitalized(doubts.texts(type.reasons, runs).joined(separator: "; ")) + ".")
        let hint = AnswerDoubts.hint(type.reasons, runs, noun: frame.noun, rejected: PageText.listRejected)
        html.sentence("p", PageText.toKnow(hint))
        html.endCard()
    }

    /// Returns the header's entries of a type at both observations.
    private func runs(of identifier: String) -> (from: AnswerDoubts.Run?, to: AnswerDoubts.Run?) {
        func run(_ coverage: String) -> AnswerDoubts.Run? {
            guard let entry = header[coverage].elements.first(where: { $0["sample_type"].string == identifier }) else {
                return nil
            }
            let words = entry["discontinuity"].string?.split(separator: " ").map(String.init) ?? []
            return AnswerDoubts.Run(
                status: entry["status"].string ?? "", observation: entry["observation_id"].number.map { Int64($0) },
                discontinuities: words, hasWithheld: entry["withheld_count"].number != nil)
        }
        return (run("from_coverage"), run("coverage"))
    }

    // MARK: What is ordinary

    private mutating func writeOthers(_ answer: Answer, _ sentences: AnswerSentences) {
        let places = answer.types.indices
        let parts = [answer.gone, answer.replaced, answer.changed]
        let lost = parts.reduce(into: Set<Int>()) { $0.formUnion($1.types.keys) }
        let new = places.filter { !lost.contains($0) && (answer.newTypes[$0] != nil || answer.types[$0].isFirstRead) }
        let same = places.filter {
            let type = answer.types[$0]
            return type.reasons.isEmpty && type.appeared + type.disappeared + type.changed == 0
        }
        fold(PageText.onlyNew(new.count), AnswerNames.capitalized(sentences.new) + ".", answer, new)
        fold(PageText.same(same.count), PageText.unchanged(sentences.unchanged), answer, same)
    }

    /// Writes a fold with a sentence and a table of types.
    private mutating func fold(_ title: String, _ sentence: String, _ answer: Answer, _ places: [Int]) {
        html.beginFold(isOpen: false, title)
        html.sentence("p", sentence)
        if !places.isEmpty {
            html.table(
                title, PageText.ordinaryHeads,
                places.map { place in
                    let type = answer.types[place]
                    return [
                        self.type(.string(type.identifier)), .number(AnswerNumbers.text(type.before)),
                        .number(AnswerNumbers.text(type.after)), .number(AnswerNumbers.text(type.appeared)),
                    ]
                })
        }
        html.endFold()
    }
}
