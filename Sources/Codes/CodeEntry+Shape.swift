// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let shape: [CodeEntry] = [
        CodeEntry(
            .shapeFormatVersion, .loss,
            "`format` or `format_version` is not one that this verifier knows",
            places: [
                Place(.line, "the header"),
                Place(.pointer, "the member"),
            ],
            damages: .all,
            sentence: """
                The file is in a format, or a version of it, that this verifier does not know. Nothing else of it was \
                judged. Use a verifier that knows it.
                """),
        CodeEntry(
            .shapeMemberMissing, .loss,
            "a required member is absent",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member that is absent"),
            ],
            damages: .line,
            sentence: """
                Something that must be stated is not there, and no defect says why. The values of this line were not \
                compared with each other. Take the file that was exported; where it is that file, report it to whoever \
                made the tool.
                """),
        CodeEntry(
            .shapeMemberUnknown, .loss,
            "a member that this specification does not name there",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                The line states something that this format does not have. It was added, or another tool wrote the \
                file.
                """),
        CodeEntry(
            .shapeType, .loss,
            "a member has another JSON type",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                A value is of another kind than it must be, as text in the place of a number. It was changed, or \
                another tool wrote the file.
                """),
        CodeEntry(
            .shapeValue, .loss,
            "a member has the right JSON type and a value that it cannot have, by itself or beside the others",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                A value is none that can stand there, or two values of a line exclude each other. It was changed, or \
                another tool wrote the file.
                """),
    ]
}
