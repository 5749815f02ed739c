package import Archive
internal import SQLite

/// The kind of an event of a sample. The order is that of the events of one sample in one observation.
package enum EventKind: String, CaseIterable, Sendable {
    case appeared, representationChanged = "representation_changed", disappeared

    /// Returns the effect of an event on the visibility range of its sample (`Spec/capture.md`, "Which sample a record
    /// is").
    ///
    /// - Parameter isOpen: whether the sample has an open range.
    package func effect(isOpen: Bool) -> (closes: Bool, opens: Bool) {
        switch self {
        // A range that is open continues.
        case .appeared: (closes: false, opens: !isOpen)
        case .representationChanged: (closes: isOpen, opens: true)
        case .disappeared: (closes: isOpen, opens: false)
        }
    }

    /// Returns `true` if a sample can have the event.
    ///
    /// A deleted object may be of a sample that was never visible.
    func fits(isOpen: Bool) -> Bool {
        switch self {
        case .appeared: !isOpen
        case .representationChanged: isOpen
        case .disappeared: true
        }
    }
}

/// The key by which ranges are sorted.
package struct RangeKey: Comparable, Sendable {
    package let sample, chain, first: Int64

    /// A key.
    package init(sample: Int64, chain: Int64, first: Int64) {
        (self.sample, self.chain, self.first) = (sample, chain, first)
    }

    /// Returns `true` if both are of one sample on one chain.
    package func isBeside(_ other: RangeKey) -> Bool { sample == other.sample && chain == other.chain }

    package static func < (left: RangeKey, right: RangeKey) -> Bool {
        (left.sample, left.chain, left.first) < (right.sample, right.chain, right.first)
    }
}

/// A visibility range, stored or derived.
package struct VisibilityRange: Equatable, Sendable {
    package let key: RangeKey
    package let version, last: Int64?
    package let firstSeenAt, lastSeenAt: Double?
    /// The row id of a stored range, or of the event that begins a derived one.
    package let row: Int64?

    /// A range.
    package init(
        key: RangeKey, version: Int64?, last: Int64?, firstSeenAt: Double?, lastSeenAt: Double?, row: Int64?
    ) {
        (self.key, self.version, self.last, self.row) = (key, version, last, row)
        (self.firstSeenAt, self.lastSeenAt) = (firstSeenAt, lastSeenAt)
    }
}

/// Derives visibility ranges from events, which come by sample, chain, observation and kind. Memory is that of one
/// range.
package struct RangeReplay {
    /// An event.
    package struct Event {
        /// The sample, the chain and the observation of the event.
        package let place: RangeKey
        /// `nil` if the kind has no meaning: then later events of the sample on the chain cannot be followed.
        package let kind: EventKind?
        package let version: Int64?
        package let observedAt: Double?
        package let row: Int64?

        /// An event.
        package init(place: RangeKey, kind: EventKind?, version: Int64?, observedAt: Double?, row: Int64?) {
            (self.place, self.kind, self.version, self.observedAt, self.row) = (place, kind, version, observedAt, row)
        }
    }

    /// The result that follows from the events so far.
    package enum Step: Equatable {
        case range(VisibilityRange)
        /// From this key on the ranges of the sample on the chain are not known.
        case unknown(RangeKey)
    }

    private var open: Event?
    private var lost: RangeKey?
    private var steps: [Step] = []

    /// A replay that has no events.
    package init() {}

    /// Follows an event. Returns `false` if the event cannot be one of its sample.
    package mutating func follow(_ event: Event) -> Bool {
        if let open, !open.place.isBeside(event.place) { close(nil) }
        if let lost, lost.isBeside(event.place) { return true }
        guard let kind = event.kind else {
            steps.append(.unknown(open?.place ?? event.place))
            (lost, open) = (event.place, nil)
            return true
        }
        let isOpen = open != nil, effect = kind.effect(isOpen: isOpen)
        if effect.closes { close(event) }
        if effect.opens { open = event }
        return kind.fits(isOpen: isOpen)
    }

    /// Ends the events.
    package mutating func finish() { close(nil) }

    /// Takes the next step; `nil` if more events are needed.
    package mutating func next() -> Step? { steps.isEmpty ? nil : steps.removeFirst() }

    private mutating func close(_ end: Event?) {
        guard let begun = open.take() else { return }
        steps.append(
            .range(
                VisibilityRange(
                    key: begun.place, version: begun.version, last: end?.place.first,
                    firstSeenAt: begun.observedAt, lastSeenAt: end?.observedAt, row: begun.row)))
    }
}

/// The events of an archive in the order of a replay.
package struct RangeEvents: ~Copyable {
    private var rows: Statement

    /// Reads the events `e` that fulfil a condition in SQL.
    package init(_ connection: borrowing Connection, where condition: String) throws(ArchiveError) {
        let kinds = EventKind.allCases.enumerated().map { "WHEN '\($1.rawValue)' THEN \($0)" }
        // All columns go through the sorter: the order does not depend on an index that may be wrong.
        rows = try connection.prepare(
            """
            SELECT e.sample_id, o.device_chain_id, e.observation_id, CASE e.event_kind \(kinds.joined(separator: " "))
                ELSE \(kinds.count) END, e.id, e.version_id, e.observed_at
            FROM main.sample_observation_events e NOT INDEXED CROSS JOIN observations o ON o.id = e.observation_id
            WHERE \(condition) AND typeof(e.sample_id) = 'integer' AND typeof(o.device_chain_id) = 'integer'
            ORDER BY 1, 2, 3, 4, 5
            """)
    }

    /// Steps to the next row.
    package mutating func step() throws(ArchiveError) -> Bool { try rows.step() }

    /// The event of the row; `nil` if its observation is not an integer.
    package var event: RangeReplay.Event? {
        guard let sample = rows.exactInteger(0), let chain = rows.exactInteger(1),
            let observation = rows.exactInteger(2)
        else { return nil }
        let kind = Int(rows.integer(3) ?? 0)
        return RangeReplay.Event(
            place: RangeKey(sample: sample, chain: chain, first: observation),
            kind: kind < EventKind.allCases.count ? EventKind.allCases[kind] : nil,
            version: rows.exactInteger(5), observedAt: rows.real(6), row: rows.exactInteger(4))
    }
}
