internal import Bytes
internal import CanonicalJSON
internal import Timestamps

/// The two timestamps that were read last. In a bundle the moment of an observation stands in line after line,
/// between dates that change.
struct TimestampMemory {
    private var latest: Entry?
    private var earlier: Entry?

    private struct Entry {
        let key: Key
        let moment: Moment
    }

    /// A text of 16 to 32 bytes: its first 16 and its last 16.
    private struct Key: Equatable {
        private let words: SIMD4<UInt64>
        private let count: Int

        /// nil for another length.
        @inline(__always)
        init?(_ text: Span<UInt8>) {
            guard text.count >= 16, text.count <= 32 else { return nil }
            words = SIMD4(
                text.word(at: 0), text.word(at: 8),
                text.word(at: text.count &- 16), text.word(at: text.count &- 8))
            count = text.count
        }
    }

    /// Returns the moment that a canonical timestamp names; `nil` if the bytes are none.
    mutating func moment(in text: Span<UInt8>) -> Moment? {
        guard let key = Key(text) else { return TimestampReader.moment(in: text) }
        if let latest, latest.key == key { return latest.moment }
        swap(&latest, &earlier)
        if let latest, latest.key == key { return latest.moment }
        guard let moment = TimestampReader.moment(in: text) else { return nil }
        latest = Entry(key: key, moment: moment)
        return moment
    }
}
