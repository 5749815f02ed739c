internal import Archive
internal import SQLite

/// Gives the rows of a page's tables their ids: types, sources with their revisions, devices, metadata. A row that
/// is there already is used again.
///
/// The schema has no index from names or hashes to sources and devices, so temporary tables lead there.
struct ProvenanceRecorder: ~Copyable {
    /// Row ids by index into the page's tables.
    private(set) var types: [Int64] = []
    private(set) var revisions: [Int64] = []
    private(set) var devices: [Int64] = []
    private(set) var metadata: [Int64] = []
    private var findType: Statement
    private var insertType: Statement
    private var describeType: Statement
    private var noteType: Statement
    private var noteDescription: Statement
    private var findSource: Statement
    private var insertSource: Statement
    private var noteSource: Statement
    private var findRevision: Statement
    private var insertRevision: Statement
    private var findDevice: Statement
    private var insertDevice: Statement
    private var noteDevice: Statement
    private var findMetadata: Statement
    private var insertMetadata: Statement

    /// What is bound of a row of `hk_devices`.
    private enum DeviceColumn: Int32, SQLiteColumn {
        case deviceHash = 1, manufacturerHash, model, hardwareVersion, firmwareVersion, softwareVersion
        case localIdentifierHash, udiHash
    }

    static func open(_ connection: borrowing Connection, observationID: Int64) throws(ArchiveError)
        -> ProvenanceRecorder
    {
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.known_sources;
            DROP TABLE IF EXISTS temp.known_devices;
            CREATE TEMP TABLE known_sources(source_name_hash TEXT, bundle_identifier TEXT, id INTEGER);
            INSERT INTO temp.known_sources SELECT source_name_hash, bundle_identifier, id FROM sources ORDER BY id;
            CREATE INDEX temp.known_sources_by_name ON known_sources(source_name_hash, bundle_identifier);
            CREATE TEMP TABLE known_devices(device_hash TEXT, id INTEGER);
            INSERT INTO temp.known_devices SELECT device_hash, id FROM hk_devices ORDER BY id;
            CREATE INDEX temp.known_devices_by_hash ON known_devices(device_hash, id);
            """)
        let same = DeviceColumn.allCases.map { "d.\($0.name) IS ?\($0.rawValue)" }.joined(separator: " AND ")
        return ProvenanceRecorder(
            findType: try connection.prepare("SELECT id FROM sample_types WHERE type_identifier = ?1"),
            insertType: try connection.prepare(
                "INSERT INTO sample_types(type_identifier, display_name, category) VALUES (?1, ?2, ?3) RETURNING id"),
            describeType: try connection.prepare(
                "UPDATE sample_types SET display_name = coalesce(display_name, ?2), category = coalesce(category, "
                    + "?3) WHERE id = ?1 AND (display_name IS NULL OR category IS NULL)"),
            noteType: try connection.prepare(
                "INSERT INTO sample_type_origins(sample_type_id, observation_id, is_new, display_name, category) "
                    + "VALUES (?1, \(observationID), 1, ?2, ?3)"),
            noteDescription: try connection.prepare(
                """
                INSERT INTO sample_type_origins(sample_type_id, observation_id, is_new, display_name, category) \
                SELECT id, \(observationID), 0, iif(display_name IS NULL, ?2, NULL), iif(category IS NULL, ?3, NULL)
                    FROM sample_types WHERE id = ?1 AND (display_name IS NULL AND ?2 IS NOT NULL
                    OR category IS NULL AND ?3 IS NOT NULL) \
                ON CONFLICT(sample_type_id, observation_id) DO UPDATE
                    SET display_name = coalesce(display_name, excluded.display_name),
                    category = coalesce(category, excluded.category)
                """),
            findSource: try connection.prepare(
                "SELECT id FROM temp.known_sources WHERE source_name_hash IS ?1 "
                    + "AND bundle_identifier IS ?2 ORDER BY id LIMIT 1"),
            insertSource: try connection.prepare(
                "INSERT INTO sources(source_name_hash, bundle_identifier) VALUES (?1, ?2) RETURNING id"),
            noteSource: try connection.prepare("INSERT INTO temp.known_sources VALUES (?1, ?2, ?3)"),
            findRevision: try connection.prepare(
                "SELECT id FROM source_revisions WHERE source_id = ?1 AND product_type IS ?2 AND version IS ?3 "
                    + "AND operating_system_version IS ?4 ORDER BY id LIMIT 1"),
            insertRevision: try connection.prepare(
                "INSERT INTO source_revisions(source_id, product_type, version, "
                    + "operating_system_version) VALUES (?1, ?2, ?3, ?4) RETURNING id"),
            findDevice: try connection.prepare(
                "SELECT d.id FROM temp.known_devices k JOIN hk_devices d "
                    + "ON d.id = k.id WHERE k.device_hash IS ?1 AND \(same) ORDER BY d.id LIMIT 1"),
            insertDevice: try connection.prepare(
                "INSERT INTO hk_devices(\(DeviceColumn.names)) VALUES (\(DeviceColumn.parameters)) RETURNING id"),
            noteDevice: try connection.prepare("INSERT INTO temp.known_devices VALUES (?1, ?2)"),
            findMetadata: try connection.prepare("SELECT id FROM metadata_blobs WHERE metadata_hash = ?1"),
            insertMetadata: try connection.prepare(
                "INSERT INTO metadata_blobs(metadata_hash, metadata_json) VALUES (?1, ?2) RETURNING id"))
    }

    private init(
        findType: consuming Statement, insertType: consuming Statement, describeType: consuming Statement,
        noteType: consuming Statement, noteDescription: consuming Statement,
        findSource: consuming Statement, insertSource: consuming Statement,
        noteSource: consuming Statement,
        findRevision: consuming Statement, insertRevision: consuming Statement, findDevice: consuming Statement,
        insertDevice: consuming Statement, noteDevice: consuming Statement,
        findMetadata: consuming Statement, insertMetadata: consuming Statement
    ) {
        self.findType = findType
        self.insertType = insertType
        self.describeType = describeType
        self.noteType = noteType
        self.noteDescription = noteDescription
        self.findSource = findSource
        self.insertSource = insertSource
        self.noteSource = noteSource
        self.findRevision = findRevision
        self.insertRevision = insertRevision
        self.findDevice = findDevice
        self.insertDevice = insertDevice
        self.noteDevice = noteDevice
        self.findMetadata = findMetadata
        self.insertMetadata = insertMetadata
    }

    /// Resolves the tables of a page, inside its transaction.
    mutating func resolve(_ page: borrowing CapturePage) throws(ArchiveError) {
        types.removeAll(keepingCapacity: true)
        revisions.removeAll(keepingCapacity: true)
        devices.removeAll(keepingCapacity: true)
        metadata.removeAll(keepingCapacity: true)
        for type in page.types { types.append(try self.type(type, displayName: nil, category: nil)) }
        for source in page.sources { revisions.append(try revision(source)) }
        for device in page.devices { devices.append(try self.device(device)) }
        for metadata in page.metadata {
            findMetadata.bind(1, hex: metadata.hash)
            if let id = try findMetadata.firstInteger() {
                self.metadata.append(id)
                continue
            }
            insertMetadata.bind(1, hex: metadata.hash)
            insertMetadata.bind(2, text: page.bytes.span.extracting(metadata.json))
            self.metadata.append(try insertMetadata.insertedID())
        }
    }

    /// The id of a type; name and category are stored where it has none yet.
    mutating func type(_ identifier: [UInt8], displayName: [UInt8]?, category: [UInt8]?) throws(ArchiveError) -> Int64 {
        findType.bind(1, text: identifier)
        if let id = try findType.firstInteger() {
            guard displayName != nil || category != nil else { return id }
            // What the type lacked is noted before it has it.
            try Self.run(&noteDescription, id, displayName, category)
            try Self.run(&describeType, id, displayName, category)
            return id
        }
        insertType.bind(1, text: identifier)
        insertType.bind(2, text: displayName)
        insertType.bind(3, text: category)
        let id = try insertType.insertedID()
        try Self.run(&noteType, id, displayName, category)
        return id
    }

    private static func run(_ statement: inout Statement, _ id: Int64, _ displayName: [UInt8]?, _ category: [UInt8]?)
        throws(ArchiveError)
    {
        statement.bind(1, id)
        statement.bind(2, text: displayName)
        statement.bind(3, text: category)
        try statement.run()
    }

    private mutating func revision(_ source: CapturePage.Source) throws(ArchiveError) -> Int64 {
        let sourceID = try self.source(source)
        findRevision.bind(1, sourceID)
        findRevision.bind(2, text: source.productType)
        findRevision.bind(3, text: source.version)
        findRevision.bind(4, text: source.operatingSystemVersion)
        if let id = try findRevision.firstInteger() { return id }
        insertRevision.bind(1, sourceID)
        insertRevision.bind(2, text: source.productType)
        insertRevision.bind(3, text: source.version)
        insertRevision.bind(4, text: source.operatingSystemVersion)
        return try insertRevision.insertedID()
    }

    private mutating func source(_ source: CapturePage.Source) throws(ArchiveError) -> Int64 {
        findSource.bind(1, hex: source.nameHash)
        findSource.bind(2, text: source.bundleIdentifier)
        if let id = try findSource.firstInteger() { return id }
        insertSource.bind(1, hex: source.nameHash)
        insertSource.bind(2, text: source.bundleIdentifier)
        let id = try insertSource.insertedID()
        noteSource.bind(1, hex: source.nameHash)
        noteSource.bind(2, text: source.bundleIdentifier)
        noteSource.bind(3, id)
        try noteSource.run()
        return id
    }

    private mutating func device(_ device: CapturePage.Device) throws(ArchiveError) -> Int64 {
        Self.bind(device, to: &findDevice)
        if let id = try findDevice.firstInteger() { return id }
        Self.bind(device, to: &insertDevice)
        let id = try insertDevice.insertedID()
        noteDevice.bind(1, hex: device.hash)
        noteDevice.bind(2, id)
        try noteDevice.run()
        return id
    }

    private static func bind(_ device: CapturePage.Device, to statement: inout Statement) {
        statement.bind(DeviceColumn.deviceHash, hex: device.hash)
        statement.bind(DeviceColumn.manufacturerHash, hex: device.manufacturerHash)
        statement.bind(DeviceColumn.model, text: device.model)
        statement.bind(DeviceColumn.hardwareVersion, text: device.hardwareVersion)
        statement.bind(DeviceColumn.firmwareVersion, text: device.firmwareVersion)
        statement.bind(DeviceColumn.softwareVersion, text: device.softwareVersion)
        statement.bind(DeviceColumn.localIdentifierHash, hex: device.localIdentifierHash)
        statement.bind(DeviceColumn.udiHash, hex: device.udiHash)
    }
}
