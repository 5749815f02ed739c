// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let order: [CodeEntry] = [
        CodeEntry(
            .orderItems, .contradiction,
            "an item sorts before the item before it",
            places: [Place(.line, "the item's line")],
            sentence: """
                Items are not in the order that an export has. They were moved, or another tool wrote the file. No \
                value is wrong because of it.
                """),
        CodeEntry(
            .orderRepeated, .contradiction,
            """
            an item repeats the item before it: byte for byte, a type manifest of the same type, or a row of a \
            comparison for the same whole type
            """,
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is there twice. It counts twice in whatever reads the file. Take the file that was exported.
                """),
        CodeEntry(
            .orderCoverage, .contradiction,
            "entries of the header (coverage, filter, observations, changes) are not sorted or repeat",
            places: [
                Place(.line, "the header"),
                Place(.pointer, "the array"),
            ],
            sentence: """
                Lists in the header are not in their order, or state something twice. Another tool wrote the file, or \
                the header was changed.
                """),
    ]
}
