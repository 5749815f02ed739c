package import Archive
internal import Preimages
internal import SQLite

/// The objects `source` and `device` of `Spec/items.md`, made from their rows. Those that were asked for last are kept.
package struct ProvenanceObjects: ~Copyable {
    /// An object: its canonical text and, of a source, its bundle identifier if that has a canonical form.
    package struct Object {
        package let text: [UInt8]
        package let bundle: [UInt8]?
    }

    private var sourceRows: Statement
    private var deviceRows: Statement
    private var sources: [Int64: Object] = [:]
    private var devices: [Int64: Object] = [:]
    private static let limit = 4096

    /// Objects of an archive.
    package init(_ connection: borrowing Connection) throws(ArchiveError) {
        let sources = try connection.prepare(
            "SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash, r.version "
                + "FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1")
        let devices = try connection.prepare(
            """
            SELECT device_hash, firmware_version, hardware_version, local_identifier_hash, manufacturer_hash, model,
                software_version, udi_hash FROM hk_devices WHERE id = ?1
            """)
        sourceRows = sources
        deviceRows = devices
    }

    /// Returns the source of a revision; `nil` if there is no such row.
    package mutating func source(_ id: Int64) throws(ArchiveError) -> Object? {
        try Self.find(id, &sources, &sourceRows) { texts in
            Object(
                text: ProvenancePreimage.source(
                    bundleIdentifier: texts[0], operatingSystemVersion: texts[1], productType: texts[2],
                    nameHash: texts[3], version: texts[4]), bundle: texts[0])
        }
    }

    /// Returns a device; `nil` if there is no such row.
    package mutating func device(_ id: Int64) throws(ArchiveError) -> Object? {
        try Self.find(id, &devices, &deviceRows) { texts in
            Object(
                text: ProvenancePreimage.device(
                    hash: texts[0], firmwareVersion: texts[1], hardwareVersion: texts[2],
                    localIdentifierHash: texts[3], manufacturerHash: texts[4], model: texts[5],
                    softwareVersion: texts[6], udiHash: texts[7]), bundle: nil)
        }
    }

    private static func find(
        _ id: Int64, _ known: inout [Int64: Object], _ row: inout Statement, make: ([[UInt8]?]) -> Object
    ) throws(ArchiveError) -> Object? {
        if let known = known[id] { return known }
        guard let found = try texts(&row, id).map(make) else { return nil }
        if known.count >= limit { known.removeAll(keepingCapacity: true) }
        known[id] = found
        return found
    }

    /// Returns the texts of a row. What canonical JSON cannot carry is not a member.
    private static func texts(_ row: inout Statement, _ id: Int64) throws(ArchiveError) -> [[UInt8]?]? {
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return (0..<Int32(row.columnCount)).map { row.carryableText($0) }
    }
}
