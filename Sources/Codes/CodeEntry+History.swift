// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let history: [CodeEntry] = [
        CodeEntry(
            .historyEntry, .contradiction,
            "a row does not have the form, the version, the sequence or the observation of its entry",
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
            "an entry does not name the link before it, or names another archive than the first entry",
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
            .historyIdentity, .contradiction,
            "the identity in the entries does not follow from the salt and the first entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                The salt or the first entry of the history was changed, so no commitment can be compared. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyState, .contradiction,
            "an entry may not follow the entries before it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry names an observation that was named before, withdraws one that is not the newest, or states \
                smaller ids than the entry before. The tools never write that. Compare the archive with a backup, and \
                with a head that you kept.
                """),
        CodeEntry(
            .historyRows, .contradiction,
            "the rows of a table do not fit the commitment of their entry",
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
            "an observation, its type runs or its facts do not fit the commitment of its entry",
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
            "a live observation is not in the archive",
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
            .historyNoEntry, .contradiction,
            """
            an observation is not newer than the newest entry of the history and has no entry, or a row belongs to \
            no entry
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation or a row was added behind the history, or an observation that was withdrawn is there \
                again. Compare the archive with a backup.
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
            "the entry at the length of the head has another link, or the chain is broken",
            sentence: """
                The archive went on otherwise than when the head was kept: it was rewritten, or an older copy of it \
                was captured into. Compare both by their exports.
                """),
        CodeEntry(
            .historyAnotherArchive, .contradiction,
            "the archive has another identity than the head states",
            sentence: "The head was kept of another archive, or this archive was made anew in its place."),
        CodeEntry(
            .historyWithdrawnSince, .contradiction,
            "observations that the head covers were withdrawn after it",
            sentence: """
                `hp-export undo` took them back, or somebody wrote what it writes. If you undid them, keep a new head: \
                `hp-export list ARCHIVE observations` shows it. If not, compare the archive with a backup.
                """),
        CodeEntry(
            .historyUnanswered, .contradiction,
            "a head was given, and a check that the answer needs could not be made",
            sentence: """
                Whether the archive extends the head is unknown. The notes and the other checks say what could not be \
                looked at; compare the archive with a backup.
                """),
    ]
}
