// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let canonical: [CodeEntry] = [
        CodeEntry(
            .canonicalSyntax, .loss,
            "not JSON",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte that no JSON text can have there"),
            ],
            damages: .line,
            sentence: """
                The line is no JSON text: it is damaged or was cut. The line was not examined further. Take the file \
                that was exported.
                """),
        CodeEntry(
            .canonicalByteOrderMark, .loss,
            "the line starts with a byte order mark",
            places: [
                Place(.line, "the line"),
                Place(.byte, "0"),
            ],
            damages: .line,
            sentence: """
                An editor put a byte order mark before the text. The line was not examined further. Take the file that \
                was exported.
                """),
        CodeEntry(
            .canonicalUTF8, .loss,
            "bytes that are not UTF-8",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the bad sequence"),
            ],
            damages: .line,
            sentence: """
                Bytes of the line are no text: they were damaged, or saved in another encoding. The line was not \
                examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalSurrogate, .loss,
            "an escape that is a lone surrogate",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the backslash"),
            ],
            damages: .line,
            sentence: """
                An escape stands for half of a character, which no text has. The line was not examined further. Take \
                the file that was exported.
                """),
        CodeEntry(
            .canonicalDuplicateKey, .loss,
            "two members of an object with equal keys",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the opening quote of the second key"),
            ],
            damages: .line,
            sentence: """
                An object has one member twice, so that readers may take either value. The line was not examined \
                further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalNumberRange, .loss,
            "a number whose nearest double is infinite",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the number"),
            ],
            damages: .line,
            sentence: """
                A number is larger than any that can be stored. The line was not examined further. Take the file that \
                was exported.
                """),
        CodeEntry(
            .canonicalDepth, .loss,
            "nesting deeper than the limit",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the bracket that is too deep"),
            ],
            damages: .line,
            sentence: """
                Objects or arrays are nested deeper than a verifier follows. The line was not examined further. Take \
                the file that was exported.
                """),
        CodeEntry(
            .canonicalWhiteSpace, .form,
            "white space between tokens",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of it"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalKeyOrder, .form,
            "a key that sorts before the key before it",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the opening quote of the key"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalEscape, .form,
            "an escape that is not needed or is spelled otherwise",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the backslash"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalNumber, .form,
            "a number that is not in its canonical text",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the number"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
    ]
}
