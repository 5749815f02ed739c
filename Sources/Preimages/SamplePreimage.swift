public import Bytes
internal import CanonicalJSON

/// The preimage of a content hash of a sample: a domain prefix, and an object in canonical form.
///
/// A capture hashes each sample three times, and most of the texts come again and again. So members are put
/// together from texts that are canonical already, and `Writer` only writes what is new. Keys have to come in
/// canonical order.
public struct SamplePreimage: ~Copyable {
    /// A key of a preimage, prepared.
    public struct Key: Sendable {
        /// `,"key":`
        @usableFromInline let text: [UInt8]

        /// Prepares a key, which needs no escapes.
        public init(_ name: StaticString) { text = Array(",\"\(name)\":".utf8) }
    }

    /// Everything so far.
    @inlinable public var span: Span<UInt8> {
        @_lifetime(borrow self) get { text.span }
    }
    @usableFromInline var text = ByteBuffer(capacity: 1024)
    /// `true` if the object has no member yet.
    @usableFromInline var isEmpty = true
    private var json = Writer(capacity: 64)

    /// A preimage of nothing.
    public init() {}

    /// Begins a preimage; what was there is forgotten.
    public mutating func begin(_ domain: Domain) {
        text.removeAll()
        text.append(copying: domain.prefix.span)
        isEmpty = true
    }

    /// Adds a member whose value is canonical JSON.
    @inlinable @inline(__always)
    public mutating func add(_ key: Key, _ json: [UInt8]) {
        begin(key)
        text.append(copying: json.span)
    }

    /// Adds the same, of a text that is used again.
    @inlinable @inline(__always)
    public mutating func add(_ key: Key, _ json: borrowing ByteBuffer) {
        begin(key)
        text.append(copying: json.span)
    }

    /// Adds a member with a text, which is UTF-8.
    public mutating func add(_ key: Key, text value: Span<UInt8>) {
        begin(key)
        json.removeAll()
        try? json.string(value)
        Self.copy(json, to: &text)
    }

    private static func copy(_ json: borrowing Writer, to text: inout ByteBuffer) { text.append(copying: json.span) }

    /// Adds a member with a number, which is finite.
    public mutating func add(_ key: Key, number value: Double) {
        begin(key)
        json.removeAll()
        json.number(value)
        Self.copy(json, to: &text)
    }

    /// Adds a member with an integer.
    public mutating func add(_ key: Key, _ value: Int64) {
        begin(key)
        text.append(decimal: value)
    }

    /// Adds a member with a digest in hex.
    public mutating func add(_ key: Key, _ digest: Digest) {
        begin(key)
        text.append(UInt8(ascii: "\""))
        let digits = digest.digits
        text.append(copying: digits.span)
        text.append(UInt8(ascii: "\""))
    }

    /// Adds what stands before a member's value.
    @inlinable @inline(__always)
    mutating func begin(_ key: Key) {
        if !isEmpty { return text.append(copying: key.text.span) }
        text.append(UInt8(ascii: "{"))
        text.append(copying: key.text.span.extracting(1...))
        isEmpty = false
    }

    /// Ends the object, which has at least one member.
    public mutating func end() { text.append(UInt8(ascii: "}")) }
}

/// A member of the preimages that samples are stored by (`Spec/identity.md`): each preimage has those of its list that
/// a sample has, in this order.
public enum SampleMember: Int, CaseIterable, Sendable {
    case bundleIdentifier, categoryValue, device, durationSeconds, endDate, metadataHash, numericValue, sampleType
    case source, startDate, unit, valueKind, workoutActivityType
    /// The unit under the name that it has in fingerprints.
    case comparedUnit

    /// The members of a payload.
    public static let payload: [SampleMember] = [
        .categoryValue, .device, .durationSeconds, .endDate, .metadataHash, .numericValue, .sampleType, .source,
        .startDate, .unit, .valueKind, .workoutActivityType,
    ]

    /// The members of a strict fingerprint.
    public static let strictFingerprint: [SampleMember] = [
        .bundleIdentifier, .categoryValue, .durationSeconds, .endDate, .numericValue, .sampleType, .startDate,
        .comparedUnit, .valueKind, .workoutActivityType,
    ]

    /// The key of the member.
    public var key: SamplePreimage.Key { Self.keys[rawValue] }

    private static let keys: [SamplePreimage.Key] = allCases.map { member in
        switch member {
        case .bundleIdentifier: SamplePreimage.Key("bundle_identifier")
        case .categoryValue: SamplePreimage.Key("category_value")
        case .device: SamplePreimage.Key("device")
        case .durationSeconds: SamplePreimage.Key("duration_seconds")
        case .endDate: SamplePreimage.Key("end_date")
        case .metadataHash: SamplePreimage.Key("metadata_hash")
        case .numericValue: SamplePreimage.Key("numeric_value")
        case .sampleType: SamplePreimage.Key("sample_type")
        case .source: SamplePreimage.Key("source")
        case .startDate: SamplePreimage.Key("start_date")
        case .unit, .comparedUnit: SamplePreimage.Key("unit")
        case .valueKind: SamplePreimage.Key("value_kind")
        case .workoutActivityType: SamplePreimage.Key("workout_activity_type")
        }
    }

    /// Returns the name that a unit has in fingerprints, as JSON, if it is another: `Cal` and `kcal` are one unit.
    public static func comparedName(of unit: Span<UInt8>) -> [UInt8]? {
        let isCalories = unit.count == 3 && unit[0] == 0x43 && unit[1] == 0x61 && unit[2] == 0x6C
        return isCalories ? kilocalories : nil
    }

    private static let kilocalories = Array("\"kcal\"".utf8)
}

/// The keys of semantic fingerprints, prepared.
public struct PreimageKeys: Sendable {
    /// All of them.
    public init() {}

    public let activity = SamplePreimage.Key("activity")
    public let category = SamplePreimage.Key("category")
    public let end = SamplePreimage.Key("end")
    public let family = SamplePreimage.Key("family")
    public let sampleType = SamplePreimage.Key("sample_type")
    public let start = SamplePreimage.Key("start")
    public let unit = SamplePreimage.Key("unit")
    public let value = SamplePreimage.Key("value")
}

extension ByteBuffer {
    /// Appends an integer in decimal.
    public mutating func append(decimal value: Int64) {
        let digits = DecimalDigits(value)
        append(copying: digits.text.span.extracting(digits.first...))
    }
}

extension [UInt8] {
    /// Appends an integer in decimal.
    public mutating func append(decimal value: Int64) {
        let digits = DecimalDigits(value)
        append(copying: digits.text.span.extracting(digits.first...))
    }
}

/// The digits of an integer, with its sign, at the end of `text`.
private struct DecimalDigits {
    var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
    var first = 20

    init(_ value: Int64) {
        var rest = value.magnitude
        repeat {
            first &-= 1
            text[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { first &-= 1 }
    }
}
