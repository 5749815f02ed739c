// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let manifests: [CodeEntry] = [
        CodeEntry(
            .manifestsManifestHash, .contradiction,
            "a manifest hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export has no hash that a file could be compared with. Keep the exported file: it \
                still verifies by itself.
                """),
        CodeEntry(
            .manifestsItemHash, .contradiction,
            "an item hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export has no hash for one of its items. Keep the exported file: it still verifies by \
                itself.
                """),
        CodeEntry(
            .manifestsRecordCount, .contradiction,
            "another count than rows in `export_items`, or than items in a report that has no rows there",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export is incomplete, or was changed. `hp-verify reproduce` says which items it \
                should have.
                """),
        CodeEntry(
            .manifestsFilter, .contradiction,
            "`filter_json` is no JSON object, or not canonical",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                It is not known what was asked for in this export, so that it cannot be recomputed. Keep the exported \
                file.
                """),
        CodeEntry(
            .manifestsOtherChain, .contradiction,
            "the two observations of an export other than a pair report are of two chains",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An export compares observations that have nothing to do with each other. Its record was changed, or \
                another tool made it.
                """),
    ]
}
