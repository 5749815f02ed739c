// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let line: [CodeEntry] = [
        CodeEntry(
            .lineLimit, .loss,
            "a line is longer than the limit",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                A line is longer than a verifier accepts and was not examined. Verify with a larger `--max-line` where \
                the file is expected to be so.
                """),
        CodeEntry(
            .lineDamagedLimit, .loss,
            "more lines that are no undamaged items than a file may have",
            places: [Place(.line, "the first line beyond them")],
            damages: .all,
            sentence: """
                So much of the file is damaged that reading it to its end is not worth the time. Nothing behind this \
                line was examined. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers the \
                intact lines.
                """),
        CodeEntry(
            .lineBlank, .form,
            "lines that are empty: one finding for a run of them in one frame",
            places: [Place(.line, "the first of them")],
            damages: .line,
            sentence: """
                There are empty lines, which no export writes. Where a line was replaced by an empty one, its content \
                is gone. Take the file that was exported.
                """),
        CodeEntry(
            .lineUnterminated, .loss,
            "the last line has no LF",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                The last line does not end, so that it may not be whole; it was not examined. The file was cut, or an \
                editor removed the last line end. Fetch it again.
                """),
        CodeEntry(
            .lineHeaderMissing, .loss,
            "the first line is an item or a manifest, or there is no line at all",
            places: [Place(.line, "the first line", where: "there is a line")],
            damages: .manifest,
            sentence: """
                The export does not begin with its header, so that it is not known what it is about. The items were \
                examined by themselves. Fetch the file again.
                """),
        CodeEntry(
            .lineHeaderRepeated, .contradiction,
            "another header",
            places: [Place(.line, "the header that is too many")],
            damages: .line,
            sentence: """
                There is a second header. Two exports were put into one file, or a line was copied. Take the files \
                that were exported.
                """),
        CodeEntry(
            .lineManifestMissing, .loss,
            "the last line is not a manifest, or there is no line at all",
            places: [Place(.line, "the last line", where: "there is a line")],
            damages: .manifest,
            sentence: """
                The export has no manifest, so that nothing says whether all items are there. The items were examined \
                one by one. The file was cut, or its export was not finished: fetch it again.
                """),
        CodeEntry(
            .lineAfterManifest, .contradiction,
            "a line follows the manifest; once in a file",
            places: [Place(.line, "the first line after the manifest")],
            damages: .line,
            sentence: """
                Lines follow the end of the export. They belong to another export, or were added. What came before was \
                examined.
                """),
        CodeEntry(
            .lineKind, .loss,
            "a line is neither header, item nor manifest",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                A line is none that an export has. It was not examined further. Where it replaced an item, that item \
                is gone. Take the file that was exported.
                """),
        CodeEntry(
            .lineCells, .loss,
            "a row of a table is malformed: quotes, line end, or the number of cells",
            places: [Place(.line, "the row, counted with the header as line 1")],
            damages: .line,
            sentence: """
                A row of the table cannot be read as its columns. A spreadsheet or an editor changed it. Take the file \
                that was exported.
                """),
        CodeEntry(
            .lineCell, .loss,
            "a cell is not spelled as a value of its column's type",
            places: [
                Place(.line, "the row, counted with the header as line 1"),
                Place(.pointer, "the first such member of the item that the row stands for"),
            ],
            damages: .line,
            sentence: """
                A cell does not have the spelling that an export gives its value. A spreadsheet that converts numbers \
                and dates does this. Take the file that was exported.
                """),
    ]
}
