internal import Answer
internal import Timestamps

/// A page of one observation: what there is, and on which days (`Spec/report-page.md`, One observation).
extension PageContent {
    /// Types whose years are seen at once, and stretches and sources that are listed.
    private static let (openTypes, mostListed) = (3, 12)
    /// Days between which a type has a record on every second day, at least.
    private static let fewestDays = 14

    /// `true` if an observation is compared with itself.
    var isOfOne: Bool {
        let scope = header["scope"]
        return scope["from_observation_id"].number == scope["observation_id"].number
    }

    /// The observation of the page.
    private var one: PageValue { observation(header["scope"]["observation_id"].count) }
    /// The types with a record, those with the most first.
    private var present: [PageValue] {
        types.filter { count(of: $0) > 0 }.enumerated()
            .sorted { (count(of: $1.element), $0.offset) < (count(of: $0.element), $1.offset) }.map(\.element)
    }

    private func count(of type: PageValue) -> Int { type["after"]["record_count"].count }

    private var noun: String { one["trigger_reason"].string == "apple_health_export" ? "export" : "observation" }

    /// `true` if no finished observation of the chain is before it.
    private var isFirst: Bool {
        let id = one["id"].count
        return !all["observations"].elements.contains { $0["observation_id"].count < id }
    }

    /// Writes the parts of the page in their order.
    mutating func writeOne() {
        html.begin(PageText.oneTitle)
        html.element("p", manifestHash == nil ? PageText.contains : PageText.containsLess)
        writeFirstScreen()
        writePresentTypes()
        writeGaps()
        writeSources()
        writeNights()
        writeNotStored()
        writeYears()
        writeEvidenceOfOne()
        writeCheck()
        writeWords(PageText.meaningsOfOne)
        html.markup("</main>\n")
    }

    // MARK: The first screen

    private mutating func writeFirstScreen() {
        let id = one["id"].count
        let day = localDay(one["observed_at"]).map { AnswerDates.text($0, isLong: true) }
        let zone = AnswerFrame.days(
            zone: one["time_zone_identifier"].string.map(Self.names.stored), offset: offset(laterOffset))
        html.sentence("p", PageText.one(noun, id, day) + " " + zone)
        let present = present, span = Self.span(all)
        let name = isFirst ? "First \(noun)" : "\(AnswerNames.capitalized(noun)) \(id)"
        let total = all["after"]["record_count"].count
        html.sentence(
            "h1",
            (header["filter"].members.isEmpty ? "" : PageText.ofSelection)
                + AnswerFirst.headlines(name, records: total, types: present.count, span)[0])
        html.element("p", isFirst ? AnswerFirst.nothingBefore(noun) : PageText.notCompared)
        let recorded = Set(present.flatMap { self.days(of: $0) }).count
        html.markup("<ul class=\"counts\">\n")
        for (count, words) in [
            (total, PageText.oneRecords), (present.count, PageText.oneTypes), (sources.count, PageText.oneSources),
            (recorded, PageText.oneDays),
        ] {
            html.markup("<li><b>")
            html.sentence(AnswerNumbers.text(count))
            html.markup("</b> ")
            html.text(words)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
        html.element("p", PageText.nextOne(noun))
    }

    private static func span(_ value: PageValue) -> ClosedRange<Int64>? {
        guard let first = day(value["first_date"]), let last = day(value["last_date"]), first <= last else {
            return nil
        }
        return first...last
    }

    private static func day(_ value: PageValue) -> Int64? {
        guard let parts = value.string?.split(separator: "-").compactMap({ Int($0) }), parts.count == 3 else {
            return nil
        }
        return Calendar.days(year: parts[0], month: parts[1], day: parts[2])
    }

    // MARK: Types and days

    private mutating func writePresentTypes() {
        html.heading(.types)
        let present = present
        guard !present.isEmpty else { return html.element("p", PageText.noTypes) }
        html.table(
            PageText.presentCaption, PageText.presentHeads,
            present.map { type in
                let days = days(of: type)
                return [
                    self.type(type["sample_type"]), .number(AnswerNumbers.text(count(of: type))),
                    .number(days.isEmpty ? PageText.none : AnswerNumbers.text(days.count)),
                ]
            })
    }

    /// Returns the days with a record, in order; none if the lines do not have them.
    private func days(of type: PageValue) -> [Int64] {
        type["years"].elements.flatMap { year -> [Int64] in
            guard let first = Int(year["year"].string ?? "").flatMap({ Calendar.days(year: $0, month: 1, day: 1) })
            else { return [] }
            return (year["days"].string ?? "").utf8.enumerated()
                .filter { $0.element != UInt8(ascii: "0") }.map { first + Int64($0.offset) }
        }
    }

    private mutating func writeYears() {
        html.heading(.years)
        let shown = present.filter { !$0["years"].elements.isEmpty }
        guard !shown.isEmpty else { return html.element("p", PageText.noYears) }
        html.element("p", PageText.yearsKey)
        for (place, type) in shown.enumerated() {
            let years = type["years"].elements
            html.beginFold(
                isOpen: place < Self.openTypes, of: self.type(type["sample_type"]),
                PageText.years(count(of: type), days(of: type)))
            html.markup("<ul class=\"years\">\n")
            for year in years.reversed() {
                html.markup("<li>")
                let name = year["year"].string ?? ""
                html.sentence(PageText.year(name, year["record_count"].count, year["day_count"].count))
                html.days(PageText.yearChart(name), Array((year["days"].string ?? "").utf8))
                html.markup("</li>\n")
            }
            html.markup("</ul>\n")
            html.endFold()
        }
        if present.count > shown.count { html.element("p", PageText.otherYears(present.count - shown.count)) }
    }

    private mutating func writeGaps() {
        var gaps: [(type: String, days: ClosedRange<Int64>, isOpen: Bool)] = []
        let last = localDay(one["observed_at"]).map { $0 - 1 }
        for type in present {
            let days = days(of: type), name = type["sample_type"].string ?? ""
            guard days.count >= Self.fewestDays, Int64(days.count * 2) > days[days.count - 1] - days[0] else {
                continue
            }
            for (before, after) in zip(days, days.dropFirst()) where after - before > 2 {
                gaps.append((name, before + 1...after - 1, false))
            }
            let end = days[days.count - 1]
            if let last, last - end >= 2 { gaps.append((name, end + 1...last, true)) }
        }
        guard !gaps.isEmpty else { return html.heading(.gaps, PageText.nothing) }
        html.heading(.gaps)
        html.element("p", PageText.gapsKey(Self.fewestDays))
        let sorted = gaps.enumerated().sorted {
            ($1.element.days.count, $0.offset) < ($0.element.days.count, $1.offset)
        }
        html.markup("<ul>\n")
        for (_, gap) in sorted.prefix(Self.mostListed) {
            let name = AnswerNames.capitalized(Self.names.type(gap.type))
            html.sentence(
                "li", PageText.gap(name, AnswerDates.text(gap.days, isLong: true), gap.days.count, isOpen: gap.isOpen))
        }
        html.markup("</ul>\n")
        let rest = gaps.count - Self.mostListed
        if rest > 0 { html.element("p", PageText.moreGaps(rest)) }
    }

    // MARK: Sources and nights

    private struct OneSource {
        let source: Answer.Source
        let product: PageValue
        var records = 0
        var types = 0
    }

    /// Each source with its records, those with the most first.
    private var sources: [OneSource] {
        var counts: [Answer.Source: OneSource] = [:]
        for type in present {
            var seen: Set<Answer.Source> = []
            for entry in type["sources"].elements where entry["after_count"].count > 0 {
                func bytes(_ name: String) -> [UInt8]? { entry[name].string.map { Array($0.utf8) } }
                let source = Answer.Source(bundle: bytes("bundle_identifier"), nameHash: bytes("source_name_hash"))
                var count = counts[source] ?? OneSource(source: source, product: entry["product_type"])
                count.records += entry["after_count"].count
                if seen.insert(source).inserted { count.types += 1 }
                counts[source] = count
            }
        }
        func key(_ count: OneSource) -> [UInt8] { (count.source.bundle ?? []) + [0] + (count.source.nameHash ?? []) }
        return counts.values.sorted {
            $0.records == $1.records
                ? key($0).lexicographicallyPrecedes(key($1)) : $0.records > $1.records
        }
    }

    private mutating func writeSources() {
        let sources = sources
        guard !sources.isEmpty else { return html.heading(.sources, PageText.nothing) }
        html.heading(.sources)
        let hasProducts = manifestHash == nil && sources.contains { $0.product.string != nil }
        html.table(
            PageText.sourcesCaption, PageText.sourcesHeads + (hasProducts ? [PageText.product] : []),
            sources.prefix(Self.mostListed).map { count in
                let name: Cell =
                    if let bundle = count.source.bundle {
                        .stored(String(decoding: bundle, as: UTF8.self))
                    } else if let hash = count.source.nameHash {
                        .named(PageText.source, String(decoding: hash.prefix(12), as: UTF8.self))
                    } else {
                        .words(PageText.noSource)
                    }
                return [name, .number(AnswerNumbers.text(count.records)), .number(AnswerNumbers.text(count.types))]
                    + (hasProducts ? [stored(count.product)] : [])
            })
        let rest = sources.dropFirst(Self.mostListed)
        if !rest.isEmpty { html.element("p", PageText.moreSources(rest.count, rest.reduce(0) { $0 + $1.records })) }
    }

    private mutating func writeNights() {
        let months = Array(all["nights"].elements.reversed())
        guard !months.isEmpty else { return html.heading(.nights, PageText.nothing) }
        html.heading(.nights)
        html.element("p", PageText.nightsNote)
        func rows(_ months: ArraySlice<PageValue>) -> [[Cell]] {
            months.map { month in
                let days = month["asleep_day_count"].count
                let asleep = month["asleep_seconds"].number.map { $0 / Double(max(1, days)) }
                return [
                    .words(month["date"].string ?? PageText.none), .number("\(month["night_count"].count)"),
                    .number(asleep.map { PageText.time(minutes: Int(($0 / 60).rounded())) } ?? PageText.none),
                    .number("\(month["nap_count"].count)"),
                ]
            }
        }
        html.table(PageText.nightsCaption, PageText.nightsHeads, rows(months.prefix(Self.mostListed)))
        let rest = months.dropFirst(Self.mostListed)
        guard !rest.isEmpty else { return }
        html.beginFold(isOpen: false, PageText.moreMonths(rest.count))
        html.table(PageText.nightsCaption, PageText.nightsHeads, rows(rest))
        html.endFold()
    }

    // MARK: What is not there, and evidence

    private mutating func writeNotStored() {
        var lines: [String] = []
        if noun == "export" { lines.append(PageText.notStored(AnswerFirst.notStored)) }
        let rejected = all["rejected_count"].count
        if rejected > 0 { lines.append(PageText.notRead(rejected)) }
        let gaps = header["coverage"].elements.filter {
            $0["status"].string != "completed" || $0["state"].string == "unknown"
        }
        let names = gaps.prefix(Self.mostListed).map { Self.names.type($0["sample_type"].string ?? "") }
        if !gaps.isEmpty {
            lines.append(PageText.incomplete(names.joined(separator: ", "), gaps.count - names.count))
        }
        guard !lines.isEmpty else { return html.heading(.notStored, PageText.nothing) }
        html.heading(.notStored)
        html.markup("<ul>\n")
        for line in lines { html.sentence("li", line) }
        html.markup("</ul>\n")
    }

    private mutating func writeEvidenceOfOne() {
        html.beginFold(.evidence)
        html.element("p", PageText.skip)
        let seconds = offset(of: one)
        html.table(
            PageText.oneCaption, PageText.oneHeads,
            [
                [
                    .words("\(one["id"].count)"), .words(local(one["observed_at"], seconds)), .words(offset(seconds)),
                    stored(one["time_zone_identifier"]), status(one["status"]), stored(one["os_version"]),
                    stored(one["trigger_reason"]),
                ]
            ])
        let rows = header["coverage"].elements.map { entry in
            [
                named(entry["sample_type"]), status(entry["status"]),
                .words(entry["state"].string.map(words) ?? PageText.none),
                .number(entry["verified_visible_count"].number.map(figure) ?? PageText.none),
            ]
        }
        if !rows.isEmpty { html.table(PageText.coverageCaption, PageText.coverageHeadsOfOne, rows) }
        writeObservationsOfChain()
        writeContext()
        html.element("p", PageText.eachDay)
        html.command(PageText.daysCommand(one["id"].count))
        html.endFold()
    }
}

extension HTML {
    /// Appends a bar for each day of a year, as high as its count has digits, up to four, and a line at the beginning
    /// of each month.
    fileprivate mutating func days(_ label: String, _ digits: [UInt8]) {
        let (step, base) = (4, 16)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 366 20\" preserveAspectRatio=\"none\" width=\"732\" height=\"20\">\n")
        markup("<path class=\"now\" d=\"")
        var place = 0
        while place < digits.count {
            let digit = min(4, Int(digits[place]) - 48), start = place
            while place < digits.count, min(4, Int(digits[place]) - 48) == digit { place += 1 }
            if digit > 0 { markup("M\(start) \(base)V\(base - digit * step)H\(place)V\(base)Z") }
        }
        markup("\"></path>\n<path class=\"base\" d=\"M0 \(base)H\(digits.count)")
        var first = 0
        for month in 1...12 {
            markup("M\(first) \(base)V20")
            first += month == 2 ? digits.count - 337 : [4, 6, 9, 11].contains(month) ? 30 : 31
        }
        markup("\"></path>\n</svg>\n")
    }
}
