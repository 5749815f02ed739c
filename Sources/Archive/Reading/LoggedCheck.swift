internal import SQLite

/// The newest check that the context log has (`Spec/archive-verification.md`).
public struct LoggedCheck: Sendable {
    /// Unix seconds; `nil` if the log states none.
    public let loggedAt: Double?
    /// `true` if the check found nothing.
    public let isGood: Bool
}

extension Archive {
    /// Reads the newest logged check; `nil` without one.
    public func lastCheck() throws(ArchiveError) -> LoggedCheck? {
        guard try Schema.hasContextLog(connection) else { return nil }
        var rows = try connection.prepare(
            """
            SELECT logged_at, iif(json_valid(detail_json), json_extract(detail_json, '$.result'), NULL)
            FROM context_log WHERE event_kind = 'integrity_checked' ORDER BY id DESC LIMIT 1
            """)
        guard try rows.step() else { return nil }
        return LoggedCheck(loggedAt: rows.real(0), isGood: rows.text(1) == "ok")
    }
}
