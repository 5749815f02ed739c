public import Archive
internal import Files
internal import SQLite

extension Archive {
    /// Counts the days that an observation brought to its aggregates by an offset alone. Those of another summer time
    /// begin an hour off (`Spec/capture.md`, "Aggregates").
    public func daysByOffset(of observationID: Int64) throws(ArchiveError) -> Int {
        Int(
            try connection.integer(
                """
                SELECT count(DISTINCT d.bucket_start) FROM daily_type_aggregates d
                    JOIN observations o ON o.id = d.observation_id
                WHERE d.observation_id = ?1 AND o.time_zone_identifier IS NULL AND o.time_zone_seconds_from_gmt <> 0
                    AND d.visible_record_count > 0
                """, [.integer(observationID)]) ?? 0)
    }

    /// Returns the identifiers of the types that a chain has runs of, in the order of their rows.
    public func typesOfRuns(onChain hash: [UInt8]) throws(ArchiveError) -> [[UInt8]] {
        var rows = try connection.prepare(
            """
            SELECT DISTINCT t.id, t.type_identifier FROM device_chains c
                JOIN observations o ON o.device_chain_id = c.id
                JOIN observation_type_runs u ON u.observation_id = o.id JOIN sample_types t ON t.id = u.sample_type_id
            WHERE c.device_chain_hash = ?1 ORDER BY 1
            """)
        rows.bind(1, text: hash)
        var types: [[UInt8]] = []
        while try rows.step() { types.append(rows.bytes(1)) }
        return types
    }

    /// Throws where a chain would begin although the archive has one of the same kind of source, unless the guards
    /// accept it (`Spec/capture.md`, "Guards"). Returns what was overruled.
    ///
    /// The hash of a chain does not say which kind it is; the trigger reasons of its observations do.
    ///
    /// - Parameters:
    ///   - hash: that of the chain which the capture belongs to.
    ///   - kind: the trigger reason of the kind; `nil` for a health store, which has any other.
    ///   - source: the kind in the message.
    ///   - secret: what is said of the secret that gives it.
    public func checkChain(
        _ hash: [UInt8], kind: String?, source: String, secret: String, guards: CaptureGuards
    ) throws(ArchiveError) -> GuardOverride? {
        var known = try connection.prepare("SELECT 1 FROM device_chains WHERE device_chain_hash = ?1")
        known.bind(1, text: hash)
        guard try known.firstInteger() == nil else { return nil }
        let reasons = kind.map { "('\($0)')" } ?? "('apple_health_export', 'iphone_backup')"
        let chains = "SELECT device_chain_id FROM observations WHERE trigger_reason IN \(reasons)"
        let count =
            try connection.integer(
                "SELECT count(*) FROM observations WHERE device_chain_id \(kind == nil ? "NOT " : "")IN (\(chains))")
            ?? 0
        guard count > 0 else { return nil }
        if guards.acceptsNewChain { return GuardOverride(option: "new-chain", counts: ["observations": Int(count)]) }
        let observations = count == 1 ? "1 observation" : "\(count) observations"
        throw ArchiveError(
            .evidence,
            "\(path.display): has \(observations) of \(source), and \(secret); "
                + "--new-chain goes on with a chain of its own",
            hint: "the secret that belongs to the archive goes on with its chain: --secret FILE")
    }
}
