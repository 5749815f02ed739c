internal import Files
internal import SQLite
internal import Timestamps

/// How a user names an observation.
public enum ObservationChoice: Sendable, Equatable {
    /// By its id.
    case id(Int64)
    /// The newest that is not running.
    case latest
    /// The one before the latest, on its chain.
    case previous
    /// The newest at or before a moment (Unix seconds), on the chain of the latest.
    case at(Double)

    /// Reads `latest`, `previous`, an id or a date.
    public init?(_ text: String) {
        switch text {
        case "latest": self = .latest
        case "previous": self = .previous
        default:
            if let id = Int64(text) {
                self = .id(id)
            } else if let moment = TimestampInput.unixSeconds(text) {
                self = .at(moment)
            } else {
                return nil
            }
        }
    }
}

extension Archive {
    /// Which rows can be chosen without being named.
    ///
    /// Where no constraint keeps it from that, an id may be anything, and text is more than any number.
    private static let isFinished = "typeof(id) = 'integer' AND status NOT IN ('running', 'started')"

    /// The id of the chosen observation.
    public func observationID(_ choice: ObservationChoice) throws(ArchiveError) -> Int64 {
        let finished = Self.isFinished
        switch choice {
        case .id(let id):
            guard try connection.integer("SELECT id FROM observations WHERE id = ?1", [.integer(id)]) != nil else {
                throw notFound("observation \(id)")
            }
            return id
        case .latest:
            return try required(
                connection.integer("SELECT max(id) FROM observations WHERE \(finished)"), "a finished observation")
        case .previous:
            let latest = try observationID(.latest)
            return try required(
                connection.integer(
                    "SELECT max(id) FROM observations WHERE \(finished) AND id < ?1 "
                        + "AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)",
                    [.integer(latest)]),
                "a finished observation before the latest")
        case .at(let moment):
            let latest = try observationID(.latest)
            return try required(
                connection.integer(
                    """
                    SELECT max(id) FROM observations WHERE \(finished) AND observed_at <= ?2
                        AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)
                    """, [.integer(latest), .real(moment)]),
                "a finished observation at or before that date")
        }
    }

    private func required(_ id: Int64?, _ what: String) throws(ArchiveError) -> Int64 {
        guard let id else { throw notFound(what) }
        return id
    }

    private func notFound(_ what: String) -> ArchiveError {
        ArchiveError(
            .notFound, "\(path.display): the archive has no \(what)",
            hint: "hp-export list ARCHIVE observations shows what is there")
    }
}

extension Archive {
    /// The two observations of a comparison: `to` as chosen; `from` as chosen, else the finished observation before
    /// it on its chain.
    ///
    /// - Throws: `notFound` where one is not there, or they are of different device chains.
    public func observationIDs(from: ObservationChoice?, to: ObservationChoice) throws(ArchiveError) -> (
        from: Int64, to: Int64
    ) {
        let to = try observationID(to)
        guard let from else {
            return (
                try required(
                    connection.integer(
                        """
                        SELECT max(id) FROM observations WHERE \(Self.isFinished) AND id < ?1 \
                        AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)
                        """, [.integer(to)]), "a finished observation before observation \(to) on its device chain"), to
            )
        }
        let id = try observationID(from)
        guard
            try connection.integer(
                "SELECT count(DISTINCT device_chain_id) FROM observations WHERE id IN (?1, ?2)",
                [.integer(id), .integer(to)]) == 1
        else {
            throw ArchiveError(
                .notFound,
                "\(path.display): observations \(id) and \(to) are of different device chains: what one "
                    + "installation did not see is no change",
                hint: "hp-export list ARCHIVE observations shows the chain of each")
        }
        return (id, to)
    }
}
