internal import Bytes
internal import Capture

/// Metadata of a record as it comes: raw texts in one buffer, so that equal metadata is known before any JSON is
/// written.
///
///     kind (1 byte)  length of key (4)  length of value (4)  key  value    ……
struct MetadataDraft {
    /// The kind of a key and its value.
    enum Kind: UInt8 {
        /// A `MetadataEntry`.
        case entry
        /// An attribute that the tables do not name.
        case attribute
        /// The same, with a value that identifies something.
        case privateAttribute
        /// A key of our own, and canonical JSON.
        case own
    }

    /// Everything so far. Equal bytes are equal metadata.
    private(set) var bytes: [UInt8] = []

    /// `true` if there is none.
    var isEmpty: Bool { bytes.isEmpty }

    /// Forgets everything, and keeps the memory where it is little.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20) }

    /// Adds a key with its value.
    mutating func add(_ kind: Kind, _ key: Span<UInt8>, _ value: Span<UInt8>) {
        bytes.append(kind.rawValue)
        append(length: key.count)
        append(length: value.count)
        bytes.append(copying: key)
        bytes.append(copying: value)
    }

    /// Adds a key of our own.
    mutating func add(own key: [UInt8], json: [UInt8]) { add(.own, key.span, json.span) }

    /// Returns the metadata as a canonical object. Private values are hashed with the builder's secret.
    func object(_ builder: inout PageBuilder) -> [UInt8] {
        var members = JSONMembers()
        var at = 0
        while at < bytes.count {
            let kind = Kind(rawValue: bytes[at])
            let key = at + 9..<at + 9 + length(at + 1)
            let value = key.upperBound..<key.upperBound + length(at + 5)
            switch kind {
            case .entry:
                Self.add(entry: bytes.span.extracting(key), bytes.span.extracting(value), to: &members, &builder)
            case .attribute:
                members.add(Self.attributePrefix + bytes[key], JSONMembers.string(bytes.span.extracting(value)))
            case .privateAttribute:
                members.add(
                    Self.attributePrefix + bytes[key],
                    Self.privateValue(bytes.span.extracting(key), bytes.span.extracting(value), &builder))
            case .own, nil: members.add(Array(bytes[key]), Array(bytes[value]))
            }
            at = value.upperBound
        }
        return members.object()
    }

    /// Adds a `MetadataEntry` to an object.
    static func add(
        entry key: Span<UInt8>, _ value: Span<UInt8>, to members: inout JSONMembers, _ builder: inout PageBuilder
    ) {
        let name = key.array
        let text = builder.isPrivate(key: key) ? privateValue(key, value, &builder) : JSONMembers.string(value)
        members.add(name.starts(with: ownPrefix) ? ownKeyPrefix + name : name, text)
    }

    /// Returns a private value as canonical JSON.
    static func privateValue(_ key: Span<UInt8>, _ value: Span<UInt8>, _ builder: inout PageBuilder) -> [UInt8] {
        let json = JSONMembers.string(value)
        let text = builder.privateValue(key: key, value: json.span)
        return JSONMembers.string(text.span)
    }

    private mutating func append(length: Int) {
        let length = UInt32(truncatingIfNeeded: length)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(UInt8(truncatingIfNeeded: length >> 16))
        bytes.append(UInt8(truncatingIfNeeded: length >> 24))
    }

    private func length(_ at: Int) -> Int {
        Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16 | Int(bytes[at + 3]) << 24
    }

    private static let ownPrefix = Array("hp:".utf8)
    private static let ownKeyPrefix = Array("hp:key:".utf8)
    private static let attributePrefix = Array("hp:attribute:".utf8)
}
