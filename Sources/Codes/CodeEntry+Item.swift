// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let item: [CodeEntry] = [
        CodeEntry(
            .itemHash, .contradiction,
            "the item hash does not match the item",
            places: [Place(.line, "the item's line")],
            sentence: """
                The item is not what was hashed when it was exported: a value, or the hash, was changed. Do not rely \
                on this item; take the file that was exported, or compare with the archive.
                """),
        CodeEntry(
            .itemMetadataHash, .contradiction,
            "`metadata_hash` does not match `metadata`",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata_hash`"),
            ],
            sentence: """
                The metadata of the item are not those that were captured. The item hash matches, so that whoever \
                changed them computed it anew, or the archive was changed before the export.
                """),
        CodeEntry(
            .itemPayloadHash, .contradiction,
            "`payload_hash` does not match the members that it covers",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/payload_hash`"),
            ],
            sentence: """
                Dates, value, unit, source, device or metadata of the item are not those that were captured. The item \
                hash matches, so that whoever changed them computed it anew, or the archive was changed before the \
                export.
                """),
        CodeEntry(
            .itemStrictFingerprint, .contradiction,
            "`strict_fingerprint` is not that of the item, whatever its ordinal",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/strict_fingerprint`"),
            ],
            sentence: """
                The item says that it is another sample than its values give. Its identity was changed, or the archive \
                was changed before the export.
                """),
        CodeEntry(
            .itemAlikeLimit, .loss,
            "not known whether `strict_fingerprint` holds: the file asks for more ordinals than are tried for one",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/strict_fingerprint`"),
            ],
            sentence: """
                So many items of the file are alike that this fingerprint was not recomputed. The other hashes of the \
                item were. Verify a smaller part of the evidence, by sample type or by date.
                """),
        CodeEntry(
            .itemSemanticFingerprint, .contradiction,
            "`semantic_fingerprint` is not that of the item's family",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/semantic_fingerprint`"),
            ],
            sentence: """
                The fingerprint by which the item is found in another representation does not follow from it. It was \
                changed, or the archive was changed before the export.
                """),
        CodeEntry(
            .itemPrivateMetadata, .contradiction,
            "the value of a private metadata key is no hash",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata`"),
            ],
            sentence: """
                A name, an account or a link may stand in the item in clear, or its hash was changed. The item hash \
                matches, so that whoever changed it computed it anew, or the archive was changed before the export. Do \
                not pass the file on before you have looked.
                """),
        CodeEntry(
            .itemShared, .contradiction,
            "metadata of a shared record have a key that it may not have, or are no object with members",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata`"),
            ],
            sentence: """
                The header says that metadata of other apps and private metadata were left out, and this record has \
                some. Do not pass the file on before you have looked.
                """),
    ]
}
