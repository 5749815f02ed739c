// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let manifest: [CodeEntry] = [
        CodeEntry(
            .manifestExportID, .contradiction,
            "the export id does not match the header",
            places: [Place(.line, "the header")],
            sentence: """
                The header is not the one that the export id was made from: scope, coverage or another part of it was \
                changed.
                """),
        CodeEntry(
            .manifestTotals, .contradiction,
            "the totals are not what the items add up to; the `missing` of a salvage is not what its items leave",
            places: [
                Place(.line, "the manifest's line; of `missing`, the salvage's header"),
                Place(.pointer, "the first member that differs"),
            ],
            sentence: """
                The file states other numbers than it contains. Items were removed, added or replaced, or the totals \
                were changed.
                """),
        CodeEntry(
            .manifestHash, .contradiction,
            "the manifest hash does not match header, item hashes and totals",
            places: [Place(.line, "the manifest's line")],
            sentence: """
                The items are not those that the export was sealed with, or not in that order. Something was removed, \
                added, replaced or moved. Take the file that was exported, or compare with the archive.
                """),
        CodeEntry(
            .manifestScope, .contradiction,
            "an item that the scope, the filter or the coverage of the header excludes",
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is there that this export cannot have. It came from another export, or the header was changed.
                """),
        CodeEntry(
            .manifestRelationships, .contradiction,
            "relationships with both ends in scope do not pair",
            sentence: """
                One record names another as related, and the other does not say so. A relationship was removed or \
                added on one side.
                """),
    ]
}
