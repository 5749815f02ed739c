internal import Bytes

/// The preimage of a content hash of a sample: a domain prefix, and an object in canonical form.
///
/// A capture hashes each sample three times, and most of the texts come again and again. So members are put
/// together from texts that are canonical already, and `Writer` only writes what is new. Keys have to come in
/// canonical order.
public struct SamplePreimage {
    /// A key of a preimage, prepared.
    public struct Key: Sendable {
        /// `,"key":`
        @usableFromInline let text: [UInt8]

        /// Prepares a key, which needs no escapes.
        public init(_ name: StaticString) { text = Array(",\"\(name)\":".utf8) }
    }

    /// Everything so far.
    @inlinable public var bytes: [UInt8] { text }
    @usableFromInline var text: [UInt8] = []
    /// Where the object begins.
    private var start = 0

    /// A preimage of nothing.
    public init() {}

    /// Begins a preimage; what was there is forgotten.
    public mutating func begin(_ domain: Domain) {
        text.removeAll(keepingCapacity: true)
        text += domain.prefix
        start = text.count
    }

    /// Adds a member whose value is canonical JSON.
    @inlinable @inline(__always)
    public mutating func add(_ key: Key, _ json: [UInt8]) {
        text += key.text
        text += json
    }

    /// Adds a member with an integer.
    public mutating func add(_ key: Key, _ value: Int64) {
        text += key.text
        text.append(decimal: value)
    }

    /// Adds a member with a digest in hex.
    public mutating func add(_ key: Key, _ digest: Digest) {
        text += key.text
        text.append(UInt8(ascii: "\""))
        digest.appendHex(to: &text)
        text.append(UInt8(ascii: "\""))
    }

    /// Ends the object, which has at least one member.
    public mutating func end() {
        text[start] = UInt8(ascii: "{")
        text.append(UInt8(ascii: "}"))
    }
}

/// The keys of all preimages of samples, prepared.
public struct PreimageKeys: Sendable {
    /// All of them.
    public init() {}

    public let activity = SamplePreimage.Key("activity")
    public let bundleIdentifier = SamplePreimage.Key("bundle_identifier")
    public let category = SamplePreimage.Key("category")
    public let categoryValue = SamplePreimage.Key("category_value")
    public let device = SamplePreimage.Key("device")
    public let durationSeconds = SamplePreimage.Key("duration_seconds")
    public let end = SamplePreimage.Key("end")
    public let endDate = SamplePreimage.Key("end_date")
    public let family = SamplePreimage.Key("family")
    public let metadataHash = SamplePreimage.Key("metadata_hash")
    public let numericValue = SamplePreimage.Key("numeric_value")
    public let sampleType = SamplePreimage.Key("sample_type")
    public let source = SamplePreimage.Key("source")
    public let start = SamplePreimage.Key("start")
    public let startDate = SamplePreimage.Key("start_date")
    public let unit = SamplePreimage.Key("unit")
    public let value = SamplePreimage.Key("value")
    public let valueKind = SamplePreimage.Key("value_kind")
    public let workoutActivityType = SamplePreimage.Key("workout_activity_type")
}

extension [UInt8] {
    /// Appends an integer in decimal.
    public mutating func append(decimal value: Int64) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first &-= 1
            digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { append(UInt8(ascii: "-")) }
        append(copying: digits.span.extracting(first..<20))
    }
}
