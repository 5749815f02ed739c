internal import Bytes
internal import Timestamps

/// The two timestamps that were read last. In a bundle the moment of an observation stands in line after line,
/// between dates that change.
struct TimestampMemory {
    private var latest: (text: [UInt8], moment: Moment)?
    private var earlier: (text: [UInt8], moment: Moment)?

    /// The moment that a canonical timestamp names; nil where the bytes are none.
    mutating func moment(in text: Span<UInt8>) -> Moment? {
        if let latest, latest.text.span.isSame(as: text) { return latest.moment }
        swap(&latest, &earlier)
        if let latest, latest.text.span.isSame(as: text) { return latest.moment }
        guard let moment = TimestampReader.moment(in: text) else { return nil }
        var bytes = latest?.text ?? []
        latest = nil
        bytes.removeAll(keepingCapacity: true)
        bytes.append(copying: text)
        latest = (bytes, moment)
        return moment
    }
}
