/// The facts of a backup besides its databases.
package struct BackupFacts: Sendable {
    /// When it was made, in Unix seconds.
    package var observedAt: Int64
    /// The offset from UTC then, in seconds; `nil` if it is unknown.
    package var offset: Int?
    /// The IANA name of the zone whose days are counted.
    package var zone: String?
    /// The version of the phone's system.
    package var systemVersion: String?
    /// The program that captures; `nil` if the feed is written to a file.
    package var program: String?
    /// The identifier of the phone; never part of the feed.
    package var phone: String?

    /// A backup of a moment.
    package init(observedAt: Int64, offset: Int? = nil) {
        self.observedAt = observedAt
        self.offset = offset
    }

    /// The line of the observation.
    var line: String {
        var line = "{\"kind\":\"observation\",\"observed_at\":\"\(FeedText.date(observedAt))Z\","
        line += "\"trigger_reason\":\"iphone_backup\""
        if let program { line += ",\"app_version\":\(FeedText.string(program))" }
        if let systemVersion { line += ",\"os_version\":\(FeedText.string(systemVersion))" }
        if let zone { line += ",\"time_zone_identifier\":\(FeedText.string(zone))" }
        if let offset { line += ",\"time_zone_seconds_from_gmt\":\(offset)" }
        return line + "}\n"
    }
}
