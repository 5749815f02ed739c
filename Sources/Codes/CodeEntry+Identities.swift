// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let identities: [CodeEntry] = [
        CodeEntry(
            .identitiesUuid, .contradiction,
            "two samples of a type have one UUID hash",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                One record of the source may be there as two samples, and counts twice. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .identitiesFingerprint, .contradiction,
            "two samples of a type have one strict fingerprint",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Two samples cannot be told apart where no UUID is known. One may be a copy of the other. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesTypeTwin, .contradiction,
            "two types have identifiers that are equal after Unicode normalization",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Two types look the same to a reader, and their records are counted apart. Another tool wrote one of \
                them.
                """),
        CodeEntry(
            .identitiesDuplicateRow, .contradiction,
            "a row repeats the columns of a key",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A row is there twice, and may count twice. A key was lost, or another tool wrote it."),
        CodeEntry(
            .identitiesMetadataHash, .contradiction,
            "`metadata_hash` does not match `metadata_json`",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Metadata are not those that were captured, or their hash was changed. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .identitiesPayloadHash, .contradiction,
            "`payload_hash` does not match the version",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A version's values are not those that were captured, or its hash was changed. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesStrictFingerprint, .contradiction,
            "`strict_fingerprint` is not that of the sample, whatever its ordinal",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample's first values are not those that were captured, or its fingerprint was changed. Keep the \
                archive as it is, and compare it with a backup.
                """),
    ]
}
