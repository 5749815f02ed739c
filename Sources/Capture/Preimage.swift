internal import Bytes
internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// The preimage of a content hash of a sample: a domain prefix, and an object in canonical form.
///
/// A capture hashes each sample three times, and most of the texts come again and again. So members are put together from texts that are canonical already, and `Writer` only writes
/// what is new. Keys have to come in canonical order.
struct Preimage {
    /// A key of a preimage, prepared.
    struct Key: Sendable {
        /// `,"key":`
        let text: [UInt8]

        /// Prepares a key, which needs no escapes.
        init(_ name: StaticString) { text = Array(",\"\(name)\":".utf8) }
    }

    /// Everything so far.
    private(set) var bytes: [UInt8] = []
    /// Where the object begins.
    private var start = 0

    /// Begins a preimage; what was there is forgotten.
    mutating func begin(_ domain: Domain) {
        bytes.removeAll(keepingCapacity: true)
        bytes += domain.prefix
        start = bytes.count
    }

    /// Adds a member whose value is canonical JSON.
    @inline(__always)
    mutating func add(_ key: Key, _ json: [UInt8]) {
        bytes += key.text
        bytes += json
    }

    /// Adds a member with an integer.
    mutating func add(_ key: Key, _ value: Int64) {
        bytes += key.text
        bytes.append(decimal: value)
    }

    /// Adds a member with a digest in hex.
    mutating func add(_ key: Key, _ digest: Digest) {
        bytes += key.text
        bytes.append(0x22)
        digest.appendHex(to: &bytes)
        bytes.append(0x22)
    }

    /// Ends the object, which has at least one member.
    mutating func end() {
        bytes[start] = 0x7B
        bytes.append(0x7D)
    }
}

/// The keys of all preimages of samples, prepared.
struct PreimageKeys: Sendable {
    let activity = Preimage.Key("activity")
    let bundleIdentifier = Preimage.Key("bundle_identifier")
    let category = Preimage.Key("category")
    let categoryValue = Preimage.Key("category_value")
    let device = Preimage.Key("device")
    let durationSeconds = Preimage.Key("duration_seconds")
    let end = Preimage.Key("end")
    let endDate = Preimage.Key("end_date")
    let family = Preimage.Key("family")
    let metadataHash = Preimage.Key("metadata_hash")
    let numericValue = Preimage.Key("numeric_value")
    let sampleType = Preimage.Key("sample_type")
    let source = Preimage.Key("source")
    let start = Preimage.Key("start")
    let startDate = Preimage.Key("start_date")
    let unit = Preimage.Key("unit")
    let value = Preimage.Key("value")
    let valueKind = Preimage.Key("value_kind")
    let workoutActivityType = Preimage.Key("workout_activity_type")
}

/// Texts of a sample's values as canonical JSON, written once for all of its preimages.
struct SampleTexts: ~Copyable {
    /// Dates.
    private(set) var start: [UInt8] = []
    private(set) var end: [UInt8] = []
    /// `numeric_value` and `duration_seconds`.
    private(set) var number: [UInt8] = []
    private(set) var duration: [UInt8] = []
    /// The value in its base unit.
    private(set) var base: [UInt8] = []
    private var json = Writer(capacity: 32)

    private static func write(_ seconds: Double, to text: inout [UInt8]) {
        guard let timestamp = try? TimestampText(seconds) else { preconditionFailure("a source gives dates of the years 1 to 9999") }
        let bytes = timestamp.bytes
        text.removeAll(keepingCapacity: true)
        text.append(0x22)
        text.append(copying: bytes.span.extracting(0..<timestamp.count))
        text.append(0x22)
    }

    /// Writes `numeric_value`. Each text keeps its own memory, so that none is allocated anew.
    mutating func setNumber(_ value: Double) { Self.write(value, &json, to: &number) }

    /// Writes `duration_seconds`.
    mutating func setDuration(_ value: Double) { Self.write(value, &json, to: &duration) }

    /// Writes the value in its base unit.
    mutating func setBase(_ value: Double) { Self.write(value, &json, to: &base) }

    /// Writes the dates, in Unix seconds of the years 1 to 9999.
    mutating func setDates(_ start: Double, _ end: Double) {
        Self.write(start, to: &self.start)
        if start != end { return Self.write(end, to: &self.end) }
        Self.copy(self.start, to: &self.end)
    }

    /// Writes the base's text, where it is that of the number.
    mutating func setBaseToNumber() { Self.copy(number, to: &base) }

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
    static func json(_ text: [UInt8]) -> [UInt8] {
        var json = Writer(capacity: text.count + 2)
        // Texts come from parsers that give UTF-8 and nothing else.
        try? json.string(text.span)
        return json.bytes
    }
}

extension [UInt8] {
    /// Appends an integer in decimal.
    mutating func append(decimal value: Int64) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first &-= 1
            digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { append(0x2D) }
        append(copying: digits.span.extracting(first..<20))
    }
}
