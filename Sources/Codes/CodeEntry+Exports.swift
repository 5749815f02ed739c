// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let exports: [CodeEntry] = [
        CodeEntry(
            .exportsHeader, .contradiction,
            "recomputed, an export has another header",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                What the archive says of observations, coverage or its device chain changed since the export. The \
                exported file shows what it said then.
                """),
        CodeEntry(
            .exportsManifestHash, .contradiction,
            "recomputed, an export has the same header and items, and another manifest hash",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The recorded manifest hash, or what was counted, was changed since the export. The exported file shows \
                what it was.
                """),
        CodeEntry(
            .exportsItemUnknown, .contradiction,
            "recomputed, an export has an item that was not recorded",
            places: [Place(.table, "the table")],
            sentence: """
                Evidence for an earlier observation was added since the export. Evidence of the past is not added to \
                by a capture.
                """),
        CodeEntry(
            .exportsItemAbsent, .contradiction,
            "recomputed, an export lacks a recorded item",
            places: [Place(.table, "the table")],
            sentence: "Evidence for an earlier observation is no longer there. The exported file still has it."),
        CodeEntry(
            .exportsItemHash, .contradiction,
            "recomputed, an item has another hash",
            places: [Place(.table, "the table")],
            sentence: """
                Evidence for an earlier observation was changed since the export. The exported file shows what it was.
                """),
    ]
}
