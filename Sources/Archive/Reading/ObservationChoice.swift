internal import Files
internal import SQLite
public import Timestamps

/// A user's way to name an observation.
public enum ObservationChoice: Sendable, Equatable {
    /// By its id.
    case id(Int64)
    /// The newest that is not running.
    case latest
    /// The one before the latest, on its chain.
    case previous
    /// The newest at or before a moment (Unix seconds), on the chain of the latest.
    case at(Double)
    /// The newest whose local date, in its own zone, is in a day, month or year or before it, on the chain of the
    /// latest.
    case within(CalendarSpan)
    /// By its id where the archive has one of this id, else as of the year of this number.
    case idOrYear(Int64, CalendarSpan)

    /// Reads `latest`, `previous`, an id, a date, a month, a year or a timestamp.
    public init?(_ text: String) {
        switch text {
        case "latest": self = .latest
        case "previous": self = .previous
        default:
            if let id = Int64(text) {
                self = CalendarSpan(text).map { .idOrYear(id, $0) } ?? .id(id)
            } else if let span = CalendarSpan(text) {
                self = .within(span)
            } else if let moment = TimestampInput.unixSeconds(text) {
                self = .at(moment)
            } else {
                return nil
            }
        }
    }
}

extension Archive {
    /// The condition on rows that can be chosen without being named.
    ///
    /// Where no constraint keeps it from that, an id may be anything, and text is more than any number.
    static let isFinished = "typeof(id) = 'integer' AND status NOT IN ('running', 'started')"

    /// Returns the id of the chosen observation.
    public func observationID(_ choice: ObservationChoice) throws(ArchiveError) -> Int64 {
        let finished = Self.isFinished
        switch choice {
        case .id(let id):
            guard try hasObservation(id) else { throw notFound("observation \(id)") }
            return try named(id)
        case .idOrYear(let id, let span): return try observationID(hasObservation(id) ? .id(id) : .within(span))
        case .latest:
            return try required(
                connection.integer("SELECT max(id) FROM observations WHERE \(finished)"), "finished observation")
        case .previous:
            let latest = try observationID(.latest)
            return try required(
                connection.integer(
                    "SELECT max(id) FROM observations WHERE \(finished) AND id < ?1 "
                        + "AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)",
                    [.integer(latest)]),
                "finished observation before the latest")
        case .at(let moment):
            let latest = try observationID(.latest)
            return try required(
                connection.integer(
                    """
                    SELECT max(id) FROM observations WHERE \(finished) AND observed_at <= ?2
                        AND device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)
                    """, [.integer(latest), .real(moment)]),
                "finished observation at or before that date")
        case .within(let span): return try observationID(upTo: span)
        }
    }

    /// Returns whether the archive has an observation.
    public func hasObservation(_ id: Int64) throws(ArchiveError) -> Bool {
        try connection.integer("SELECT id FROM observations WHERE id = ?1", [.integer(id)]) != nil
    }

    /// Returns the newest observation whose own local date is not after a span.
    private func observationID(upTo span: CalendarSpan) throws(ArchiveError) -> Int64 {
        let latest = try observationID(.latest)
        var rows = try connection.prepare(
            """
            SELECT id FROM observations WHERE \(Self.isFinished) AND device_chain_id IS
                (SELECT device_chain_id FROM observations WHERE id = ?1) ORDER BY id DESC
            """)
        rows.bind(1, latest)
        var dates = try ObservationDates(connection)
        while try rows.step() {
            guard let id = rows.integer(0), let date = try dates.date(of: id) else { continue }
            if date <= span.days.upperBound { return try named(id) }
        }
        throw notFound("finished observation on that date or before")
    }

    func required(_ id: Int64?, _ what: String) throws(ArchiveError) -> Int64 {
        guard let id else { throw notFound(what) }
        return try named(id)
    }

    /// Returns the id of an observation that documents name; throws for one that no JSON number is
    /// (`Spec/items.md`): every choice of an observation ends here.
    package func named(_ id: Int64) throws(ArchiveError) -> Int64 {
        try ObservationID.check(id, path)
        return id
    }

    private func notFound(_ what: String) -> ArchiveError {
        ArchiveError(
            .notFound, "\(path.display): the archive has no \(what)",
            hint: "hp-export list ARCHIVE observations shows what is there")
    }
}

extension Archive {
    /// Returns an observation as notes name it, with its local date if it has one: `observation 3 (2024-03-31)`.
    public func observationLabel(_ id: Int64) throws(ArchiveError) -> String {
        var dates = try ObservationDates(connection)
        guard let date = try dates.date(of: id), let text = ObservationDates.text(date) else {
            return "observation \(id)"
        }
        return "observation \(id) (\(text))"
    }

    /// Returns the local time of an observation; a dash if none is stored.
    public func observationTime(_ id: Int64) throws(ArchiveError) -> String {
        var dates = try ObservationDates(connection)
        guard let date = try dates.date(of: id) else { return "–" }
        return ObservationDates.text(date) ?? "–"
    }

    /// Returns the local day of an observation, as days since 1970; `nil` if it has none.
    public func observationDay(_ id: Int64) throws(ArchiveError) -> Int64? {
        var dates = try ObservationDates(connection)
        return try dates.date(of: id)
    }

    /// Returns the offsets from UTC at an observation (`Spec/capture.md`, "Local days").
    public func timeZone(of id: Int64) throws(ArchiveError) -> TimeZoneRules {
        var zones = try ObservationZones(connection)
        return try zones.zone(of: id)?.rules ?? TimeZoneRules(secondsFromGMT: 0)
    }

    /// Returns the local days of an observation (`Spec/capture.md`, "Local days").
    public func localDays(of id: Int64) throws(ArchiveError) -> LocalDays {
        var zones = try ObservationZones(connection)
        return try zones.zone(of: id)?.days ?? LocalDays(TimeZoneRules(secondsFromGMT: 0))
    }
}

extension ObservationChoice {
    /// Returns `true` if this names an observation by its id.
    func isID(_ id: Int64) -> Bool {
        switch self {
        case .id(id), .idOrYear(id, _): true
        default: false
        }
    }
}
