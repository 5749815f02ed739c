internal import Archive
internal import Codes
internal import SQLite

/// A range, stored or recomputed from events.
struct VisibilityRange {
    let key: RangeKey
    let version: Int64?
    let last: Int64?
    let firstSeenAt, lastSeenAt: Double?
    /// Row id of the range, or of the event that begins it.
    let row: Int64?
    /// Whether it has a fault that was reported already.
    var hasFault = false
    /// Not a range: from here on an event of an unknown kind leaves open which ranges the sample has.
    var isUnknown = false
}

/// What ranges are sorted by.
struct RangeKey: Comparable {
    let sample, chain, first: Int64

    /// Whether both are of one sample on one chain.
    func isBeside(_ other: RangeKey) -> Bool { sample == other.sample && chain == other.chain }

    static func < (left: RangeKey, right: RangeKey) -> Bool {
        (left.sample, left.chain, left.first) < (right.sample, right.chain, right.first)
    }
}

/// The ranges that follow from events (`Spec/capture.md`, "Which sample a record is"), in the order of their keys.
struct RebuiltRanges: ~Copyable {
    private var events: Statement
    private var isAtEnd = false
    private var open: (key: RangeKey, version: Int64?, at: Double?, row: Int64?)?
    private var ready: [VisibilityRange] = []
    /// The sample and chain whose later events cannot be followed.
    private var lost: RangeKey?

    private enum Kind: Int64 { case appeared, representationChanged, disappeared, unknown }

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        // All columns go through the sorter: the order does not depend on an index that may lie.
        events = try reader.prepare(
            """
            SELECT e.sample_id, o.device_chain_id, e.observation_id, \
            CASE e.event_kind WHEN 'appeared' THEN 0 WHEN 'representation_changed' THEN 1
                WHEN 'disappeared' THEN 2 ELSE 3 END, e.id, e.version_id, e.observed_at \
            FROM sample_observation_events e NOT INDEXED JOIN observations o ON o.id = e.observation_id \
            WHERE typeof(e.sample_id) = 'integer' AND typeof(o.device_chain_id) = 'integer' ORDER BY 1, 2, 3, 4, 5
            """)
    }

    /// The next range; nil after the last. Events that no history can have are reported.
    mutating func next(_ log: inout CheckLog) throws(ArchiveError) -> VisibilityRange? {
        while ready.isEmpty {
            let hasNext = isAtEnd ? false : try events.step()
            guard hasNext else {
                isAtEnd = true
                close(at: nil, nil)
                return ready.isEmpty ? nil : ready.removeFirst()
            }
            log.countRow()
            applyEvents(&log)
        }
        return ready.removeFirst()
    }

    private mutating func applyEvents(_ log: inout CheckLog) {
        guard let sample = events.exactInteger(0), let chain = events.exactInteger(1),
            let observation = events.exactInteger(2)
        else { return }
        let key = RangeKey(sample: sample, chain: chain, first: observation)
        if let open, !open.key.isBeside(key) { close(at: nil, nil) }
        if let lost, lost.isBeside(key) { return }
        let moment = events.real(6)
        let isOpen = open != nil
        switch Kind(rawValue: events.exactInteger(3) ?? 3) ?? .unknown {
        case .appeared:
            // It is visible already: the range goes on.
            if isOpen { return report("no range that is open before appeared", &log) }
        case .representationChanged:
            if !isOpen { report("an open range before representation_changed", &log) }
            close(at: observation, moment)
        case .disappeared: return close(at: observation, moment)
        case .unknown:
            lost = key
            ready.append(
                VisibilityRange(
                    key: open?.key ?? key, version: nil, last: nil, firstSeenAt: nil, lastSeenAt: nil, row: nil,
                    isUnknown: true))
            return open = nil
        }
        open = (key, events.exactInteger(5), moment, events.exactInteger(4))
    }

    private func report(_ expected: String, _ log: inout CheckLog) {
        log.add(
            .rangesEvent, "sample_observation_events", row: events.exactInteger(4), column: "event_kind",
            expected: expected)
    }

    private mutating func close(at last: Int64?, _ moment: Double?) {
        guard let begun = open.take() else { return }
        ready.append(
            VisibilityRange(
                key: begun.key, version: begun.version, last: last, firstSeenAt: begun.at,
                lastSeenAt: last == nil ? nil : moment, row: begun.row))
    }
}
