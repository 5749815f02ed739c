internal import Archive
internal import CanonicalJSON
internal import Timestamps

/// How a column's value is written (`Spec/items.md`, Members).
enum ValueType {
    case text, integer, number, timestamp
}

/// A member of an object that comes from a column.
struct Member: Sendable {
    let key: Key
    let name: String
    let column: Int
    let type: ValueType
    /// Whether the column is NOT NULL.
    let isRequired: Bool

    init(_ name: String, _ column: Int, _ type: ValueType, required: Bool = false) {
        key = Key(name)
        self.name = name
        self.column = column
        self.type = type
        isRequired = required
    }
}

/// Writes stored values as members of canonical JSON and keeps what cannot be written.
///
/// An object's `defects` sort before most of its members, so an object that has any is written twice: once to find them, once with them. That is rare.
struct StoredWriter: ~Copyable {
    /// The text that is being written.
    var json = Writer(capacity: 4096)
    /// What could not be written, in the order in which it was found.
    var defects: [Defect] = []

    /// Writes one member, or keeps a defect in its place, or does nothing for NULL. `prefix` points to the object that is being written.
    mutating func put(_ member: borrowing Member, _ value: PackedValue, in bytes: Span<UInt8>, at prefix: @autoclosure () -> String = "") {
        if let reason = write(value, as: member.type, isRequired: member.isRequired, key: member.key, in: bytes) {
            defects.append(Defect(pointer: "\(prefix())/\(member.name)", reason, value, in: bytes))
        }
    }

    /// Writes a key and a value; returns why it did not, and writes nothing for an absent value.
    private mutating func write(_ value: PackedValue, as type: ValueType, isRequired: Bool, key: Key, in bytes: Span<UInt8>) -> Defect.Reason? {
        switch (type, value) {
        case (_, .null): return isRequired ? .null : nil
        case (.text, .hash(let range)):
            json.key(key)
            json.hex(bytes.extracting(range))
        case (.text, .text(let range)):
            let text = bytes.extracting(range)
            if let reason = Self.fault(inText: text) { return reason }
            json.key(key)
            write(carryable: text)
        case (.integer, .integer(let number)), (.number, .integer(let number)):
            guard number.magnitude <= 1 << 53 - 1 else { return .integerRange }
            json.key(key)
            json.integer(number)
        case (.number, .real(let number)):
            if let reason = Self.fault(inReal: number) { return reason }
            json.key(key)
            json.number(number)
        case (.timestamp, .real(let number)):
            if let reason = Self.fault(inReal: number) { return reason }
            return write(timestamp: number, key: key)
        case (.timestamp, .integer(let number)):
            guard number.magnitude <= 1 << 53 - 1 else { return .integerRange }
            return write(timestamp: Double(number), key: key)
        default: return .storageClass
        }
        return nil
    }

    private mutating func write(timestamp seconds: Double, key: Key) -> Defect.Reason? {
        do throws(TimestampError) {
            let text = try TimestampText(seconds)
            json.key(key)
            write(carryable: text.bytes.span.extracting(first: text.count))
            return nil
        } catch {
            return error == .range ? .dateRange : .datePrecision
        }
    }

    /// Writes text that was found to be valid.
    mutating func write(carryable text: Span<UInt8>) {
        do throws(JSONError) { try json.string(text) } catch { preconditionFailure("text that was checked is not UTF-8") }
    }

    /// Why a text has no JSON string.
    static func fault(inText text: Span<UInt8>) -> Defect.Reason? {
        if isCarryable(text) { return nil }
        let isValid = unsafe text.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) != nil }
        return isValid ? .nul : .utf8
    }

    private static func fault(inReal number: Double) -> Defect.Reason? {
        if !number.isFinite { return .notFinite }
        return number == 0 && number.sign == .minus ? .negativeZero : nil
    }

    /// Why a reference that leads to no row does so.
    static func fault(inReference id: PackedValue) -> Defect.Reason {
        switch id {
        case .null: .null
        case .integer(let number): number.magnitude <= 1 << 53 - 1 ? .missingRow : .integerRange
        default: .storageClass
        }
    }

    /// Writes the member `defects`, sorted.
    mutating func write(defects: [Defect]) {
        json.key(Keys.defects)
        json.beginArray()
        // The sort of the standard library is stable; pointers compare by bytes, not as `String` does.
        for defect in defects.sorted(by: { $0.pointer.utf8.lexicographicallyPrecedes($1.pointer.utf8) }) {
            json.beginObject()
            json.key(Keys.pointer)
            json.string(defect.pointer)
            json.key(Keys.reason)
            json.string(defect.reason)
            json.key(Keys.storageClass)
            json.string(defect.storageClass)
            if let value = defect.value {
                json.key(Keys.value)
                json.string(value)
            }
            json.endObject()
        }
        json.endArray()
    }
}

/// Keys of members that no column names.
enum Keys {
    static let defects: Key = "defects"
    static let device: Key = "device"
    static let end: Key = "end"
    static let endIdentityHash: Key = "end_identity_hash"
    static let endInScope: Key = "end_in_scope"
    static let endSampleType: Key = "end_sample_type"
    static let events: Key = "events"
    static let item: Key = "item"
    static let itemHash: Key = "item_hash"
    static let itemKind: Key = "item_kind"
    static let metadata: Key = "metadata"
    static let metadataHash: Key = "metadata_hash"
    static let pointer: Key = "pointer"
    static let reason: Key = "reason"
    static let relationships: Key = "relationships"
    static let sampleType: Key = "sample_type"
    static let source: Key = "source"
    static let storageClass: Key = "storage_class"
    static let value: Key = "value"
    static let visibility: Key = "visibility"
}
