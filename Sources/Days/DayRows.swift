internal import Archive
internal import Bytes
internal import Changes
internal import Files
internal import Measures
internal import SQLite

/// Reads the records that are visible at an observation, and sorts them by type and start.
///
///     row         rank of the type (4) │ whether it has a day │ start (8), if it has │ sample id │ version id
///     companion   the record
struct DayRows: ~Copyable {
    private enum Column: Int32, CaseIterable {
        case type, sample, version, start, end, number, unit, category, activity, duration, source, device, metadata

        var sql: String {
            switch self {
            case .type: "s.sample_type_id"
            case .sample: "r.sample_id"
            case .version: "r.version_id"
            case .start: "v.start_date"
            case .end: "v.end_date"
            case .number: "v.numeric_value"
            case .unit: "v.unit"
            case .category: "v.category_value"
            case .activity: "v.workout_activity_type"
            case .duration: "v.duration_seconds"
            case .source: "v.source_revision_id"
            case .device: "v.hk_device_id"
            case .metadata: "v.metadata_id"
            }
        }
    }

    private var rows: Statement
    private var makers: MakerReader
    private var metadata: DayMetadataReader
    private var workouts: WorkoutTotalsReader
    private let context: ExportContext
    private let types: DayTypes
    private var calendar: DayCalendar
    private var sorter: RowSorter
    /// The unit that came last, of the last type, and how it converts.
    private var unit: (type: Int, name: [UInt8], conversion: UnitConversion?)?

    /// The sources of the records, once these are sorted.
    var sources: DaySources { makers.sources }

    init(
        _ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext, _ types: DayTypes,
        _ observation: Int64, _ path: Path
    ) throws(ArchiveError) {
        let (conditions, parameters) = query.selection()
        let lead: RecordQuery.Lead = query.typeIDs == nil ? .ranges : .types
        var rows = try connection.prepare(
            """
            SELECT \(Column.allCases.map(\.sql).joined(separator: ", ")) FROM \(query.join(lead)) \
            \(query.isVisible("r", at: observation))\(conditions)
            """)
        try rows.bind(parameters)
        var zones = try ObservationZones(connection)
        let makers = try MakerReader(connection)
        let metadata = try DayMetadataReader(connection, observation)
        let workouts = try WorkoutTotalsReader(connection)
        calendar = DayCalendar(try zones.zone(of: observation))
        self.rows = rows
        self.makers = makers
        self.metadata = metadata
        self.workouts = workouts
        self.context = context
        self.types = types
        sorter = RowSorter(of: path, memory: 16 << 20)
    }

    /// Reads all rows; returns the runs that they are sorted in.
    mutating func sorted() throws(ArchiveError) -> [RowRun] {
        var key = ByteBuffer(capacity: 64)
        var companion = ByteBuffer(capacity: 128)
        while try rows.step() {
            let type = context.typeIndex(rows.exactInteger(Column.type.rawValue)).map { $0 + 1 } ?? 0
            let record = try record(of: type)
            key.removeAll()
            key.append(bigEndian: UInt64(type), count: 4)
            key.append(record.start == nil ? 0 : 1)
            if let start = record.start { key.append(bigEndian: UInt64(bitPattern: start) ^ 1 << 63) }
            StoredID(rows, Column.sample.rawValue).append(to: &key)
            StoredID(rows, Column.version.rawValue).append(to: &key)
            companion.removeAll()
            record.append(to: &companion)
            try sorter.add(key.span, companion: companion.span)
        }
        return try sorter.finish()
    }

    /// Returns the record of the current row.
    private mutating func record(of type: Int) throws(ArchiveError) -> DayRecord {
        var record = DayRecord()
        if let start = rows.date(Column.start.rawValue).map(Microseconds.of) {
            let end = max(start, rows.date(Column.end.rawValue).map(Microseconds.of) ?? start)
            let isOfRings = types.types[type].kind == .activitySummary
            let hasDay = calendar.hasDay(start) && calendar.hasDay(end)
            if hasDay, !isOfRings || calendar.ringDay(of: start) != nil {
                (record.start, record.end) = (start, end)
            }
        }
        let made = try makers.read(
            source: rows.exactInteger(Column.source.rawValue), device: rows.exactInteger(Column.device.rawValue))
        (record.source, record.maker.device) = (made.source, made.device)
        let id = rows.exactInteger(Column.metadata.rawValue)
        let stated = try metadata.facts(of: id)
        (record.maker.isUserEntered, record.isOfOtherZone) = (stated.isUserEntered, stated.isOfOtherZone)
        switch types.types[type].kind {
        case .cumulative:
            record.amount = amount(of: type).flatMap { DecimalAmount.whole($0, digits: types.types[type].digits) }
        case .discrete: record.value = amount(of: type)
        case .category: record.part = integer(.category)
        case .workout:
            record.part = integer(.activity)
            if let duration = number(.duration) {
                record.amount = DecimalAmount.whole(duration, digits: 6)
            } else if !record.isLong {
                record.amount = record.length
            }
            let totals = try workouts.totals(of: id)
            record.others = [totals.energy, totals.distance].map { value in
                value.flatMap { DecimalAmount.whole($0, digits: 6) }
            }
        case .activitySummary: record.others = try metadata.rings(of: id)
        case .event, .nap, .night: break
        }
        return record
    }

    /// Returns a number that an item has.
    private func number(_ column: Column) -> Double? {
        if rows.storageClass(column.rawValue) == .integer {
            guard let value = rows.exactInteger(column.rawValue), value.magnitude < 1 << 53 else { return nil }
        }
        return rows.number(column.rawValue)
    }

    /// Returns an integer that an item has.
    private func integer(_ column: Column) -> Int64? {
        rows.exactInteger(column.rawValue).flatMap { $0.magnitude < 1 << 53 ? $0 : nil }
    }

    /// Returns the value in the canonical unit of its type.
    private mutating func amount(of type: Int) -> Double? {
        guard let number = number(.number) else { return nil }
        let column = Column.unit.rawValue
        let isLast = unit.map { last in
            last.type == type && rows.withBytes(column) { last.name.span.isSame(as: $0) }
        }
        if isLast != true || rows.storageClass(column) != .text {
            guard let name = rows.carryableText(column) else { return nil }
            unit = (type, name, types.types[type].measure.conversion(from: name))
        }
        guard let value = unit?.conversion?(number), value.isFinite else { return nil }
        return value + 0
    }
}

/// Reads sources and devices of records. There are few of them.
struct MakerReader: ~Copyable {
    private(set) var sources = DaySources()
    private var revisions: Statement
    private var devices: Statement
    private var knownRevisions: [Int64: (source: Int, product: DayRecord.Maker.Device?)] = [:]
    private var knownDevices: [Int64: DayRecord.Maker.Device?] = [:]

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        let revisions = try connection.prepare(SourceColumn.sql)
        let devices = try connection.prepare("SELECT model FROM hk_devices WHERE id = ?1")
        self.revisions = revisions
        self.devices = devices
    }

    /// Reads the source of a revision, and the maker of the record: by the device, else by the product.
    mutating func read(source: Int64?, device: Int64?) throws(ArchiveError) -> (
        source: Int, device: DayRecord.Maker.Device
    ) {
        let revision = try revision(source)
        let model = try model(device)
        return (revision.source, model ?? revision.product ?? .unknown)
    }

    private mutating func revision(_ id: Int64?) throws(ArchiveError) -> (
        source: Int, product: DayRecord.Maker.Device?
    ) {
        guard let id else { return (sources.number(of: DaySource()), nil) }
        if let known = knownRevisions[id] { return known }
        var source = DaySource()
        var product: DayRecord.Maker.Device?
        revisions.bind(1, id)
        if try revisions.step() {
            source.bundle = revisions.carryableText(Int32(SourceColumn.bundleIdentifier.rawValue))
            source.nameHash = revisions.carryableText(Int32(SourceColumn.sourceNameHash.rawValue))
            product = Self.device(revisions.carryableText(Int32(SourceColumn.productType.rawValue)))
        }
        revisions.reset()
        let found = (sources.number(of: source), product)
        knownRevisions[id] = found
        return found
    }

    private mutating func model(_ id: Int64?) throws(ArchiveError) -> DayRecord.Maker.Device? {
        guard let id else { return nil }
        if let known = knownDevices[id] { return known }
        devices.bind(1, id)
        let found = try devices.step() ? Self.device(devices.carryableText(0)) : nil
        devices.reset()
        knownDevices[id] = .some(found)
        return found
    }

    /// Returns the device whose name a model or a product begins with.
    private static func device(_ text: [UInt8]?) -> DayRecord.Maker.Device? {
        guard let text else { return nil }
        if text.starts(with: "Watch".utf8) { return .watch }
        return text.starts(with: "iPhone".utf8) || text.starts(with: "iPod".utf8) ? .phone : nil
    }
}
