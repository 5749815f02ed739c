public import Bytes
internal import CanonicalJSON
internal import Timestamps

/// Texts of a sample's values as canonical JSON, written once for all of its preimages.
public struct SampleTexts: ~Copyable {
    /// Dates.
    public private(set) var start = ByteBuffer()
    public private(set) var end = ByteBuffer()
    /// `numeric_value` and `duration_seconds`.
    public private(set) var number = ByteBuffer()
    public private(set) var duration = ByteBuffer()
    /// The value in its base unit.
    public private(set) var base = ByteBuffer()
    private var json = Writer(capacity: 32)

    /// No texts.
    public init() {}

    private static func write(_ timestamp: TimestampText, to text: inout ByteBuffer) {
        let bytes = timestamp.bytes
        text.removeAll()
        text.append(UInt8(ascii: "\""))
        text.append(first: timestamp.count, of: bytes.span)
        text.append(UInt8(ascii: "\""))
    }

    /// Writes `numeric_value`.
    public mutating func setNumber(_ value: Double) { Self.write(value, &json, to: &number) }

    /// Writes `duration_seconds`.
    public mutating func setDuration(_ value: Double) { Self.write(value, &json, to: &duration) }

    /// Writes the value in its base unit.
    public mutating func setBase(_ value: Double) { Self.write(value, &json, to: &base) }

    /// Writes the dates, in Unix seconds. Returns `false` if one of them has no text.
    public mutating func setDates(_ start: Double, _ end: Double) -> Bool {
        guard let text = try? TimestampText(start) else { return false }
        Self.write(text, to: &self.start)
        guard start != end else {
            Self.copy(self.start, to: &self.end)
            return true
        }
        guard let text = try? TimestampText(end) else { return false }
        Self.write(text, to: &self.end)
        return true
    }

    /// Writes the base's text, where it is that of the number.
    public mutating func setBaseToNumber() { Self.copy(number, to: &base) }

    private static func copy(_ source: borrowing ByteBuffer, to text: inout ByteBuffer) {
        text.removeAll()
        text.append(copying: source.span)
    }

    private static func write(_ value: Double, _ json: inout Writer, to text: inout ByteBuffer) {
        json.removeAll()
        json.number(value)
        text.removeAll()
        text.append(copying: json.span)
    }

    /// Returns a text as JSON.
    public static func json(_ text: [UInt8]) -> [UInt8] {
        var json = Writer(capacity: text.count + 2)
        // Texts come from parsers that give UTF-8 and nothing else.
        try? json.string(text.span)
        return json.bytes
    }
}
