// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let archive: [CodeEntry] = [
        CodeEntry(
            .archiveExportUnknown, .contradiction,
            "the archive has no record of this export id",
            sentence: """
                The archive does not know this export. It came from another archive, was exported without a record, or \
                its header was changed.
                """),
        CodeEntry(
            .archiveManifestHash, .contradiction,
            "the recorded manifest hash is another",
            sentence: """
                The archive recorded this export with other content. The file was changed and sealed anew, or the \
                record was changed.
                """),
        CodeEntry(
            .archiveRecordCount, .contradiction,
            "the recorded item count is another",
            sentence: "The archive recorded this export with another number of items."),
        CodeEntry(
            .archiveScope, .contradiction,
            """
            the recorded kind, observations or filter are others, or the archive states other `identity_rules` \
            than the header
            """,
            sentence: "The archive recorded this export with another question than the header states."),
        CodeEntry(
            .archiveItemUnknown, .contradiction,
            "an item of the file is not among the recorded items",
            places: [Place(.line, "the item's line")],
            sentence: """
                The file has an item that the archive did not export. It was added or changed afterwards, or the \
                record was changed.
                """),
        CodeEntry(
            .archiveItemAbsent, .contradiction,
            "a recorded item is not in the file",
            sentence: "The archive exported an item that the file lacks. It was removed or changed afterwards."),
        CodeEntry(
            .archiveItemHash, .contradiction,
            "an item was recorded with another hash",
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is not what the archive exported. It was changed afterwards and sealed anew, or the record was \
                changed.
                """),
        CodeEntry(
            .archiveEvidenceHeader, .contradiction,
            "the rows of the observation, or of its device chain, are not what the header says",
            sentence: """
                The archive's rows of the observation are not what they were when the export was made. They were \
                changed, or the header was.
                """),
        CodeEntry(
            .archiveHistory, .contradiction,
            "the archive's history does not have the entry that the header carries",
            sentence: """
                The archive has not the history any more that it had when the export was made: it was taken back to \
                before that, or written anew. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveEvidenceUnknown, .contradiction,
            "the archive's evidence gives no such item",
            places: [Place(.line, "the item's line")],
            sentence: """
                The archive no longer has what this item was made of. Rows were removed or changed, or the item was \
                added. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveEvidenceAbsent, .contradiction,
            "the archive's evidence gives an item that is not in the file",
            sentence: """
                The archive's rows give an item that was not exported then. Rows were added or changed, or the item \
                was removed from the file.
                """),
        CodeEntry(
            .archiveEvidenceChanged, .contradiction,
            "the archive's evidence gives the item with other contents",
            places: [Place(.line, "the item's line")],
            sentence: """
                The rows that this item was made of say something else now, though what was recorded may still agree. \
                The archive or the item was changed. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveChanged, .loss,
            "the archive changed while it was read",
            sentence: """
                Another program wrote to the archive meanwhile, so that what was read may not fit together. Verify \
                again when nothing writes to it.
                """),
    ]
}
