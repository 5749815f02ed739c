internal import Answer

/// Every text of a page. A translation is another file like this one.
enum PageText {
    static let language = "en"
    static let title = "What changed between two observations"
    static let skip = "An export of an archive of health records. No cause is inferred from any figure on this page."
    static let contents = "Contents"
    static func heading(_ section: PageSection) -> String {
        switch section {
        case .gone: "No longer in the export"
        case .replaced: "Replaced by fewer records"
        case .changed: "Changed"
        case .sources: "Sources"
        case .unknown: "Not known"
        case .earlier: "Still gone from earlier"
        case .links: "Links"
        case .evidence: "Evidence"
        case .numbers: "Numbers"
        case .observations: "The two observations"
        case .check: "Check this page"
        case .limits: "What this page leaves out"
        case .types: "Sample types"
        case .calendars: "Days on which records changed"
        case .months: "Both observations month by month"
        case .windows: "Windows of time in which records changed"
        case .records: "Records no longer visible or changed"
        case .findings: "Findings"
        case .coverage: "Coverage"
        case .chain: "Observations of this device chain"
        case .log: "What the log of the archive says"
        case .words: "Words"
        case .gaps: "Stretches without a record"
        case .nights: "Nights"
        case .notStored: "Not stored"
        case .years: "Years by day"
        }
    }

    // MARK: The answer

    static let contains = "Contains health data."
    static let containsLess = "Contains health data: counts and dates, without values and names of sources."
    static let ofSelection = "In this selection: "
    /// So many types that are not known are named in the first lines.
    static let mostNamed = 3
    static func unknown(_ types: [String]) -> String {
        guard let first = types.first else { return "Not known: nothing." }
        return types.count == 1 ? "It is \(first)." : "They are \(types.joined(separator: ", "))."
    }
    static func kept(_ lost: Int) -> String? {
        switch lost {
        case 0: nil
        case 1: "The archive keeps this record."
        default: "The archive keeps all \(AnswerNumbers.text(lost))."
        }
    }
    static func gone(_ all: Answer.Stretches) -> String {
        "\(AnswerNumbers.records(all.count))\(on(all)). Nothing replaced \(all.count == 1 ? "it" : "them")."
    }
    static func replaced(_ all: Answer.Stretches) -> String {
        "\(AnswerNumbers.records(all.count))\(on(all)) became \(AnswerNumbers.text(all.became)) at the same time."
    }
    static func changed(_ all: Answer.Stretches) -> String {
        "\(AnswerNumbers.records(all.count))\(on(all)) \(all.count == 1 ? "is" : "are") there in another version."
    }
    static func by(_ count: String) -> String { count.isEmpty ? "" : " replaced" + count }
    private static func on(_ all: Answer.Stretches) -> String {
        all.dayCount == 0 ? "" : " on \(AnswerNumbers.counted(all.dayCount, "day"))"
    }
    static func unknown(_ count: Int, of all: Int) -> String {
        "What became of the records of \(count) of \(AnswerNumbers.counted(all, "type")) is not known."
    }
    static func toKnow(_ hint: String) -> String { "To know it: \(hint)." }
    static let listRejected = "hp-export list ARCHIVE rejected"
    static let nothing = ": none"
    static func moreTypes(_ count: Int) -> String { "\(count) more \(count == 1 ? "type" : "types")" }
    static func moreStretches(_ count: Int) -> String { AnswerNumbers.counted(count, "more stretch", "es") }
    static func onlyNew(_ count: Int) -> String {
        count == 0 ? "New records" : "Only new records (\(AnswerNumbers.counted(count, "type")))"
    }
    static func same(_ count: Int) -> String {
        count == 0 ? "Unchanged records" : "No difference (\(AnswerNumbers.counted(count, "type")))"
    }
    static func unchanged(_ text: String) -> String { "Unchanged: \(text)." }
    static let chartDays = "Day by day"
    static func chartDays(_ count: Int) -> String { "\(count) days a bar" }
    static let chartMonths = "Twelve months"
    static func chartWhat(_ measure: String, _ unit: String?) -> String {
        measure + (unit.map { " in \($0)" } ?? "")
    }
    static func chart(_ name: String, _ dates: String) -> String { "\(name), \(dates)" }
    static func chartSpan(_ first: String, _ last: String) -> String { "\(first) to \(last)" }
    static func chartScale(_ low: String, _ high: String, _ what: String) -> String {
        "\(what), from \(low) to \(high)."
    }
    static let chartKey =
        "Outline: before. Filled: after. A dot is a mean, on a line from least to most. – no record, 0 zero, "
        + "? not known yet, ½ a part of the day."
    static let figures = "The same figures"
    static let chartHeads = ["from", "records before", "value before", "records after", "value after"]
    static let ordinaryHeads = ["sample type", "before", "after", "new"]

    // MARK: List of pages

    static let indexTitle = "All observations of an archive"
    static func indexHeading(_ count: Int, compared: Int, _ notable: Int) -> String {
        let all = AnswerNumbers.counted(count, "observation")
        if compared == 0 { return "\(all): nothing to compare yet." }
        if notable == 0 { return "\(all): nothing is gone, replaced or changed in any comparison." }
        return "\(all): \(notable) of \(AnswerNumbers.counted(compared, "comparison")) "
            + "\(notable == 1 ? "has" : "have") something gone, replaced, changed or not known."
    }
    static func indexChart(_ count: Int, _ greatest: String) -> String {
        "Records at \(AnswerNumbers.counted(count, "observation")), bars from 0 to \(greatest), the oldest first"
    }
    static let indexCaption = "Each observation compared with the one before it on its device chain"
    static let indexHeads = ["observed", "records", "gone", "replaced", "changed", "new", "types not known"]
    static let indexRows =
        "An observation with a link has a page. The others have only new records: this row is all that there is to say."
    static let indexTypesCaption = "Sample types; sums over all comparisons"
    static let indexTypesHeads = ["sample type", "records", "no longer visible", "changed", "new"]
    static func indexExports(_ count: Int) -> String { "Recorded exports: \(AnswerNumbers.text(count))" }
    static let noExports = "None."
    static let exportsCaption = "Recorded exports, the newest first"
    static let exportsHeads = ["kind", "recorded at (UTC)", "export id"]
    static func moreExports(_ count: Int) -> String {
        "\(AnswerNumbers.counted(count, "older export")): hp-export list ARCHIVE exports"
    }
    static let indexHealth = "Check the archive and the pages"
    static func lastCheck(_ time: String, isGood: Bool) -> String {
        "The newest logged check of the archive, \(time), found \(isGood ? "nothing wrong" : "faults"). Check again:"
    }
    static let noCheck = "No check of the archive is logged. Check it:"
    static let logCheck = "hp-export check ARCHIVE"
    static let indexCheck =
        "This list and the pages of types are not hashed. Each page of an observation carries its evidence:"
    static let indexCommands = ["hp-verify bundle [0-9]*.html --archive ARCHIVE"]
    static func observation(_ id: Int64) -> String { "observation \(id)" }
    static let backToIndex = "All observations"
    static let typeCaption = "This type at each observation, the newest first"
    static let typePageHeads = ["observed", "records", "no longer visible", "changed", "new", "known"]
    static let typeNote = "No longer visible counts records that others replaced too. \(noCause)"

    // MARK: Numbers

    static func compared(_ later: String, _ earlier: String) -> String {
        "Observation \(later), compared with observation \(earlier)."
    }
    static func observation(_ id: Int, _ time: String, _ offset: String) -> String { "\(id) of \(time) (\(offset))" }
    static let (gone, replaced, changed, new) = ("gone", "replaced", "changed", "new")
    /// New records where some types are not known: theirs are not counted.
    static let newOfKnown = "new in known types"
    static let links = [
        (key: "relationship_appeared_count", words: "links between records appeared"),
        (key: "relationship_changed_count", words: "links between records with other metadata"),
        (key: "relationship_disappeared_count", words: "links between records no longer visible"),
    ]
    static func records(_ before: String, _ after: String) -> String { "Visible before: \(before). After: \(after)." }
    static let noCause = "Cause not inferred."
    static let noItems = "The selection has no records, before or after."
    static let when =
        "Each change became visible between the two observations. When between them it happened is not known."
    static func span(_ first: String, _ last: String, _ offset: String) -> String {
        "The records that changed are of the days from \(first) to \(last), at \(offset)."
    }
    static let noPairs = "No record that is no longer visible was found again under another identity, or condensed."
    static func pairs(_ counts: String, _ command: String) -> String {
        "Some of the records that are no longer visible were found again among those that appeared: \(counts). That is "
            + "inferred from what they say; they count in the numbers above. \(command) lists each."
    }
    static let pairs = [
        "ambiguous": "ambiguous", "condensed_into": "condensed into one", "expanded_into": "expanded into several",
        "re_identified": "re-identified", "regrouped": "regrouped",
    ]
    static func count(_ words: String, _ count: Int) -> String { "\(words): \(count)" }
    static func diff(_ from: Int, _ to: Int, _ options: String) -> String {
        "hp-export diff ARCHIVE --from \(from) --to \(to)\(options.isEmpty ? "" : " " + options)"
    }

    // MARK: Observations, check, limits

    static let observationCaption = "Both observations, each with its local time"
    static let observationHeads = ["observation", "observed at", "offset", "time zone", "status", "system", "trigger"]
    static func observation(_ id: Int, isLater: Bool) -> String { "\(id) (\(isLater ? "after" : "before"))" }
    static let noTime = "not stored"
    static let filtered = "This page speaks of a selection of the records, not of all of them. The selection: "
    static let notFiltered = "No record was left out by a selection: every sample type of the archive has a row below."
    static let covered = "Every type was asked for completely at both observations."
    static func gaps(_ count: Int) -> String {
        "\(count) \(count == 1 ? "type was" : "types were") not asked for completely at one of the observations: "
            + "see the table of coverage. For these, a difference may be one of asking."
    }
    static func rejected(_ count: Int, _ withheld: Int) -> String {
        "Rejected records, which cannot be stored as they are, at the compared observation: \(count)."
            + (count > 0 ? " hp-export list ARCHIVE rejected shows each." : "")
            + (withheld > 0
                ? " Records that stay visible although the source no longer gave them, since such a record could be "
                    + "they: \(withheld)."
                : "")
    }
    static let rejectedUnknown = "This archive does not state which records of its source were rejected."
    static func defects(_ count: Int) -> String {
        "Stored values that have no canonical form, in the header: \(count). The evidence names each."
    }
    static let summaryOnly =
        "The page has totals, windows and the first records of each day and type. Numbers say what is not shown."
    static let rounding =
        "Figures are rounded to three decimals. The exact ones are in the evidence that this file carries."
    static let exportID = "Export id: "
    static func checks(_ id: String) -> [(words: String, line: String)] {
        [
            (
                "Recompute the hash of everything that you see, and those of the evidence in this file:",
                "hp-verify bundle report.html"
            ),
            (
                "Compare the manifest hash, in the last line of the evidence, with the recorded one, and what you "
                    + "see with what the archive gives:", "hp-verify bundle report.html --archive ARCHIVE"
            ),
            (
                "Make the whole page again from the archive, and compare:",
                reproduce(id)
            ),
        ]
    }
    static func reproduce(_ id: String) -> String { "hp-verify reproduce ARCHIVE --export \(id)" }
    static let withoutArchive =
        "Without the archive, the file can only be shown to agree with itself: whoever changes the page could also "
        + "change its hashes. The archive has the manifest hash of the recorded export, and finds that."

    // MARK: A page to share

    static let withheld = "withheld"
    static let otherProduct = "another product"
    static func source(_ number: Int) -> String { "source \(number)" }
    static let shared =
        "This page was made to be shared: values (sums, means, measures), names and products of sources, the name of "
        + "the time zone and versions of systems are left out. Sources have numbers, in order of appearance."
    static let sharedCheck =
        "This page has no evidence, so its figures cannot be verified with it. It was made of the items of this export:"
    static let manifestHash = "Manifest hash: "
    static let sharedReproduce =
        "The archive recorded this hash unless it was told not to. Its owner can write the page with evidence "
        + "(hp-export report), and make the export again:"

    // MARK: Types and windows

    static func changedTypes(_ count: Int) -> String { "Sample types with changes: \(count)" }
    static let unchangedTypes = "Sample types without a change that is seen"
    static func otherTypes(_ count: Int) -> String { count == 1 ? "1 more type" : "\(count) more types" }
    static let typeHeads = [
        "sample type", "before", "after", "appeared", "no longer visible", "changed", "what is known",
    ]
    static let (pairsOf, labelsOf) = ("pairs", "windows")
    static func measured(_ measure: String, _ unit: String, _ before: String, _ after: String) -> String {
        "\(measure)\(unit == none ? "" : " in \(unit)"): \(before) before, \(after) after"
    }
    static let noTypes = "No sample type has a record."
    static let none = "–"
    static let standings = [
        "changed": "changed", "continued": "unchanged, by what was known", "unchanged": "unchanged, as far as is seen",
        "unknown": "not known", "verified": "unchanged, verified",
    ]
    static let windowNote =
        "Those with the most records that are no longer visible or changed come first. A label is a reading of the "
        + "evidence under it; the last line has what replaced the records, and what looks like a loss and is none."
    static let windowHeads = [
        "sample type", "from", "to", "before", "after", "label and evidence",
    ]
    static func windowCaption(_ offset: String) -> String { "Windows, times at \(offset)" }
    static func furtherWindows(_ offset: String) -> String { "Further windows, times at \(offset)" }
    static func foldedWindows(_ count: Int) -> String { "\(count) further \(count == 1 ? "window" : "windows")" }
    static func moreWindows(_ count: Int, _ command: String) -> String {
        "\(count) more \(count == 1 ? "window is" : "windows are") not shown here: \(command) has "
            + "\(count == 1 ? "it" : "them")."
    }
    static func onlyAppeared(_ count: Int) -> String {
        "In \(count) more \(count == 1 ? "window" : "windows") records only appeared; these are counted, not listed."
    }
    static let noWindows = "There is no window in which records are no longer visible or changed."
    static let labels = [
        "appeared": "appeared", "disappeared": "no longer visible", "representationChanged": "representation changed",
        "consolidationLikely": "consolidation likely", "replacedNotProvable": "replaced, not provable",
        "aggregateChanged": "aggregate changed", "uncertain": "uncertain",
    ]
    static let measures = [
        "cumulative": "sum", "discrete": "mean", "category": "duration", "workout": "duration", "event": "count only",
    ]
    static let (equivalentLevel, hours) = ("level", "h")
    /// The form of a figure.
    enum Form { case plain, share }
    static let evidence: [(key: String, words: String, form: Form)] = [
        ("coverage_overlap", "time covered again", .share), ("instant_overlap", "instants covered again", .share),
        ("measure_delta", "difference of the measure", .plain),
        ("measure_kept", "measure kept", .plain), ("peaks_kept", "peaks kept", .plain),
        ("sources_compatible", "sources agree", .plain), ("metadata_compatible", "metadata agree", .plain),
    ]
    static func percent(_ number: String) -> String { "\(number) %" }
    static func evidence(_ words: String, _ value: String) -> String { "\(words): \(value)" }
    static func truth(_ value: Bool) -> String { value ? "yes" : "no" }
    static let (signs, reasons) = ("signs of condensed samples", "reasons")
    static let signatures: [(key: String, words: String)] = [
        ("condensed_again", "condensed again"), ("equal_rate", "equal rate"), ("equal_value", "equal value"),
        ("inside_workout", "inside a workout"), ("older_than_90_days", "older than 90 days"),
        ("within_five_minutes", "within five minutes"),
    ]
    /// Returns the reason why a verdict was not reached, in words.
    static func reason(_ code: String) -> String? {
        for (side, words) in [("from_", "before"), ("to_", "after")] where code.hasPrefix(side) {
            return reasonsOfRuns[String(code.dropFirst(side.count))].map { "\($0) \(words)" }
        }
        return otherReasons[code]
    }
    private static let reasonsOfRuns = [
        "never_queried": "never asked", "run_not_completed": "not asked completely",
        "state_unknown": "not known to be complete",
    ]
    private static let otherReasons = [
        "dates_missing": "dates missing", "pairs_ambiguous": "several possible pairs",
        "rejected_records_differ": "the rejected records differ",
        "sources_differ": "sources differ", "units_differ": "units differ",
        "values_incomplete": "some values missing", "values_missing": "no values",
    ]
    /// Records that others stand in the place of.
    static func replaced(_ before: Int, of all: Int, by after: Int, _ pair: String, _ outcome: String) -> String {
        let words =
            switch pair {
            case "ambiguous": "in several possible pairs with \(after)"
            case "re_identified": "under another identity"
            default: "replaced by \(after)"
            }
        return "\(before) of \(all) \(words)" + (outcomes[outcome].map { ", \($0)" } ?? "")
    }
    private static let outcomes = [
        "changed": "the measure changed", "days_changed": "the measure of single days changed",
        "not_provable": "not provable", "source_changed": "from another source",
    ]
    static func leftOver(_ count: Int, of all: Int) -> String { "\(count) of \(all) not replaced" }
    static let looksLike = "looks like"
    static let lookAlikes = [
        "daily_replacement": "a daily estimate that was replaced", "narrowed_permission": "a narrowed permission",
        "truncated_export": "an export that was cut", "watch_week": "the week that a watch keeps",
    ]

    // MARK: Calendars

    static let noCalendar = "No record changed on any day."
    static func calendarSigns(_ offset: String) -> String {
        "− no longer visible, + appeared, ~ representation changed; of those no longer visible, = there again under "
            + "another identity, ∪ condensed into another; 0 unchanged. A record counts on the day on which it begins, "
            + "at \(offset). Weeks and months without a change have no row."
    }
    static let calendarKinds: [(kind: Cell.Kind, words: String)] = [
        (.fewer, "fewer"), (.more, "more"), (.other, "as many, or changed"), (.again, "re-identified"),
        (.condensed, "condensed"),
    ]
    static func calendar(_ count: Int, _ isOfDays: Bool) -> String {
        isOfDays
            ? "\(count) \(count == 1 ? "day" : "days") with changes"
            : "\(count) \(count == 1 ? "week" : "weeks") with changes"
    }
    static func overview(isOfMonths: Bool, _ first: String, _ last: String) -> String {
        "Changes of each type by \(isOfMonths ? "month" : "year"), \(first) to \(last)"
    }
    static func week(_ monday: String) -> String { "week from \(monday)" }
    static let byDay = "changes by day"
    static let byWeek = "changes by week"
    static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let weeksOfMonth = ["month", "1st week", "2nd week", "3rd week", "4th week", "5th week"]
    static func otherCalendars(_ count: Int, _ command: String) -> String {
        "\(count) more \(count == 1 ? "type has" : "types have") no calendar here: no dates, or fewer changes. "
            + "\(command) has each change."
    }

    // MARK: Months

    static let noStrips = "No month of any type differs."
    static let stripKey =
        "Outlines are the earlier observation, filled bars the later one, both from zero. A month without records is a "
        + "gap. Only months from the first to the last difference are shown, the newest 36 of them."
    static func stripCaption(_ measure: String, _ unit: String) -> String { "\(measure) by month, in \(unit)" }
    static let stripHeadsOfRecords = ["month", "before", "after"]
    static let (recordCount, recordUnit) = ("count", "records")
    static let stripHeads = ["month", "records before", "value before", "records after", "value after"]
    static func stripChart(_ count: Int) -> String {
        "\(count) \(count == 1 ? "month" : "months") before and after, bars from zero; the table above has the numbers"
    }
    static func stripScale(_ low: String, _ high: String, _ unit: String, _ first: String, _ last: String) -> String {
        "From \(low) to \(high) \(unit), \(first) to \(last). Outline: before. Filled: after."
    }
    static func otherStrips(_ count: Int) -> String {
        "\(count) more \(count == 1 ? "type" : "types") changed, and no month of theirs is shown."
    }

    // MARK: Records, context

    static func recordNote(_ offset: String) -> String {
        "The first five of each day and the first hundred of each type, 250 in all, times at \(offset)."
    }
    static func recordCaption(_ unit: String, _ day: String? = nil) -> String {
        "records\(day.map { " of \($0)" } ?? "") before and after" + (unit == none ? "" : ", in \(unit)")
    }
    static let recordHeads = [
        "start before", "end before", "value before", "start after", "end after", "value after",
    ]
    static let undated = "no date"
    static func recordFold(_ day: String, isOfDays: Bool, _ count: Int, _ shown: Int) -> String {
        let records = "\(isOfDays ? day : "week from \(day)"): \(count) \(count == 1 ? "record" : "records")"
        return count > shown ? "\(records), \(count - shown) of them not shown" : records
    }
    static let notVisible = "no longer visible"
    static func value(_ name: String, _ number: String) -> String { "\(name) (\(number))" }
    static func moreRecords(_ count: Int) -> String {
        "\(count) more \(count == 1 ? "record" : "records") of this type \(count == 1 ? "is" : "are") not shown."
    }
    static func otherRecords(_ count: Int, _ types: Int) -> String {
        "\(count) \(count == 1 ? "record" : "records") of \(types) more \(types == 1 ? "type" : "types") "
            + "\(count == 1 ? "is" : "are") not shown."
    }
    static let findings =
        "Duplicates, late arrivals, and values that spread more than before are not looked for here. This lists them:"
    /// Before the command that lists what a section has the first or the number of.
    static let (each, noRecords) = ("Full list:", "There is none.")
    static let noContext = "It says nothing of these observations, or there is none."
    static func contextCaption(_ offset: String) -> String { "Newest entries, times at \(offset)" }
    static let contextHeads = ["logged at", "what", "observation"]
    static let events = [
        "capture_failed": "the capture failed", "capture_finished": "the capture finished",
        "capture_resumed": "the capture went on", "capture_started": "the capture started",
        "device_chain_started": "a device chain started", "guard_overridden": "a guard was overridden",
        "permission_changed": "permissions changed", "registry_changed": "other types were selected",
        "version_changed": "another version of the app or the system",
    ]

    // MARK: Coverage and observations of the chain

    static let coverageCaption = "What each observation asked for, and what came of it"
    static let coverageHeads = [
        "sample type", "before: query", "before: state", "before: visible", "after: query", "after: state",
        "after: visible",
    ]
    static let statuses = [
        "completed": "completed", "partial": "partial", "unauthorized": "refused", "failed": "failed",
        "never_queried": "never asked", "not_queried": "not asked", "timed_out": "timed out",
    ]
    static let noObservations = "The page was made without them."
    static func growthChart(_ count: Int, _ greatest: Int) -> String {
        "Visible records at \(count) \(count == 1 ? "observation" : "observations"), bars from 0 to \(greatest); the "
            + "table below has the numbers"
    }
    static func growthCaption(_ offset: String) -> String { "Visible records by observation, times at \(offset)" }
    static let growthHeads = ["observation", "observed at", "status", "visible records"]
    static func matrixCaption(_ first: String, _ last: String) -> String {
        "What observations asked for, from \(first) to \(last)"
    }

    // MARK: Words

    /// Words that a page without evidence does not explain.
    static let meaningsOfEvidence: Set = ["evidence", "manifest hash"]

    /// Returns the meanings of words; `before` and `after` name the two observations, whichever is older.
    static func meanings(_ before: Int, _ after: Int) -> [(word: String, meaning: String)] {
        [
            ("appeared", "visible at observation \(after), not at \(before); when it was measured is another date"),
            ("no longer visible", "visible at observation \(before), not at \(after); no proof of a deletion"),
        ] + otherMeanings
    }
    private static let otherMeanings: [(word: String, meaning: String)] = [
        ("observation", "the record of one capture: one question to a health store, or one export read"),
        ("representation changed", "the same record with another content, such as another date, value or source"),
        ("window", "a stretch of time in which records of a type changed"),
        (
            "pair",
            "records of the two observations that are the same thing by what they say: an inference, in place "
                + "of no change"
        ),
        ("re-identified", "a record that is there again with the same content under another identity"),
        ("condensed", "several records in whose place one stands that covers the same time and comes to the same"),
        ("ambiguous", "more than one record could be the other half of a pair, and none was chosen"),
        ("label", "what the evidence of a window looks like; it names no cause"),
        ("consolidation likely", "fewer records that cover the same time, with the same measure, sources and metadata"),
        ("aggregate changed", "what the window comes to is not what it came to before"),
        ("uncertain", "the evidence does not allow another label; the reasons stand beside it"),
        ("measure", "what the values of a type come to: a sum, a mean or a duration, in the type's own unit"),
        ("coverage", "whether a type was asked for, and how completely; one that nobody asked for is not empty"),
        ("verified", "the query was complete by itself; continued: it went on from a complete one; unknown: neither"),
        ("evidence", "the header, the items and the manifest at the end of this file, each with its hash"),
        ("manifest hash", "one hash over the header, the hashes of all items, the totals and what is read here"),
    ]
    static func cut(_ count: Int) -> String { "… (\(count) characters)" }
}
