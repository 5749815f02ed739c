// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let aggregates: [CodeEntry] = [
        CodeEntry(
            .aggregatesSummary, .contradiction,
            "a summary says something else than ranges and events",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count or sum that was derived from the evidence differs from it. The evidence itself is not \
                affected. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesBucket, .contradiction,
            "a bucket says something else than ranges",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count or sum of a day that was derived from the evidence differs from it. The evidence itself is not \
                affected. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesMissing, .contradiction,
            "a summary or bucket that must be there is not",
            places: [Place(.table, "the table")],
            sentence: """
                A derived count is missing. The evidence itself is not affected. `hp-export repair` rebuilds it from \
                the evidence.
                """),
        CodeEntry(
            .aggregatesHash, .contradiction,
            "`aggregate_hash` does not match its row",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A derived row was changed after it was written. The evidence itself is not affected. `hp-export \
                repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesTypeState, .contradiction,
            """
            what a type run states of its type (state, discontinuity, counts, the last observation that verified \
            it) does not follow from the runs
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                How sure the archive says it is of a type does not follow from its own runs. Records, events and \
                ranges are not affected. Keep the archive as it is, and compare it with a backup.
                """),
    ]
}
