// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    static let sqlite: [CodeEntry] = [
        CodeEntry(
            .sqliteIntegrity, .loss,
            "a line of `PRAGMA integrity_check`, or a page that is used twice",
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
        CodeEntry(
            .sqliteLog, .loss,
            "SQLite uses nothing of the `-wal` beside the archive, which has content",
            sentence: """
                The file that holds the newest transactions is damaged or another file, so that they are not read. The \
                next program that writes to the archive overwrites it. Take a copy of the archive with the `-wal` file \
                before anything else.
                """),
    ]
}
