internal import SQLite

/// The newest check that the context log has (`Spec/archive-verification.md`).
public struct LoggedCheck: Sendable {
    /// The row id of its event.
    package let id: Int64
    /// Unix seconds; `nil` if the log states none.
    public let loggedAt: Double?
    /// The result that its detail states; `nil` if it states none.
    package let result: String?
    /// The parts that its detail names as degraded, with a space between them; `nil` if there is no such list.
    package let degraded: String?
    /// The detail as it is stored.
    package let detail: [UInt8]
    /// `true` if the check found nothing.
    public var isGood: Bool { result == "ok" }
}

extension Archive {
    /// Reads the newest logged check; `nil` without one.
    public func lastCheck() throws(ArchiveError) -> LoggedCheck? {
        guard try Schema.hasContextLog(connection) else { return nil }
        var rows = try connection.prepare(
            """
            SELECT id, logged_at, iif(json_valid(detail_json), json_extract(detail_json, '$.result'), NULL), \
            iif(json_valid(detail_json), (SELECT group_concat(value, ' ') \
            FROM json_each(detail_json, '$.degraded')), NULL), detail_json FROM context_log \
            WHERE event_kind = 'integrity_checked' ORDER BY id DESC LIMIT 1
            """)
        guard try rows.step(), let id = rows.integer(0) else { return nil }
        return LoggedCheck(
            id: id, loggedAt: rows.real(1), result: rows.text(2), degraded: rows.text(3), detail: rows.bytes(4))
    }
}
