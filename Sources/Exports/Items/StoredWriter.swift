internal import Archive
internal import CanonicalJSON
internal import Format
internal import Timestamps

/// The form in which a column's value is written (`Spec/items.md`, Members).
enum ValueType {
    case text, integer, number, timestamp
}

/// A member of an object that comes from a column. It holds no references, so that reading it counts none.
struct Member: Sendable {
    /// Index of its key in the object's keys.
    let key: Int
    let column: Int
    let type: ValueType
    /// `true` if the column is NOT NULL.
    let isRequired: Bool
}

/// The members of an object that come from columns, and all its keys, both sorted.
///
/// Writers on several threads have lists of their own: counting references to a shared one would make them wait for
/// each other.
struct MemberList: Sendable {
    let keys: KeyList
    let members: [Member]

    /// A member and its column.
    struct Entry {
        let name: String
        let column: Int
        let type: ValueType
        let isRequired: Bool

        init(name: String, column: Int, type: ValueType, isRequired: Bool) {
            self.name = name
            self.column = column
            self.type = type
            self.isRequired = isRequired
        }

        /// As the specification says: what a defect may stand for is NOT NULL.
        init(_ format: MemberFormat, _ column: Int, isRequired: Bool? = nil) {
            name = format.name
            self.column = column
            type =
                switch format.value {
                case .integer: .integer
                case .number: .number
                case .timestamp: .timestamp
                default: .text
                }
            self.isRequired = isRequired ?? !format.excusable.isEmpty
        }
    }

    /// The members of an object that an export has, each from the column in its place.
    init(_ object: ObjectFormat, _ profile: ExportProfile = .whole) {
        let needed = object.needs.filter { $0.text != nil }.map(\.needed)
        let entries = object.members.enumerated().filter { profile.has($1) }.map { column, member in
            Entry(member, column, isRequired: needed.contains(member.name) ? true : nil)
        }
        self.init(entries)
    }

    /// The member of a name.
    subscript(name: String) -> Member {
        let key = keys.index(of: name)
        return members.first { $0.key == key }!
    }

    /// Members; `others` are the keys that no column gives.
    init(_ columns: [Entry], others: [String] = []) {
        let names = (columns.map(\.name) + others).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let keys = KeyList(names.enumerated().filter { $0 == 0 || names[$0 - 1] != $1 }.map(\.element))
        self.keys = keys
        members = columns.map {
            Member(key: keys.index(of: $0.name), column: $0.column, type: $0.type, isRequired: $0.isRequired)
        }
    }
}

/// Writes stored values as members of canonical JSON and keeps what cannot be written.
///
/// An object's `defects` sort before most of its members, so an object that has any is written twice: once to find
/// them, once with them. That is rare.
struct StoredWriter: ~Copyable {
    /// The text that is being written.
    var json: Writer
    /// The defects: values that could not be written, in the order in which they were found.
    var defects: [Defect] = []
    private var timestamps = TimestampCache()

    init(capacity: Int = 4096) { json = Writer(capacity: capacity) }

    /// Takes back what was written since a mark, and all defects.
    mutating func startAgain(from mark: Writer.Mark) {
        json.rewind(to: mark)
        defects.removeAll(keepingCapacity: true)
    }

    /// Writes one member, or keeps a defect in its place, or does nothing for NULL. `prefix` points to the object
    /// that is being written.
    @inline(__always)
    mutating func put(
        _ member: Member, of keys: borrowing KeyList, _ value: PackedValue, in bytes: Span<UInt8>,
        at prefix: @autoclosure () -> String = ""
    ) {
        if let reason = write(value, member, keys, in: bytes) {
            defects.append(Defect(pointer: "\(prefix())/\(keys.name(member.key))", reason, value, in: bytes))
        }
    }

    /// Writes a key and a value; returns why it did not, and writes nothing for an absent value.
    private mutating func write(
        _ value: PackedValue, _ member: Member, _ keys: borrowing KeyList, in bytes: Span<UInt8>
    ) -> Defect.Reason? {
        switch (member.type, value) {
        case (_, .null): return member.isRequired ? .null : nil
        case (.text, .hash(let range)):
            json.key(keys, member.key)
            json.hex(bytes.extracting(range))
        case (.text, .text(let range)):
            let text = bytes.extracting(range)
            if Writer.isPlain(text) {
                json.key(keys, member.key)
                json.string(plain: text)
            } else {
                if let reason = Self.fault(inText: text) { return reason }
                json.key(keys, member.key)
                write(carryable: text)
            }
        case (.integer, .integer(let number)), (.number, .integer(let number)):
            guard number.magnitude <= 1 << 53 - 1 else { return .integerRange }
            json.key(keys, member.key)
            json.integer(number)
        case (.number, .real(let number)):
            if let reason = Self.fault(inReal: number) { return reason }
            json.key(keys, member.key)
            json.number(number)
        case (.timestamp, .real(let number)):
            if let reason = Self.fault(inReal: number) { return reason }
            return write(timestamp: number, member, keys)
        case (.timestamp, .integer(let number)):
            guard number.magnitude <= 1 << 53 - 1 else { return .integerRange }
            return write(timestamp: Double(number), member, keys)
        default: return .storageClass
        }
        return nil
    }

    private mutating func write(timestamp seconds: Double, _ member: Member, _ keys: borrowing KeyList) -> Defect
        .Reason?
    {
        do throws(TimestampError) {
            let text = try timestamps.text(of: seconds)
            json.key(keys, member.key)
            json.string(plain: text.bytes.span, first: text.count)
            return nil
        } catch {
            return error == .range ? .dateRange : .datePrecision
        }
    }

    /// Writes text that was found to be valid.
    mutating func write(carryable text: Span<UInt8>) {
        do throws(JSONError) { try json.string(text) } catch {
            preconditionFailure(
                "text that was checked is not UTF-8")
        }
    }

    /// Returns the reason why a text has no JSON string.
    static func fault(inText text: Span<UInt8>) -> Defect.Reason? {
        if isCarryable(text) { return nil }
        let isValid = unsafe text.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) != nil }
        return isValid ? .nul : .utf8
    }

    private static func fault(inReal number: Double) -> Defect.Reason? {
        if !number.isFinite { return .notFinite }
        return number == 0 && number.sign == .minus ? .negativeZero : nil
    }

    /// Returns the reason why a reference leads to no row.
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

/// Remembers texts of moments. The moments of observations come again in item after item.
private struct TimestampCache: ~Copyable {
    private var entries = [(seconds: Double, text: TimestampText)?](repeating: nil, count: 64)

    mutating func text(of seconds: Double) throws(TimestampError) -> TimestampText {
        // A multiplicative hash: its highest bits depend on all bits.
        let slot = Int(truncatingIfNeeded: (seconds.bitPattern &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if let known = entries[slot], known.seconds == seconds { return known.text }
        let text = try TimestampText(seconds)
        entries[slot] = (seconds, text)
        return text
    }
}

/// Keys of rare members that no column names.
enum Keys {
    static let defects: Key = "defects"
    static let pointer: Key = "pointer"
    static let reason: Key = "reason"
    static let sampleType: Key = "sample_type"
    static let storageClass: Key = "storage_class"
    static let value: Key = "value"
}
