// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let container: [CodeEntry] = [
        CodeEntry(
            .containerEmpty, .loss,
            "the file has no bytes",
            places: [Place(.byte, "0")],
            damages: .rest,
            sentence: "The file is empty, so there is nothing to verify. Fetch it again from where it came."),
        CodeEntry(
            .containerNotZstd, .loss,
            "the file does not start with a Zstandard frame",
            places: [Place(.byte, "0")],
            damages: .rest,
            sentence: """
                The file does not begin like a bundle or any other container of an export. Nothing in it was examined. \
                Check that this is the file that was meant, and that nothing converted it.
                """),
        CodeEntry(
            .containerFrameHeader, .loss,
            """
            a frame header has a reserved or unused bit set, or another magic stands where the seek table says \
            that a frame starts
            """,
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                The header of a frame is damaged. What this frame held was not examined. The other frames were. Fetch \
                the file again; where no intact copy exists, `hp-verify salvage` recovers the other lines.
                """),
        CodeEntry(
            .containerDictionary, .loss,
            "a frame names a dictionary",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame says that it was compressed with a dictionary, which no export is. What this frame held was \
                not examined. The other frames were. Fetch the file again; where no intact copy exists, `hp-verify \
                salvage` recovers the other lines.
                """),
        CodeEntry(
            .containerWindow, .loss,
            "a frame needs a larger window than the limit",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame asks for more memory than a verifier gives. What this frame held was not examined. The other \
                frames were. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers the other \
                lines.
                """),
        CodeEntry(
            .containerFrameLimit, .loss,
            "a frame's text is larger than the limit",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame holds more text than a verifier accepts. Its text was not examined. Verify with a larger \
                `--max-frame` where the file is expected to be so.
                """),
        CodeEntry(
            .containerFrameCorrupt, .loss,
            "a frame's blocks cannot be decoded",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                The compressed bytes of a frame were changed or are incomplete. What this frame held was not examined. \
                The other frames were. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers \
                the other lines.
                """),
        CodeEntry(
            .containerChecksum, .loss,
            "a frame's content checksum does not match",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame can be decompressed, but its text is not the text that was written. It is not trusted, and its \
                lines were not examined. Fetch the file again; where no intact copy exists, `hp-verify salvage` \
                recovers the other lines.
                """),
        CodeEntry(
            .containerChecksumMissing, .form,
            "a frame has no content checksum",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame has no checksum, so damage to it would show only in the hashes of its lines. Its lines were \
                examined. Another program than an export wrote this file, or changed it.
                """),
        CodeEntry(
            .containerContentSizeMissing, .form,
            "a frame does not state its content size",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame does not state how much text it holds. Its lines were examined. Another program than an export \
                wrote this file, or changed it.
                """),
        CodeEntry(
            .containerContentSize, .form,
            "a frame's text has another size than stated",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame states another size than its text has. The text was examined. The header of the frame was \
                changed, or a program wrote it wrong.
                """),
        CodeEntry(
            .containerFrameEmpty, .form,
            "a frame holds no text",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame holds nothing. No line is missing because of it. Another program than an export wrote this \
                file, or changed it.
                """),
        CodeEntry(
            .containerFrameLineEnd, .form,
            "a frame does not end at a line end, and more of the file follows",
            places: [Place(.frame, "the frame")],
            sentence: """
                A line goes on from one frame into the next. It was examined as one line. Another program than an \
                export wrote this file, or changed it.
                """),
        CodeEntry(
            .containerTruncated, .loss,
            "the file ends inside a frame",
            places: [
                Place(.byte, "where the frame, or what is left of one, starts"),
                Place(.frame, "the frame", where: "the four bytes of its magic are there"),
            ],
            damages: .rest,
            damagesWhere: "the four bytes of a frame's magic are there, or no manifest came before",
            sentence: """
                The file ends too early. What is missing cannot be known from the file alone. Fetch it again; where no \
                intact copy exists, `hp-verify salvage` recovers the lines before the end.
                """),
        CodeEntry(
            .containerSkippable, .form,
            "a skippable frame that is not the seek table at the end",
            places: [Place(.byte, "where the skippable frame starts")],
            damages: .rest,
            damagesWhere: "it states more bytes than there are",
            sentence: """
                The file carries data that no verifier reads and no hash covers. The lines around it were examined. \
                Another program than an export added it.
                """),
        CodeEntry(
            .containerTrailing, .form,
            "bytes that are no frame stand between frames or after the last one, or anything follows the seek table",
            places: [Place(.byte, "the first such byte")],
            damages: .rest,
            damagesWhere: "reading cannot go on at a frame behind it, and no manifest came before",
            sentence: """
                Something was added to the file, or what was between two frames was damaged. Where a manifest came \
                before, every line of the export was examined. Fetch the file again where lines are missing.
                """),
        CodeEntry(
            .containerSeekTableMissing, .form,
            "the file does not end with a seek table",
            places: [Place(.byte, "the size of the file")],
            sentence: """
                The table of frames at the end of the file is gone. No line is missing because of it; a cut at a \
                frame's end looks like this, too, and then the manifest is missing as well.
                """),
        CodeEntry(
            .containerSeekTable, .form,
            "the seek table is malformed: its size, magic, descriptor or footer",
            places: [Place(.byte, "where the seek table starts")],
            sentence: """
                The table of frames at the end of the file is damaged. No line is missing because of it. Export again, \
                or fetch the file again.
                """),
        CodeEntry(
            .containerSeekTableMismatch, .form,
            "the seek table does not describe the frames that are there",
            places: [
                Place(.byte, "where the seek table, or its entry that differs, starts"),
                Place(.frame, "the frame of the entry", where: "an entry differs, not the number of frames"),
            ],
            sentence: """
                The table of frames does not fit the frames. Frames may have been added, removed or replaced; the \
                hashes of the lines say whether their content is what was exported.
                """),
        CodeEntry(
            .containerEnvelope, .loss,
            """
            what stands between the values of an envelope is not `export`, `items`, `manifest_hash` and `totals` \
            in their order
            """,
            places: [Place(.byte, "the first byte that differs")],
            damages: .rest,
            damagesWhere: "it is before the end of the value of `totals`",
            sentence: """
                The JSON text is not laid out as an export is, from this byte on. What came before was examined. A \
                program may have formatted it anew: take the file that was exported.
                """),
        CodeEntry(
            .containerPage, .loss,
            "a page does not carry its lines as it should: another element, an escape that is none, or another end",
            places: [Place(.byte, "the first byte that differs")],
            damages: .rest,
            damagesWhere: "no undamaged manifest came before",
            sentence: """
                The page does not carry its evidence as an exported page does, from this byte on. What came before was \
                examined. A program may have saved it anew, or it was cut: take the file that was exported.
                """),
        CodeEntry(
            .containerPageHash, .contradiction,
            "what is read in a page has another SHA-256 than its last line states",
            sentence: """
                What you read in this page is not what was exported, byte for byte: a figure, a word or the style was \
                changed. The evidence in it was examined by itself. Take the file that was exported.
                """),
        CodeEntry(
            .containerPagePolicy, .contradiction,
            """
            a page does not begin with the head that is prescribed, or its style is another, or a `<meta` stands \
            behind the head
            """,
            places: [
                Place(
                    .byte, "the first byte that differs, the hash that the policy states, or the `<meta`, in the file")
            ],
            sentence: """
                Nothing keeps a browser from running scripts of this page or from leaving it: what you see need not be \
                what stands in it. Do not open it. The evidence in it was examined by itself. Take the file that was \
                exported.
                """),
        CodeEntry(
            .containerSidecarMissing, .loss,
            "a table has no sidecar beside it",
            damages: .sidecar,
            sentence: """
                The file `-metadata.json` that belongs to this table is not beside it. Without it neither header nor \
                totals are known. Put both files into one folder under their first names.
                """),
        CodeEntry(
            .containerSidecar, .loss,
            "a sidecar is not canonical JSON, lacks a member, has an unknown one, or one with another value",
            places: [
                Place(
                    .byte, "where the text stops being canonical: 0, or its size where the line end is missing",
                    where: "it is not one canonical object and its line end"),
                Place(.pointer, "the member", where: "the sidecar is canonical"),
            ],
            damages: .sidecar,
            damagesWhere: "the member is `export`, `manifest_hash` or `totals`, or nothing can be read",
            sentence: """
                The file `-metadata.json` beside the table was changed, or belongs to another table. Fetch both files \
                again, under their first names.
                """),
        CodeEntry(
            .containerFileHash, .contradiction,
            "a table has another size or SHA-256 than its sidecar states",
            sentence: """
                The table is not the file that was exported, byte for byte. Its rows were examined: other findings say \
                which of them changed. A spreadsheet that saved it does this. Take the file that was exported.
                """),
        CodeEntry(
            .containerColumns, .loss,
            "the first row of a table is not the column names of its items",
            places: [Place(.line, "1")],
            damages: .rest,
            sentence: """
                The first row is not the one that this kind of export has, so that the rows could not be examined. A \
                spreadsheet that saved the table does this. Take the file that was exported.
                """),
    ]
}
