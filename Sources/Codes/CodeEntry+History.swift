// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let history: [CodeEntry] = [
        CodeEntry(
            .historyEntry, .contradiction,
            "an entry of the history does not have its form, or another sequence or observation than its row",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was changed or damaged. What it covered cannot be compared. Keep the archive \
                as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyLink, .contradiction,
            "a link is not the hash of its entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was changed, or its link was. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .historyPrevious, .contradiction,
            "an entry does not name the entry before it, or names another archive",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was removed, added, or moved. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .historyRows, .contradiction,
            "the rows of a table are others than an entry states",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                Evidence was changed, removed or added after the observation ended. Another check may say what; else \
                only a backup does. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyObservation, .contradiction,
            "an observation, its type runs or its facts are others than its newest entry states",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                What an observation says of itself was changed after it ended. Keep the archive as it is, and compare \
                it with a backup.
                """),
        CodeEntry(
            .historyObservationMissing, .contradiction,
            "an observation that has an entry is gone, and no entry says that it was withdrawn",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation was removed by something else than `hp-export undo`. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .historyRewound, .contradiction,
            "the archive has fewer entries than the head states",
            sentence: """
                The archive is an older copy, or its newest observations were removed with their entries. A newer copy \
                has them.
                """),
        CodeEntry(
            .historyForked, .contradiction,
            "the entry at the length of the head has another link",
            sentence: """
                The archive went on otherwise than when the head was kept: it was rewritten, or an older copy of it \
                was captured into. Compare both by their exports.
                """),
        CodeEntry(
            .historyAnotherArchive, .contradiction,
            "the archive has another identity than the head states",
            sentence: "The head was kept of another archive, or this archive was made anew in its place."),
    ]
}
