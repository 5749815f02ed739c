internal import Bytes
internal import CanonicalJSON
internal import Timestamps

/// Texts of a sample's values as canonical JSON, written once for all of its preimages.
public struct SampleTexts: ~Copyable {
    /// Dates.
    public private(set) var start: [UInt8] = []
    public private(set) var end: [UInt8] = []
    /// `numeric_value` and `duration_seconds`.
    public private(set) var number: [UInt8] = []
    public private(set) var duration: [UInt8] = []
    /// The value in its base unit.
    public private(set) var base: [UInt8] = []
    private var json = Writer(capacity: 32)

    /// No texts.
    public init() {}

    private static func write(_ seconds: Double, to text: inout [UInt8]) {
        guard let timestamp = try? TimestampText(seconds) else {
            preconditionFailure(
                "a source gives dates of the years 1 to 9999")
        }
        let bytes = timestamp.bytes
        text.removeAll(keepingCapacity: true)
        text.append(UInt8(ascii: "\""))
        text.append(copying: bytes.span.extracting(0..<timestamp.count))
        text.append(UInt8(ascii: "\""))
    }

    /// Writes `numeric_value`. Each text keeps its own memory, so that none is allocated anew.
    public mutating func setNumber(_ value: Double) { Self.write(value, &json, to: &number) }

    /// Writes `duration_seconds`.
    public mutating func setDuration(_ value: Double) { Self.write(value, &json, to: &duration) }

    /// Writes the value in its base unit.
    public mutating func setBase(_ value: Double) { Self.write(value, &json, to: &base) }

    /// Writes the dates, in Unix seconds of the years 1 to 9999.
    public mutating func setDates(_ start: Double, _ end: Double) {
        Self.write(start, to: &self.start)
        if start != end { return Self.write(end, to: &self.end) }
        Self.copy(self.start, to: &self.end)
    }

    /// Writes the base's text, where it is that of the number.
    public mutating func setBaseToNumber() { Self.copy(number, to: &base) }

    private static func write(_ value: Double, _ json: inout Writer, to text: inout [UInt8]) {
        json.removeAll()
        json.number(value)
        copy(json.bytes, to: &text)
    }

    private static func copy(_ source: [UInt8], to text: inout [UInt8]) {
        text.removeAll(keepingCapacity: true)
        text += source
    }

    /// A text.
    public static func json(_ text: [UInt8]) -> [UInt8] {
        var json = Writer(capacity: text.count + 2)
        // Texts come from parsers that give UTF-8 and nothing else.
        try? json.string(text.span)
        return json.bytes
    }
}
