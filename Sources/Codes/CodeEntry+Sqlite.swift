// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let sqlite: [CodeEntry] = [
        CodeEntry(
            .sqliteIntegrity, .loss,
            "a line of `PRAGMA integrity_check`",
            sentence: """
                SQLite found the file damaged. Do not write to it. Take a backup, or recover what is left with the \
                `.recover` command of `sqlite3`.
                """),
        CodeEntry(
            .sqliteUnreadable, .loss,
            "SQLite could not read what a check needs, so that check was not made to its end",
            sentence: """
                Part of the file cannot be read, so that a check is not complete. Do not write to it. Take a backup, \
                or recover what is left with the `.recover` command of `sqlite3`.
                """),
    ]
}
