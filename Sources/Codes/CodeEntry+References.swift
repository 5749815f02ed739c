// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let references: [CodeEntry] = [
        CodeEntry(
            .referencesMissingRow, .loss,
            "an id names a row that does not exist",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A row refers to another one that is gone. What that one said is not known. Exports state it as a \
                defect. Keep the archive as it is, and compare it with a backup. A record of an export \
                (export_manifests) whose observation is missing is removed by hp-export repair --exports.
                """)
    ]
}
