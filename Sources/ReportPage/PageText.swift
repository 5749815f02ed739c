/// Every text of a page. A translation is another file like this one.
enum PageText {
    static let language = "en"
    static let title = "What changed between two observations"
    static let skip = "An export of an archive of health records. No cause is inferred from any figure on this page."

    // MARK: List of pages

    static let indexTitle = "What changed, observation by observation"
    static let indexEmpty = "The archive has no two observations that can be compared."
    static let indexCaption = "Each observation compared with the one before it on its device chain"
    static let indexHeads = [
        "page", "observed before", "observed after", "appeared", "no longer visible", "changed", "export id",
    ]
    static func indexPage(_ from: Int64, _ to: Int64) -> String { "\(from) and \(to)" }
    static let indexCheck =
        "This list is no evidence. Each page is, and says how it is checked: hp-verify bundle *.html --archive ARCHIVE"

    // MARK: Head

    static let observations = "The two observations"
    static let observationCaption = "Both observations, each with its local time"
    static let observationHeads = ["observation", "observed at", "offset", "time zone", "status", "system", "trigger"]
    static func observation(_ id: Int, isLater: Bool) -> String { "\(id) (\(isLater ? "after" : "before"))" }
    static let noTime = "not stored"
    static let left = "What this page leaves out"
    static let filtered = "This page speaks of a selection of the records, not of all of them. The selection: "
    static let notFiltered = "No record was left out by a selection: every sample type of the archive has a row below."
    static let covered = "Every type was asked for completely at both observations."
    static func gaps(_ count: Int) -> String {
        "\(count) \(count == 1 ? "type was" : "types were") not asked for completely at one of the observations: "
            + "see the table of coverage. For these, a difference may be one of asking."
    }
    static let summaryOnly =
        "The page has totals, windows of time and the first records of each type. It has none of the records that a "
        + "source gave and the archive rejected: hp-export diff and hp-export list have all of them."
    static let rounding =
        "Figures are rounded to three decimals. The exact ones are in the evidence that this file carries."
    static let check = "How to check this page"
    static let exportID = "Export id: "
    static let command =
        "This command recomputes the hash of everything that you see here, and those of the evidence, and compares "
        + "them with what the archive recorded. The manifest hash stands in the last line of the evidence:"
    static let commandLine = "hp-verify bundle report.html --archive ARCHIVE"
    static let withoutArchive =
        "Without the archive, the file can only be shown to agree with itself: whoever changes the page could also "
        + "change its hashes. The archive has the manifest hash of the recorded export, and finds that."

    // MARK: Counts

    static let counts = "Three numbers"
    static let appeared = "records appeared"
    static let disappeared = "records no longer visible"
    static let changed = "records with a changed representation"
    static func records(_ before: String, _ after: String) -> String { "Visible before: \(before). After: \(after)." }
    static let noCause = "Cause not inferred."
    static let noItems = "The selection has no records, before or after."

    // MARK: Types and windows

    static let types = "Sample types"
    static let typesCaption = "Each sample type at both observations"
    static let typeHeads = [
        "sample type", "before", "after", "appeared", "no longer visible", "changed", "measure", "was", "is", "unit",
        "labels of its windows",
    ]
    static let noTypes = "No sample type has a record."
    static let none = "–"
    static let windows = "Windows of time in which records changed"
    static let windowHeads = [
        "sample type", "from", "to", "before", "after", "label", "evidence", "against it",
    ]
    static func windowCaption(_ offset: String) -> String { "Windows, times at \(offset)" }
    static func moreWindows(_ count: Int) -> String {
        "\(count) more \(count == 1 ? "window is" : "windows are") not shown here. The evidence in this file has "
            + "\(count == 1 ? "it" : "them"), and so has hp-export diff --summary --format csv."
    }
    static func onlyAppeared(_ count: Int) -> String {
        "In \(count) more \(count == 1 ? "window" : "windows") records only appeared; these are counted, not listed."
    }
    static let noWindows = "There is no window in which records are no longer visible or changed."
    static let labels = [
        "appeared": "appeared", "disappeared": "no longer visible", "representationChanged": "representation changed",
        "consolidationLikely": "consolidation likely",
        "aggregateChanged": "aggregate changed", "uncertain": "uncertain",
    ]
    static let measures = [
        "cumulative": "sum", "discrete": "mean", "category": "duration", "workout": "duration", "event": "count only",
    ]
    static let equivalentLevel = "level"
    static let hours = "h"
    static let evidence: [(key: String, words: String)] = [
        ("coverage_overlap", "covered time that both have"), ("measure_delta", "difference of the measure"),
        ("measure_kept", "measure kept"), ("peaks_kept", "peaks kept"),
        ("sources_compatible", "sources agree"), ("metadata_compatible", "metadata agree"),
    ]
    static func evidence(_ words: String, _ value: String) -> String { "\(words): \(value)" }
    static func truth(_ value: Bool) -> String { value ? "yes" : "no" }
    static let reasons = "reasons"
    static let lookAlikes = "looks like"

    // MARK: Calendars

    static let calendars = "Days on which records changed"
    static let noCalendar = "No record changed on any day."
    static func calendarSigns(_ offset: String) -> String {
        "− no longer visible, + appeared, ~ representation changed. A record counts on the day on which it begins, at "
            + "\(offset). What is not shown did not change."
    }
    static let byDay = "changes by day"
    static let byWeek = "changes by week"
    static let weekdays = ["week from", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let weeksOfMonth = ["month", "1st week", "2nd week", "3rd week", "4th week", "5th week"]
    static func otherCalendars(_ count: Int) -> String {
        "\(count) more \(count == 1 ? "type has" : "types have") fewer changes, and no calendar here. hp-export diff "
            + "has each change."
    }

    // MARK: Strips

    static let strips = "Both observations month by month"
    static let noStrips = "No month of any type differs."
    static let stripKey =
        "Outlines are the earlier observation, filled bars the later one, both from zero. A month without records is a "
        + "gap. Only months from the first to the last difference are shown, at most 36."
    static func stripCaption(_ measure: String, _ unit: String) -> String { "\(measure) by month, in \(unit)" }
    static let stripHeads = ["month", "records before", "value before", "records after", "value after"]
    static func stripChart(_ count: Int) -> String {
        "\(count) \(count == 1 ? "month" : "months") before and after, bars from zero; the table above has the numbers"
    }

    // MARK: Records, findings, context

    static let recordsTitle = "Records no longer visible or changed"
    static let noRecords = "There is none."
    static func recordCaption(_ offset: String) -> String { "The first of each type, times at \(offset)" }
    static let recordHeads = ["sample type", "start", "end", "value before", "value after", "unit"]
    static let notVisible = "no longer visible"
    static func moreRecords(_ count: Int) -> String {
        "\(count) more \(count == 1 ? "record is" : "records are") not shown here: hp-export diff has each."
    }
    static let findings = "Findings"
    static let noFindings = "There is none at the usual thresholds."
    static let findingCaption = "What is worth a look, by sample type"
    static let findingHeads: [(key: String, words: String)] = [
        ("disappearance", "disappearances"), ("divergence", "divergences"), ("exact_duplicate", "exact duplicates"),
        ("late_arrival", "late arrivals"), ("semantic_duplicate", "semantic duplicates"),
    ]
    static let context = "What the log of the archive says"
    static let noContext = "It says nothing of these observations, or there is none."
    static func contextCaption(_ offset: String) -> String { "Newest entries, times at \(offset)" }
    static let contextHeads = ["logged at", "what", "observation"]

    // MARK: Coverage

    static let coverage = "Coverage"
    static let coverageCaption = "What each observation asked for, and what came of it"
    static let coverageHeads = [
        "sample type", "before: query", "before: state", "before: visible", "after: query", "after: state",
        "after: visible",
    ]
    static let statuses = [
        "completed": "completed", "partial": "partial", "unauthorized": "refused", "failed": "failed",
        "never_queried": "never asked",
    ]

    // MARK: Observations of the chain

    static let growth = "Observations of this device chain"
    static let noObservations = "The page was made without them."
    static func growthChart(_ count: Int) -> String {
        "Visible records at \(count) \(count == 1 ? "observation" : "observations"), bars from zero; the table below "
            + "has the numbers"
    }
    static func growthCaption(_ offset: String) -> String { "Visible records by observation, times at \(offset)" }
    static let growthHeads = ["observation", "observed at", "status", "visible records"]
    static let matrixCaption = "What each observation asked for, by its id"

    // MARK: Words

    static let words = "Words"
    static let meanings: [(word: String, meaning: String)] = [
        ("observation", "the record of one capture: one question to a health store, or one export read"),
        ("appeared", "visible at the later observation, not at the earlier one; when it was measured is another date"),
        (
            "no longer visible",
            "visible at the earlier observation, and not at the later one; that is no proof that it was deleted"
        ),
        ("representation changed", "the same record with another content, such as another date, value or source"),
        ("window", "a stretch of time in which records of a type changed"),
        ("label", "what the evidence of a window looks like; it names no cause"),
        ("measure", "what the values of a type come to: a sum, a mean or a duration, in the type's own unit"),
        ("coverage", "whether a type was asked for, and how completely; one that nobody asked for is not empty"),
        ("evidence", "the header, the items and the manifest at the end of this file, each with its hash"),
    ]
    static func cut(_ count: Int) -> String { "… (\(count) characters)" }
}
