// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let ranges: [CodeEntry] = [
        CodeEntry(
            .rangesObservationOrder, .contradiction,
            "an observation is dated before one with a smaller id on its chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Observations are not in the order of time. A clock was set back between two captures, or a date was \
                changed. Durations between them are not known.
                """),
        CodeEntry(
            .rangesInverted, .contradiction,
            "a range ends before it begins",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A range of visibility cannot be true. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOtherChain, .contradiction,
            "a range ends on another chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A range begins at one device and ends at another. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .rangesEnd, .contradiction,
            "one of `last_observation_id` and `last_seen_at` is there without the other",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "It is not clear whether a range has ended. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesVersion, .contradiction,
            "a range names a version of another sample",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A range shows values of another sample. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOpenTwice, .contradiction,
            "a sample has a second open range on a chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A sample would be counted twice. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOverlap, .contradiction,
            "two ranges of a sample overlap on a chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample would be counted twice for some observations. `hp-export repair` rebuilds it from the \
                evidence.
                """),
        CodeEntry(
            .rangesEvent, .contradiction,
            "an event that cannot follow the one before",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The events of a sample contradict each other: it appears while it is visible, or changes while it is \
                not. Events are evidence and are never rebuilt. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .rangesMissing, .contradiction,
            "an event begins a range that is not stored",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
            ],
            sentence: """
                A record that was seen is missing in what reports read. `hp-export repair` rebuilds it from the \
                evidence.
                """),
        CodeEntry(
            .rangesNoEvent, .contradiction,
            "no event begins a stored range",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
            ],
            sentence: """
                A record is shown that no event accounts for. An event was removed, or the range was added. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .rangesEndDiffers, .contradiction,
            "a range ends elsewhere than its events say",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A record is shown for too long, or too short. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .rangesTimes, .contradiction,
            "a range has other dates than its events",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A range is right in its observations and wrong in its dates. `hp-export repair` rebuilds it from the \
                evidence.
                """),
    ]
}
