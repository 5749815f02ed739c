internal import Answer

/// The texts of a page of one observation.
extension PageText {
    static let oneTitle = "What one observation has"
    static func one(_ noun: String, _ id: Int, _ day: String?) -> String {
        "\(AnswerNames.capitalized(noun)) \(day.map { "of \($0)" } ?? "\(id)")."
    }
    static let notCompared = "This page compares nothing: it shows what one observation has."
    static let (oneRecords, oneTypes, oneSources) = ("records", "types", "sources")
    static let oneDays = "days with records"
    static func nextOne(_ noun: String) -> String {
        "Capture the next \(noun), and the next page shows what is gone, replaced, changed and new."
    }
    static let presentCaption = "Sample types, the one with the most records first"
    static let presentHeads = ["sample type", "records", "days"]

    static let noYears = "No day with a record is known."
    static let yearsKey =
        "A bar is a day with records: 1 to 9, 10 to 99, 100 to 999, 1000 or more, the higher the more. A day without a "
        + "bar has no record. Below, a line begins each month."
    static func years(_ records: Int, _ days: [Int64]) -> String {
        let span = days.first.map { ", " + AnswerDates.text($0...days[days.count - 1]) } ?? ""
        return "\(AnswerNumbers.records(records)) on \(AnswerNumbers.counted(days.count, "day"))\(span)"
    }
    static func year(_ year: String, _ records: Int, _ days: Int) -> String {
        "\(year): \(AnswerNumbers.records(records)) on \(AnswerNumbers.counted(days, "day"))"
    }
    static func yearChart(_ year: String) -> String { "Days with records of \(year)" }
    static func otherYears(_ count: Int) -> String {
        "\(AnswerNumbers.counted(count, "more type")) \(count == 1 ? "has" : "have") no days here."
    }

    static func gapsKey(_ days: Int) -> String {
        "At least two days in a row without a record, of types with \(days) days or more that have one on every second "
            + "day, counted from the first to the last. \(noCause)"
    }
    static func gap(_ name: String, _ dates: String, _ days: Int, isOpen: Bool) -> String {
        "\(name): no record \(isOpen ? "since the last one, " : "")\(dates) (\(AnswerNumbers.counted(days, "day")))"
    }
    static func moreGaps(_ count: Int) -> String {
        "\(AnswerNumbers.counted(count, "shorter stretch", "es")) not listed; the years below show each."
    }

    static let sourcesCaption = "Sources of the records, the one with the most first"
    static let sourcesHeads = ["source", "records", "types"]
    static let product = "product"
    static let (source, noSource) = ("source", "a source without a name")
    static func moreSources(_ count: Int, _ records: Int) -> String {
        "\(AnswerNumbers.counted(count, "more source")) with \(AnswerNumbers.records(records)): "
            + "hp-export list ARCHIVE sources"
    }

    static let nightsNote =
        "Each night is of one source, as in hp-export days. The Health app can show other figures: its rule is not "
        + "documented."
    static let nightsCaption = "Nights and naps by month, the newest first"
    static let nightsHeads = ["month", "nights", "asleep each", "naps"]
    static func moreMonths(_ count: Int) -> String { AnswerNumbers.counted(count, "earlier month") }
    static func time(minutes: Int) -> String { "\(minutes / 60) h \(minutes % 60) min" }

    static func notStored(_ what: String) -> String { "The archive does not store: \(what)." }
    static func notRead(_ count: Int) -> String {
        "Not read: \(AnswerNumbers.records(count)). hp-export list ARCHIVE rejected shows each."
    }
    static func incomplete(_ names: String, _ more: Int) -> String {
        "Not known to be complete: \(names)\(more > 0 ? " and \(AnswerNumbers.counted(more, "more type"))" : "")."
    }

    static let oneCaption = "The observation, with its local time"
    static let oneHeads = ["observation", "observed at", "offset", "time zone", "status", "system", "trigger"]
    static let coverageHeadsOfOne = ["sample type", "query", "state", "visible"]
    static let eachDay = "Each day with its sums and means:"
    static func daysCommand(_ id: Int) -> String {
        "hp-export days ARCHIVE --at \(id) --view people -o days.csv"
    }
    /// Words that a page of one observation uses.
    static var meaningsOfOne: [(word: String, meaning: String)] {
        let used = ["observation", "coverage", "verified", "evidence", "manifest hash"]
        return meanings(0, 0).filter { used.contains($0.word) }
    }
}
