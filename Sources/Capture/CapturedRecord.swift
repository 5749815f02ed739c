internal import Bytes

/// A record as a source gives it, with normal values (`Spec/identity.md`) and without hashes. Indices come from the
/// `PageBuilder` that it is added to.
public struct CapturedRecord: Sendable {
    /// From `PageBuilder.sampleType`.
    public var type: Int
    public var uuid: SampleUUID?
    /// Microseconds since 1970.
    public var start: Int64
    /// Microseconds since 1970.
    public var end: Int64
    public var valueKind: ValueKind
    /// Finite.
    public var numericValue: Double?
    /// From `PageBuilder.text`.
    public var unit: Int?
    /// Of a magnitude below 2^53.
    public var categoryValue: Int64?
    /// Of a magnitude below 2^53.
    public var workoutActivityType: Int64?
    /// Finite.
    public var durationSeconds: Double?
    /// From `PageBuilder.source`.
    public var source: Int?
    /// From `PageBuilder.device`.
    public var device: Int?
    /// From `PageBuilder.metadata`.
    public var metadata: Int?
    /// `true` if a part of it could not be looked at: a file that it names is not there.
    public var isUnread = false

    /// A record with its type, dates and kind; the rest is absent.
    public init(type: Int, start: Int64, end: Int64, valueKind: ValueKind) {
        self.type = type
        self.start = start
        self.end = end
        self.valueKind = valueKind
    }
}

/// The kind of a record's value: the text of `sample_versions.value_kind`.
public struct ValueKind: Sendable, Hashable {
    /// The text: small letters, digits and `_`.
    public let name: [UInt8]

    /// A kind; nil when the text is empty, over 64 bytes, or has other characters.
    public init?(_ name: Span<UInt8>) {
        guard (1...64).contains(name.count) else { return nil }
        for index in name.indices {
            switch name[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                continue
            default: return nil
            }
        }
        self.name = name.indices.map { name[$0] }
    }

    private init(_ name: StaticString) { self.name = Array("\(name)".utf8) }

    public static let quantity = ValueKind("quantity")
    public static let category = ValueKind("category")
    public static let workout = ValueKind("workout")
    public static let correlation = ValueKind("correlation")
    public static let workoutRoute = ValueKind("workout_route")
    public static let activitySummary = ValueKind("activity_summary")
    public static let clinicalRecord = ValueKind("clinical_record")
    public static let audiogram = ValueKind("audiogram")
    public static let visionPrescription = ValueKind("vision_prescription")
    public static let electrocardiogram = ValueKind("electrocardiogram")
}

/// A health store's UUID of a sample.
public struct SampleUUID: Sendable, Hashable {
    /// The first eight bytes, the first the most significant.
    public let high: UInt64
    /// The last eight.
    public let low: UInt64

    /// Reads `8-4-4-4-12` hex digits in either case; nil for anything else.
    public init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in text.indices {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hexadecimal.value(of: byte) else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
            digits += 1
        }
        high = words.0
        low = words.1
    }

    /// The text in lower case.
    var text: InlineArray<36, UInt8> {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var at = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { at += 1 }
            let word = index < 16 ? high : low
            text[at] = Hexadecimal.digit(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15))) & 15)
            at += 1
        }
        return text
    }
}
