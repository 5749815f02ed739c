internal import Files
internal import SQLite

extension Archive {
    /// Throws where the newest logged check found the archive degraded (`Spec/archive-verification.md`, "Checks on
    /// request"): nothing is captured into it then, and no export is recorded in it.
    ///
    /// The archive was opened to be written to, so that its context log, where there is one, has its columns.
    public func requireSoundness() throws(ArchiveError) {
        guard try Schema.hasContextLog(connection) else { return }
        var rows = try connection.prepare(
            """
            SELECT (SELECT group_concat(value, ', ') FROM json_each(detail_json, '$.degraded')
                WHERE value IN ('sqlite', 'schema', 'references'))
            FROM context_log WHERE event_kind = 'integrity_checked' AND typeof(detail_json) = 'text'
                AND json_valid(detail_json)
            ORDER BY id DESC LIMIT 1
            """)
        guard try rows.step(), let checks = rows.text(0), !checks.isEmpty else { return }
        throw ArchiveError(
            .evidence, "\(path.display): degraded: the last check failed: \(checks)",
            hint: "hp-verify archive names what is wrong; after that is mended, hp-export check says so; "
                + "exports with --no-record go on")
    }
}
