internal import Files
internal import SQLite

extension Archive {
    /// Returns the two observations of a comparison: `to` as chosen; `from` as chosen, else the finished observation
    /// before it on its chain.
    ///
    /// An observation is compared with itself only where both are chosen by this id.
    ///
    /// - Throws: `notFound` where one is not there, they are of different device chains, or they are one.
    public func observationIDs(from: ObservationChoice?, to: ObservationChoice) throws(ArchiveError) -> (
        from: Int64, to: Int64
    ) {
        let chosen = to
        let to = try observationID(chosen)
        guard let from else {
            let before = try finishedObservation(before: to)
            return (
                try required(before, "finished observation before observation \(to) on its device chain"), to
            )
        }
        let id = try observationID(from)
        guard try chainID(of: id) == chainID(of: to) else {
            throw ArchiveError(
                .notFound,
                "\(path.display): observations \(id) and \(to) are of different device chains: what one "
                    + "installation did not see is no change",
                hint: "diff --across-chains pairs what both saw; hp-export list ARCHIVE observations shows the chain "
                    + "of each")
        }
        guard id != to || (from.isID(id) && chosen.isID(id)) else {
            throw ArchiveError(
                .notFound, "\(path.display): --from and --to both choose \(try observationLabel(id))",
                hint: "hp-export list ARCHIVE observations shows what is there; only two ids compare an observation "
                    + "with itself")
        }
        return (id, to)
    }

    /// Returns the finished observation before another one on its chain; `nil` if there is none.
    public func finishedObservation(before observation: Int64) throws(ArchiveError) -> Int64? {
        try connection.integer(
            """
            SELECT max(id) FROM observations WHERE \(Self.isFinished) AND id < ?1 \
            AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)
            """, [.integer(observation)])
    }

    /// Returns each finished observation and the finished one before it on its chain, by the later one.
    public func neighbours() throws(ArchiveError) -> [(from: Int64, to: Int64)] {
        var rows = try connection.prepare(
            """
            SELECT previous, id FROM (SELECT id, lag(id) OVER (PARTITION BY device_chain_id ORDER BY id) AS previous \
            FROM observations WHERE \(Self.isFinished)) WHERE previous IS NOT NULL ORDER BY id
            """)
        var pairs: [(Int64, Int64)] = []
        while try rows.step() {
            if let from = rows.integer(0), let to = rows.integer(1) { pairs.append((try named(from), try named(to))) }
        }
        return pairs
    }

    /// Returns the two observations of a comparison across chains: `to` as chosen; `from` as chosen, else the newest
    /// finished observation of the other chain.
    ///
    /// - Throws: `notFound` where one is not there, both are of one device chain, or `from` is not chosen and the
    ///   archive has several other chains.
    public func observationIDsAcrossChains(from: ObservationChoice?, to: ObservationChoice) throws(ArchiveError) -> (
        from: Int64, to: Int64
    ) {
        let to = try observationID(to)
        if let from {
            let id = try observationID(from)
            guard try chainID(of: id) != chainID(of: to) else {
                throw ArchiveError(
                    .notFound, "\(path.display): observations \(id) and \(to) are of one device chain",
                    hint: "diff without --across-chains shows what changed between them; an id chooses an observation "
                        + "of any chain, a date one of the latest's")
            }
            return (id, to)
        }
        let others = """
            FROM observations WHERE \(Self.isFinished) AND device_chain_id <> \
            (SELECT device_chain_id FROM observations WHERE id = ?1)
            """
        let chains = try connection.integer("SELECT count(DISTINCT device_chain_id) \(others)", [.integer(to)]) ?? 0
        guard chains < 2 else {
            throw ArchiveError(
                .notFound, "\(path.display): the archive has \(chains) other device chains: --from chooses one",
                hint: "hp-export list ARCHIVE observations shows the chain of each")
        }
        return (
            try required(
                connection.integer("SELECT max(id) \(others)", [.integer(to)]),
                "finished observation of another device chain than that of observation \(to)"), to
        )
    }
}
