internal import Answer
internal import Timestamps

/// Reads the answer that the lines of a page carry (`Spec/report-page.md`, Answer).
struct PageAnswer {
    /// Returns the answer of the item of all types and the items of types; `nil` if the page has none.
    ///
    /// - Parameter header: types of its coverage without an item were asked for by no observation.
    static func answer(of all: PageValue, _ types: [PageValue], _ header: PageValue) -> Answer? {
        let value = all["answer"]
        guard case .object = value else { return nil }
        var reader = PageAnswer()
        let noted = ["coverage", "from_coverage"].map { name in
            Set(header[name].elements.filter { $0["state"].string != nil }.compactMap { $0["sample_type"].string })
        }
        reader.noted = noted[0].intersection(noted[1])
        for type in types { reader.add(type) }
        let covered = header["coverage"].elements.compactMap { $0["sample_type"].string }
        for name in covered where reader.places[name] == nil {
            reader.add(
                Answer.TypeFacts(
                    identifier: name, measure: "event", unit: nil, before: 0, after: 0, appeared: 0,
                    disappeared: 0, changed: 0, reasons: ["from_never_queried", "to_never_queried"], isNoted: false))
        }
        reader.read(value)
        reader.readCounts(all)
        return reader.answer
    }

    private var answer = Answer()
    private var places: [String: Int] = [:]
    /// Types with a note of what their query came to at both observations.
    private var noted: Set<String> = []

    private mutating func add(_ type: PageValue) {
        let (before, after) = (type["before"], type["after"])
        add(
            Answer.TypeFacts(
                identifier: type["sample_type"].string ?? "", measure: type["measure"].string ?? "event",
                unit: before["unit"].string ?? after["unit"].string, before: before["record_count"].count,
                after: after["record_count"].count, appeared: type["appeared_count"].count,
                disappeared: type["disappeared_count"].count, changed: type["representation_changed_count"].count,
                reasons: type["standing_reasons"].elements.compactMap(\.string),
                isNoted: noted.contains(type["sample_type"].string ?? "")))
    }

    private mutating func add(_ type: Answer.TypeFacts) {
        places[type.identifier] = answer.types.count
        answer.types.append(type)
    }

    private mutating func read(_ value: PageValue) {
        (answer.fromDay, answer.toDay) = (Self.day(value["before_date"]), Self.day(value["after_date"]))
        answer.gone = stretches(value["gone"]) { _ in .gone }
        answer.replaced = stretches(value["replaced"]) {
            .replaced(pair: $0["pair"].string ?? "", outcome: $0["outcome"].string)
        }
        answer.changed = stretches(value["changed"]) { _ in .changed }
        (answer.newCount, answer.newTypes, answer.newDays) = counts(value["new"])
        (answer.lateCount, answer.lateTypes, answer.lateDays) = counts(value["late"])
        answer.newVersions = value["new_version_count"].count
        answer.isEarlierPartial = value["earlier_partial"].bool == true
        answer.earlier = value["earlier"].elements.map { entry in
            Answer.Earlier(
                identifier: entry["sample_type"].string ?? "", since: Self.day(entry["since_date"]),
                wasReplaced: entry["was_replaced"].bool, count: entry["record_count"].count, span: Self.span(entry))
        }
        answer.sources = value["sources"].elements.compactMap { entry in
            guard let kind = entry["finding"].string.flatMap({ Answer.SourceFact.Kind(rawValue: $0) }) else {
                return nil
            }
            func bytes(_ name: String) -> [UInt8]? { entry[name].string.map { Array($0.utf8) } }
            return Answer.SourceFact(
                kind: kind,
                source: Answer.Source(bundle: bytes("bundle_identifier"), nameHash: bytes("source_name_hash")),
                product: bytes("product_type"), before: entry["before_count"].count, after: entry["after_count"].count,
                day: Self.day(entry["date"]))
        }
    }

    private mutating func readCounts(_ all: PageValue) {
        answer.linksAppeared = all["relationship_appeared_count"].count
        answer.linksChanged = all["relationship_changed_count"].count
        answer.linksDisappeared = all["relationship_disappeared_count"].count
        answer.rejected = all["rejected_count"].number == nil ? nil : all["rejected_count"].count
    }

    private func stretches(_ value: PageValue, _ part: (PageValue) -> Answer.Part) -> Answer.Stretches {
        var all = Answer.Stretches()
        (all.stretchCount, all.count) = (value["stretch_count"].count, value["record_count"].count)
        (all.became, all.dayCount) = (value["after_count"].count, value["day_count"].count)
        (all.types, all.span) = (types(value), Self.span(value))
        all.largest = value["largest"].elements.map { entry in
            var stretch = Answer.Stretch(type: place(entry), part: part(entry), label: entry["label"].string ?? "")
            (stretch.count, stretch.became) = (entry["record_count"].count, entry["after_count"].count)
            (stretch.inPlace, stretch.dayCount) = (entry["in_place_count"].count, entry["day_count"].count)
            (stretch.span, stretch.sum) = (Self.span(entry), entry["value_sum"].number)
            stretch.hasOthersBetween = entry["has_others"].bool
            stretch.overlap = entry["overlap"].number
            stretch.isOverlapOfPhoneAndWatch = entry["overlap_of"].string == "phone_and_watch"
            stretch.chart = Self.chart(entry["chart"])
            return stretch
        }
        return all
    }

    private static func chart(_ value: PageValue) -> Answer.Chart? {
        guard value["bar_days"].count > 0 else { return nil }
        func bars(_ name: String) -> [Answer.Chart.Bar] {
            value[name].elements.compactMap { bar in
                func side(_ name: String) -> Answer.Chart.Side {
                    Answer.Chart.Side(
                        count: bar[name + "_count"].count, value: bar[name + "_value"].number,
                        low: bar[name + "_low"].number, high: bar[name + "_high"].number)
                }
                return day(bar["date"]).map { Answer.Chart.Bar(day: $0, before: side("before"), after: side("after")) }
            }
        }
        return Answer.Chart(days: bars("days"), barDays: value["bar_days"].count, months: bars("months"))
    }

    private func counts(_ value: PageValue) -> (Int, [Int: Int], ClosedRange<Int64>?) {
        (value["record_count"].count, types(value), Self.span(value))
    }

    private func types(_ value: PageValue) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for entry in value["types"].elements { counts[place(entry)] = entry["record_count"].count }
        return counts
    }

    private func place(_ entry: PageValue) -> Int {
        guard let place = places[entry["sample_type"].string ?? ""] else {
            preconditionFailure("a type of an answer has an item")
        }
        return place
    }

    private static func span(_ value: PageValue) -> ClosedRange<Int64>? {
        guard let first = day(value["first_date"]), let last = day(value["last_date"]), first <= last else {
            return nil
        }
        return first...last
    }

    /// Returns a local date as days since 1970.
    private static func day(_ value: PageValue) -> Int64? {
        guard let parts = value.string?.split(separator: "-").map({ Int($0) }), parts.count == 3,
            let year = parts[0], let month = parts[1], let day = parts[2]
        else { return nil }
        return Calendar.days(year: year, month: month, day: day)
    }
}
