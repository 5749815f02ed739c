internal import Archive
internal import Codes
internal import Manifest
internal import SQLite
internal import Timestamps

/// Rules of time zones beside their hashes, and beside the observations that name them (`Spec/capture.md`,
/// "Local days").
enum ZoneCheck {
    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT z.rowid, z.zone_rules_hash, z.transitions_json,
                z.zone_rules_hash IN (SELECT zone_rules_hash FROM observation_facts)
            FROM zone_rules z NOT INDEXED ORDER BY z.rowid
            """)
        var hasher = ContentHasher()
        while try rows.step() {
            log.countRow()
            guard rows.storageClass(1) == .text, rows.storageClass(2) == .text else { continue }
            let (digest, isRules) = rows.withBytes(2) {
                (hasher.digest(of: $0, in: .zoneRules), TimeZoneRules(text: $0) != nil)
            }
            if !rows.isHex(1, digest) {
                log.add(
                    .evidenceZoneRules, "zone_rules", row: rows.exactInteger(0), column: "zone_rules_hash",
                    expected: digest.hex)
            } else if rows.integer(3) != 1 {
                // An undo removes the rules that no observation names any more.
                log.add(
                    .evidenceZoneRules, "zone_rules", row: rows.exactInteger(0), column: "zone_rules_hash",
                    expected: "a hash that an observation names")
            }
            guard !isRules else { continue }
            log.add(
                .evidenceZoneRules, "zone_rules", row: rows.exactInteger(0), column: "transitions_json",
                expected: "offsets and rising moments")
        }
        try checkObservations(reader, &log)
    }

    private static func checkObservations(_ reader: borrowing EvidenceReader, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        var rows = try reader.prepare(
            """
            SELECT o.id, o.time_zone_seconds_from_gmt, f.rowid, z.zone_rules_hash IS NULL
            FROM observation_facts f NOT INDEXED JOIN observations o ON o.id = f.observation_id
            LEFT JOIN zone_rules z ON z.zone_rules_hash = f.zone_rules_hash
            WHERE typeof(f.zone_rules_hash) = 'text' ORDER BY o.id
            """)
        var zones = try ObservationZones(reader.connection)
        while try rows.step() {
            log.countRow()
            if rows.integer(3) == 1 {
                log.add(
                    .evidenceZoneRules, "observation_facts", row: rows.exactInteger(2), column: "zone_rules_hash",
                    expected: "rules that are there")
                continue
            }
            guard let id = rows.exactInteger(0), let zone = try zones.zone(of: id), case .stored = zone.key,
                let moment = zone.moment, moment.magnitude < 1e15
            else { continue }
            let offset = zone.rules.offset(at: Int64(moment.rounded(.down)))
            guard !rows.isNull(1), let seconds = rows.exactInteger(1),
                TimeZoneRules(secondsFromGMT: seconds).offset(at: 0) != offset
            else { continue }
            log.add(
                .evidenceZoneRules, "observations", row: id, column: "time_zone_seconds_from_gmt",
                expected: "the offset that the rules of the observation give")
        }
    }
}
