// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let evidence: [CodeEntry] = [
        CodeEntry(
            .evidenceFirstSeen, .contradiction,
            """
            a sample was first seen in another observation, or at another time, than its events and relationships \
            say
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a record was seen first was changed, or events of it were removed. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .evidenceCreated, .contradiction,
            "a version was made in another observation than its events say",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a representation of a record was seen first was changed, or events of it were removed. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceObservedAt, .contradiction,
            "an event is dated otherwise than its observation",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The date of an event or of an observation was changed. Keep the archive as it is, and compare it with \
                a backup.
                """),
        CodeEntry(
            .evidenceEvidenceKind, .contradiction,
            "an event states a kind of evidence that its kind, its run or its source cannot give",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                How it is known that a record was seen or is gone was changed. Keep the archive as it is, and compare \
                it with a backup.
                """),
        CodeEntry(
            .evidenceRunCounts, .contradiction,
            "a type run counts other events than there are",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count was changed, or events were removed or added. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .evidenceRunMissing, .contradiction,
            "an event or a summary is of a type that has no run in its observation",
            places: [Place(.table, "the table")],
            sentence: """
                A type run was removed. How the type was asked for, and whether it completed, is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceUuid, .contradiction,
            "a sample that a health store named by its UUID has no hash of one, or one of an export has",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The identifier of a record was removed or added: it would be taken for another record by the next \
                capture. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceStatus, .contradiction,
            "an observation has a status that its type runs contradict",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation says of itself that it went better or worse than its type runs did. What it did not see \
                may count as gone. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLoggedStatus, .contradiction,
            "an observation has another status than the context log states for its end",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The status of an observation was changed after its capture. Keep the archive as it is, and compare it \
                with a backup.
                """),
        CodeEntry(
            .evidenceLog, .contradiction,
            "an entry of the context log is not there: ids have a gap",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the context log was removed. What happened to the archive then is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLogEmpty, .contradiction,
            "the context log is empty",
            places: [Place(.table, "the table")],
            sentence: """
                All entries of the context log were removed. What happened to the archive is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceTypeSet, .contradiction,
            "a set of types is stored under another hash than that of its list",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Which types an observation asked for was changed. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .evidenceWithdrawn, .contradiction,
            "an observation that was withdrawn is there",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation that was taken back is there again, or another one has its id. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceRejected, .contradiction,
            "a range of a rejected record begins or ends with an observation that cannot have begun or ended it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a record that could not be stored was there was changed. A record that is missing may count as \
                gone, or as withheld. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLinkEnd, .contradiction,
            "a relationship ends with an observation that cannot have ended it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Since when two records are no longer related was changed, or the relationship was removed. Keep the \
                archive as it is, and compare it with a backup.
                """),
    ]
}
