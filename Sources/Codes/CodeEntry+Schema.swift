// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let schema: [CodeEntry] = [
        CodeEntry(
            .schemaColumn, .contradiction,
            "a column has another type, NOT NULL, default or place in the key",
            places: [
                Place(.table, "the table"),
                Place(.column, "the column"),
            ],
            sentence: """
                A table is not made as the schema says. Another tool made or altered it. Values are as they are; what \
                the column promises is not enforced.
                """),
        CodeEntry(
            .schemaForeignKey, .contradiction,
            "a foreign key is not there",
            places: [Place(.table, "the table")],
            sentence: """
                Nothing keeps these ids from naming rows that do not exist. The check `references` says whether one \
                does.
                """),
        CodeEntry(
            .schemaUnique, .contradiction,
            "a key, or an index that must be unique, is not there",
            places: [Place(.table, "the table")],
            sentence: "Nothing keeps these rows from being there twice. The check `identities` says whether one is."),
        CodeEntry(
            .schemaIndex, .form,
            "an index is not there",
            places: [Place(.table, "the table")],
            sentence: "Reading is slower without the index. No evidence is missing because of it."),
    ]
}
