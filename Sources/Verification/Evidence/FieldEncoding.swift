internal import Archive
internal import Bytes
internal import Format
internal import SQLite

/// How the fields of a row, or the members of an item, stand one behind the other to be hashed.
///
///     number of the field (1) │ i   whole number (8)
///                             │ n   double (8)
///                             │ d   date, as a double of Unix seconds (8)
///                             │ t   length (8) and bytes
///                             │ b   1 or 0
///                             │ o   hash of an object (16)
///                             │ k   the text that the key has, whose hash stands before
///                             │ x   a value without canonical form: its storage class, and its text in `defects`
///
/// Numbers of several bytes have the lowest first. An absent field has nothing. What an item says and what a row says
/// are encoded apart from each other, and without any JSON; only this form, and the table of fields, are shared.
struct FieldEncoding: ~Copyable {
    private(set) var bytes = ByteBuffer(capacity: 1024)

    /// What is hashed: the first byte, so that nothing of one kind is hashed like something of another.
    enum Kind: UInt8 {
        case key = 1, recorded, item, range, relationship, source, device, metadata, observation, chain
    }

    /// How a field's value is read.
    enum Form { case integer, number, date, text }

    /// A field of an object: its name as a member, and what its column may hold.
    struct Field: Sendable {
        let name: String
        let form: Form
        let isRequired: Bool

        init(_ name: String, _ form: Form = .text, isRequired: Bool = false) {
            (self.name, self.form, self.isRequired) = (name, form, isRequired)
        }
    }

    /// Begins anew.
    mutating func begin(_ kind: Kind) {
        bytes.removeAll()
        bytes.append(kind.rawValue)
    }

    /// Begins anew, with nothing.
    mutating func clear() { bytes.removeAll() }

    @inline(__always)
    mutating func add(_ field: Int, integer: Int64) {
        head(field, UInt8(ascii: "i"))
        bytes.append(lowBytesOf: UInt64(bitPattern: integer))
    }

    @inline(__always)
    mutating func add(_ field: Int, number: Double) {
        head(field, UInt8(ascii: "n"))
        bytes.append(lowBytesOf: number.bitPattern)
    }

    @inline(__always)
    mutating func add(_ field: Int, date: Double) {
        head(field, UInt8(ascii: "d"))
        bytes.append(lowBytesOf: date.bitPattern)
    }

    @inline(__always)
    mutating func add(_ field: Int, text: Span<UInt8>) {
        head(field, UInt8(ascii: "t"))
        bytes.append(lowBytesOf: UInt64(truncatingIfNeeded: text.count))
        bytes.append(copying: text)
    }

    mutating func add(_ field: Int, flag: Bool) {
        head(field, UInt8(ascii: "b"))
        bytes.append(flag ? 1 : 0)
    }

    @inline(__always)
    mutating func add(_ field: Int, object: UInt128) {
        head(field, UInt8(ascii: "o"))
        add(hash: object)
    }

    /// A text that is a part of the key.
    @inline(__always)
    mutating func addKeyPart(_ field: Int) { head(field, UInt8(ascii: "k")) }

    /// Begins anew with what is recorded of an item, whose key has this hash.
    @inline(__always)
    mutating func beginRecorded(ofKey key: UInt128) {
        begin(.recorded)
        add(hash: key)
    }

    /// Begins anew with a range of an item, whose key has this hash.
    @inline(__always)
    mutating func beginRange(ofKey key: UInt128) {
        begin(.range)
        add(hash: key)
    }

    /// Begins anew with an item, whose key has this hash.
    @inline(__always)
    mutating func beginItem(ofKey key: UInt128) {
        begin(.item)
        add(hash: key)
    }

    /// A value that has no canonical form, as a defect carries it.
    mutating func add(_ field: Int, defect storageClass: Span<UInt8>, _ value: Span<UInt8>) {
        head(field, UInt8(ascii: "x"))
        bytes.append(lowBytesOf: UInt64(truncatingIfNeeded: storageClass.count))
        bytes.append(copying: storageClass)
        bytes.append(lowBytesOf: UInt64(truncatingIfNeeded: value.count))
        bytes.append(copying: value)
    }

    /// The key of an item: sample type, identity and version hash, each ended by 0, which none of them holds. Sorted
    /// by these bytes, items of one key stand together. What is absent is empty.
    @inline(__always)
    mutating func beginKey() { begin(.key) }

    /// A text of a key, before its end.
    @inline(__always)
    mutating func add(keyText text: Span<UInt8>) { bytes.append(copying: text) }

    /// A text of a key, of a row, where it can be carried; whether it can.
    @inline(__always)
    mutating func add(keyText value: SQLiteValue) -> Bool {
        let isThere = value.isCarryable
        if isThere { bytes.append(copying: value.bytes(of: .text)) }
        return isThere
    }

    /// The end of a key's part.
    @inline(__always)
    mutating func endKeyPart() { bytes.append(0) }

    /// Bytes as they are, without a field.
    @inline(__always)
    mutating func add(plain text: Span<UInt8>) { bytes.append(copying: text) }

    /// What is encoded behind it.
    @inline(__always)
    mutating func add(kind: Kind) { bytes.append(kind.rawValue) }

    /// A text that was taken out of its line.
    mutating func add(_ field: Int, text: [UInt8]) { add(field, text: text.span) }

    /// A hash, without a field.
    @inline(__always)
    mutating func add(hash: UInt128) {
        bytes.append(lowBytesOf: UInt64(truncatingIfNeeded: hash))
        bytes.append(lowBytesOf: UInt64(truncatingIfNeeded: hash >> 64))
    }

    /// Bytes that were encoded before.
    @inline(__always)
    mutating func add(encoded: [UInt8]) { bytes.append(copying: encoded.span) }

    @inline(__always)
    private mutating func head(_ field: Int, _ form: UInt8) {
        bytes.append(UInt8(truncatingIfNeeded: field))
        bytes.append(form)
    }
}

extension FieldEncoding {
    /// Members of a source, a device and the rows that a header speaks of, in the order of `Spec/items.md` and
    /// `Spec/bundle.md`.
    static let source = [
        Field("bundle_identifier"), Field("operating_system_version"), Field("product_type"),
        Field("source_name_hash"), Field("version"),
    ]
    static let device = [
        Field("device_hash"), Field("firmware_version"), Field("hardware_version"), Field("local_identifier_hash"),
        Field("manufacturer_hash"), Field("model"), Field("software_version"), Field("udi_hash"),
    ]
    static let observation = [
        Field("app_version"), Field("ended_at", .date), Field("id", .integer, isRequired: true), Field("notes"),
        Field("observed_at", .date, isRequired: true), Field("os_version"),
        Field("schema_version", .integer, isRequired: true), Field("selected_type_set_hash"),
        Field("started_at", .date), Field("status", isRequired: true), Field("time_zone_identifier"),
        Field("time_zone_seconds_from_gmt", .integer), Field("trigger_reason", isRequired: true),
    ]
    static let chain = [
        Field("created_at", .date, isRequired: true), Field("device_chain_hash", isRequired: true),
        Field("recovered_from_keychain", .integer, isRequired: true),
    ]
    static let range = [
        Field("first_observation_id", .integer, isRequired: true), Field("first_seen_at", .date, isRequired: true),
    ]
    static let relationship = [
        Field("end"), Field("end_identity_hash", isRequired: true), Field("end_in_scope"),
        Field("end_sample_type", isRequired: true), Field("metadata"), Field("metadata_hash", isRequired: true),
        Field("observation_id", .integer), Field("relationship_kind", isRequired: true),
    ]
}

extension FieldEncoding {
    /// The most that a whole number may have in magnitude to be exact in JSON.
    private static let exact = UInt64(1) << 53 - 1

    /// Adds a stored value: nothing for NULL where the column may be NULL, and a defect where it has no canonical form
    /// (`Spec/items.md`, Defects).
    @inline(__always)
    mutating func add(_ field: Int, stored value: SQLiteValue, as form: Form, isRequired: Bool = false) {
        let storageClass = value.storageClass
        switch (storageClass, form) {
        case (.null, _) where !isRequired: return
        case (.text, .text):
            let text = value.bytes(of: .text)
            if canBeCarried(text) { return add(field, text: text) }
        case (.integer, .integer) where value.integer.magnitude <= Self.exact:
            return add(field, integer: value.integer)
        case (.integer, .number) where value.integer.magnitude <= Self.exact:
            return add(field, number: Double(value.integer))
        case (.real, .number):
            let number = value.real
            if number.isFinite, number != 0 || number.sign == .plus { return add(field, number: number) }
        case (.integer, .date), (.real, .date):
            if let date = value.date { return add(field, date: date) }
        default: break
        }
        add(field, defectOf: value)
    }

    /// Adds a stored value as a defect carries it.
    mutating func add(_ field: Int, defectOf value: SQLiteValue) {
        let storageClass = value.storageClass
        var text: [UInt8] = []
        switch storageClass {
        case .null: break
        case .integer: text = Array(String(value.integer).utf8)
        case .real:
            let bits = value.real.bitPattern
            text = Hexadecimal.digits((0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
        case .text, .blob:
            let bytes = value.bytes(of: storageClass)
            text = Hexadecimal.digits(bytes.indices.map { bytes[$0] })
        }
        add(field, defect: Array(storageClass.rawValue.utf8).span, text.span)
    }
}

/// Whether a stored text has a JSON string, under a name that no property has.
private func canBeCarried(_ text: Span<UInt8>) -> Bool { isCarryable(text) }

extension SQLiteValue {
    /// Whether the value is a text that canonical JSON has.
    @inline(__always)
    var isCarryable: Bool {
        guard let text else { return false }
        return canBeCarried(text)
    }
}
