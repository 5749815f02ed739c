// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let values: [CodeEntry] = [
        CodeEntry(
            .valuesStorageClass, .contradiction,
            "a value has another storage class than its column",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A value is stored as another kind than it must be, and exports carry it as a defect, bit for bit. \
                Another tool wrote it, or it was changed. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesNull, .loss,
            "NULL in a column that is NOT NULL",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A value that must be there is not. Exports state it as a defect. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .valuesNotFinite, .contradiction,
            "a number that is not finite",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A number is infinite or none. Exports carry it as a defect, bit for bit. Keep the archive as it is, \
                and compare it with a backup.
                """),
        CodeEntry(
            .valuesIntegerRange, .contradiction,
            "an integer beyond 2^53−1 in magnitude",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An integer is larger than JSON carries exactly. Exports carry it as a defect, digit for digit.
                """),
        CodeEntry(
            .valuesCount, .contradiction,
            "a negative count",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A count is below zero, so that it was not counted. It was changed, or another tool wrote it."),
        CodeEntry(
            .valuesUTF8, .contradiction,
            "text that is not UTF-8",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A text has bytes that are no text. Exports carry it as a defect, byte for byte. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesNul, .contradiction,
            "text that holds U+0000",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A text holds a NUL, behind which some programs do not read. Exports carry it as a defect, byte for \
                byte.
                """),
        CodeEntry(
            .valuesDateRange, .contradiction,
            "a date outside the years 1 to 9999",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A date cannot be written as a timestamp. Exports carry it as a defect, bit for bit. Keep the archive \
                as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesDates, .contradiction,
            "a bucket that ends before it starts",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A bucket has no length in time. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .valuesWord, .contradiction,
            "a status or kind that is not known",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A word is none that the schema's rules name, so that it is not known what the row says. Another \
                version of a tool may have written it.
                """),
        CodeEntry(
            .valuesHash, .contradiction,
            "a hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A hash is none, so that nothing can be compared with it. It was changed, or another tool wrote it. \
                Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesMetadata, .contradiction,
            "metadata that is no canonical JSON object",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Metadata are not in the form that is hashed. Exports carry them as text. Another tool wrote them, or \
                they were changed.
                """),
    ]
}
