import Testing

@testable import Derivation

/// The ranges are worked out by hand from `Spec/capture.md`, "Which sample a record is".
@Suite struct `Ranges that follow from events` {
    /// An event of the sample 7 on the chain 1, observed at ten times the observation's id.
    private static func event(
        _ kind: EventKind?, at observation: Int64, sample: Int64 = 7, chain: Int64 = 1, version: Int64? = nil
    ) -> RangeReplay.Event {
        RangeReplay.Event(
            place: RangeKey(sample: sample, chain: chain, first: observation), kind: kind, version: version,
            observedAt: Double(observation) * 10, row: observation * 100)
    }

    private static func range(
        from first: Int64, to last: Int64?, sample: Int64 = 7, chain: Int64 = 1, version: Int64? = nil
    ) -> RangeReplay.Step {
        .range(
            VisibilityRange(
                key: RangeKey(sample: sample, chain: chain, first: first), version: version, last: last,
                firstSeenAt: Double(first) * 10, lastSeenAt: last.map { Double($0) * 10 }, row: first * 100))
    }

    /// What follows, and which events cannot be ones of their sample.
    private static func replay(_ events: [RangeReplay.Event]) -> (steps: [RangeReplay.Step], misfits: [Int]) {
        var replay = RangeReplay()
        var (steps, misfits): ([RangeReplay.Step], [Int]) = ([], [])
        for (index, event) in events.enumerated() {
            if !replay.follow(event) { misfits.append(index) }
            while let step = replay.next() { steps.append(step) }
        }
        replay.finish()
        while let step = replay.next() { steps.append(step) }
        return (steps, misfits)
    }

    @Test func `a sample that appeared is visible until it disappears`() {
        let found = Self.replay([
            Self.event(.appeared, at: 1, version: 11), Self.event(.disappeared, at: 4, version: 11),
            Self.event(.appeared, at: 6, version: 12),
        ])
        #expect(found.steps == [Self.range(from: 1, to: 4, version: 11), Self.range(from: 6, to: nil, version: 12)])
        #expect(found.misfits.isEmpty)
    }

    @Test func `another representation ends a range and begins one`() {
        let found = Self.replay([
            Self.event(.appeared, at: 1, version: 11), Self.event(.representationChanged, at: 2, version: 12),
        ])
        #expect(found.steps == [Self.range(from: 1, to: 2, version: 11), Self.range(from: 2, to: nil, version: 12)])
        #expect(found.misfits.isEmpty)
    }

    @Test func `a range that begins and ends in one observation is a range`() {
        let found = Self.replay([Self.event(.appeared, at: 3, version: 1), Self.event(.disappeared, at: 3, version: 1)])
        #expect(found.steps == [Self.range(from: 3, to: 3, version: 1)])
    }

    @Test func `a deleted object of a sample that was never seen gives no range`() {
        let found = Self.replay([Self.event(.disappeared, at: 3)])
        #expect(found.steps.isEmpty)
        #expect(found.misfits.isEmpty)
    }

    @Test func `an event that does not fit is named, and the range continues or begins`() {
        let found = Self.replay([
            Self.event(.appeared, at: 1, version: 11), Self.event(.appeared, at: 2, version: 12),
            Self.event(.representationChanged, at: 2, sample: 8, version: 13),
        ])
        #expect(
            found.steps == [
                Self.range(from: 1, to: nil, version: 11), Self.range(from: 2, to: nil, sample: 8, version: 13),
            ])
        #expect(found.misfits == [1, 2])
    }

    @Test func `each chain and each sample has ranges of its own`() {
        let found = Self.replay([
            Self.event(.appeared, at: 1), Self.event(.appeared, at: 2, chain: 2),
            Self.event(.appeared, at: 1, sample: 8), Self.event(.disappeared, at: 5, sample: 8),
        ])
        #expect(
            found.steps == [
                Self.range(from: 1, to: nil), Self.range(from: 2, to: nil, chain: 2),
                Self.range(from: 1, to: 5, sample: 8),
            ])
    }

    @Test func `from an event without a meaning on, a sample is not followed on its chain`() {
        let found = Self.replay([
            Self.event(.appeared, at: 1), Self.event(.disappeared, at: 2), Self.event(.appeared, at: 3),
            Self.event(nil, at: 4), Self.event(.disappeared, at: 5), Self.event(.appeared, at: 6),
            Self.event(.appeared, at: 6, chain: 2),
        ])
        #expect(
            found.steps == [
                Self.range(from: 1, to: 2), .unknown(RangeKey(sample: 7, chain: 1, first: 3)),
                Self.range(from: 6, to: nil, chain: 2),
            ])
        #expect(found.misfits.isEmpty)
    }

    @Test func `ids may be any integers`() {
        let found = Self.replay([
            RangeReplay.Event(
                place: RangeKey(sample: .min, chain: .max, first: .min), kind: .appeared, version: .min,
                observedAt: nil,
                row: .max),
            RangeReplay.Event(
                place: RangeKey(sample: .min, chain: .max, first: .max), kind: .disappeared, version: nil,
                observedAt: 0, row: .min),
        ])
        let range = VisibilityRange(
            key: RangeKey(sample: .min, chain: .max, first: .min), version: .min, last: .max, firstSeenAt: nil,
            lastSeenAt: 0, row: .max)
        #expect(found.steps == [.range(range)])
    }
}
