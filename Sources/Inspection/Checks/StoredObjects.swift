internal import Archive
internal import CanonicalJSON
internal import SQLite

/// The objects `source` and `device` of `Spec/items.md`, made from their rows. Those that were asked for last are kept.
struct StoredObjects: ~Copyable {
    /// Which object.
    enum Kind {
        case source, device

        /// Members, in order.
        var members: [String] {
            switch self {
            case .source:
                ["bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version"]
            case .device:
                [
                    "device_hash", "firmware_version", "hardware_version", "local_identifier_hash", "manufacturer_hash",
                    "model", "software_version", "udi_hash",
                ]
            }
        }
    }

    /// An object: its canonical text and, of a source, its bundle identifier where that has a canonical form.
    struct Object {
        let text: [UInt8]
        let bundle: [UInt8]?
    }

    private var sources: Statement
    private var devices: Statement
    private var known: [[Int64: Object]] = [[:], [:]]
    private static let limit = 4096

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        let sources = try reader.prepare(
            "SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash, r.version "
                + "FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1")
        let devices = try reader.prepare(
            "SELECT \(Kind.device.members.joined(separator: ", ")) FROM hk_devices WHERE id = ?1")
        self.sources = sources
        self.devices = devices
    }

    /// The object of a row; nil where there is no such row.
    mutating func object(_ kind: Kind, id: Int64) throws(ArchiveError) -> Object? {
        let place = kind == .source ? 0 : 1
        if let object = known[place][id] { return object }
        let object =
            switch kind {
            case .source: try Self.read(&sources, kind, id)
            case .device: try Self.read(&devices, kind, id)
            }
        if known[place].count >= Self.limit { known[place].removeAll(keepingCapacity: true) }
        known[place][id] = object
        return object
    }

    private static func read(_ row: inout Statement, _ kind: Kind, _ id: Int64) throws(ArchiveError) -> Object? {
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        var json = Writer()
        json.beginObject()
        for (column, member) in kind.members.enumerated() where row.storageClass(Int32(column)) == .text {
            let text = row.bytes(Int32(column))
            guard isCarryable(text.span) else { continue }
            json.key(Key(member))
            try? json.string(text.span)
        }
        json.endObject()
        let hasBundle = kind == .source && row.storageClass(0) == .text && row.withBytes(0, isCarryable)
        return Object(text: json.bytes, bundle: hasBundle ? row.bytes(0) : nil)
    }
}
