internal import CSQLite
internal import Manifest

/// New samples of a page as a table that SQL can read: `hp_incoming`, a virtual table of one connection.
///
/// An `INSERT … SELECT` from it writes a page in one statement for each table. Starting and ending a statement for each row, and copying each text to bind it,
/// would cost more than writing the rows.
///
/// Texts lie in one piece of memory that stays where it is until the next page: SQLite reads them in place (manual, `SQLITE_STATIC`).
@safe final class IncomingRows {
    /// The columns of `hp_incoming`.
    private enum Column: Int32, CaseIterable {
        case number, id, version, type, uuid, fingerprint, semantic, fuzzy, payload, start, end, kind, value, unit, category, activity, duration, source, device, metadata, evidence
    }

    private struct Row {
        let sample: CapturePage.Sample
        let id: Int64
        let version: Int64
        let fingerprint: Digest
        let evidence: RunFacts.Mode
        let type: Int64
        let revision: Int64?
        let device: Int64?
        let metadata: Int64?
        let fuzzyKey: Text
        let valueKind: Text?
        let unit: Text?
    }

    private struct Text {
        let start: Int
        let count: Int
    }

    /// Everything that SQLite's calls read. It stands behind a pointer: they are many, and each look at a property of a class is checked for overlapping ones.
    @unsafe private struct Storage {
        var rows: UnsafeMutablePointer<Row>
        var count = 0
        var rowCapacity: Int
        var memory: UnsafeMutableRawPointer
        var capacity: Int
        /// Where the places of digests begin.
        var used = 0
    }

    private let storage: UnsafeMutablePointer<Storage>
    private var ids = RowIDs(types: [], revisions: [], devices: [], metadata: [])
    private var texts: [Text] = []
    private var bytesStart = 0

    init() {
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(
            to: Storage(rows: .allocate(capacity: 4096), rowCapacity: 4096, memory: .allocate(byteCount: 1 << 20, alignment: 16), capacity: 1 << 20))
    }

    deinit {
        unsafe storage.pointee.rows.deallocate()
        unsafe storage.pointee.memory.deallocate()
        unsafe storage.deallocate()
    }

    /// Number of rows.
    var count: Int { unsafe storage.pointee.count }

    /// Forgets the rows, and prepares for those of a page.
    func start(_ page: borrowing CapturePage, _ ids: RowIDs) {
        texts.removeAll(keepingCapacity: true)
        self.ids = ids
        unsafe storage.pointee.count = 0
        if unsafe page.samples.count > storage.pointee.rowCapacity {
            unsafe storage.pointee.rows.deallocate()
            unsafe storage.pointee.rowCapacity = page.samples.count
            unsafe storage.pointee.rows = .allocate(capacity: page.samples.count)
        }
        let size = page.bytes.count + page.texts.reduce(0) { $0 + $1.count } + page.samples.count * Self.digestBytes
        if unsafe size > storage.pointee.capacity {
            unsafe storage.pointee.memory.deallocate()
            unsafe storage.pointee.capacity = size * 2
            unsafe storage.pointee.memory = .allocate(byteCount: size * 2, alignment: 16)
        }
        unsafe storage.pointee.used = 0
        bytesStart = append(page.bytes)
        for text in page.texts { texts.append(Text(start: append(text), count: text.count)) }
    }

    /// Adds a sample that is new.
    func add(_ sample: CapturePage.Sample, fingerprint: Digest, id: Int64, version: Int64, evidence: RunFacts.Mode) {
        let row = Row(
            sample: sample, id: id, version: version, fingerprint: fingerprint, evidence: evidence, type: ids.types[sample.type], revision: sample.source >= 0 ? ids.revisions[sample.source] : nil,
            device: sample.device >= 0 ? ids.devices[sample.device] : nil, metadata: sample.metadata >= 0 ? ids.metadata[sample.metadata] : nil,
            fuzzyKey: Text(start: bytesStart + sample.fuzzyKey.lowerBound, count: sample.fuzzyKey.count), valueKind: sample.valueKind >= 0 ? texts[sample.valueKind] : nil,
            unit: sample.unit >= 0 ? texts[sample.unit] : nil)
        precondition(unsafe storage.pointee.count < storage.pointee.rowCapacity, "a page has no more new samples than samples")
        unsafe (storage.pointee.rows + storage.pointee.count).initialize(to: row)
        unsafe storage.pointee.count += 1
    }

    /// The payload hash of a row.
    func payload(_ number: Int) -> Digest { unsafe storage.pointee.rows[number].sample.payloadHash }

    /// Forgets the rows; those that come are of the same page.
    func removeAll() { unsafe storage.pointee.count = 0 }

    /// Leaves rows out, by ascending numbers; those behind them get new numbers.
    func remove(_ numbers: [Int]) {
        var (kept, next) = (0, 0)
        for index in 0..<count {
            if next < numbers.count, numbers[next] == index {
                next += 1
                continue
            }
            unsafe storage.pointee.rows[kept] = storage.pointee.rows[index]
            kept += 1
        }
        unsafe storage.pointee.count = kept
    }

    private func append(_ bytes: [UInt8]) -> Int {
        let start = unsafe storage.pointee.used
        unsafe bytes.withUnsafeBytes { if let base = $0.baseAddress { unsafe (storage.pointee.memory + start).copyMemory(from: base, byteCount: $0.count) } }
        unsafe storage.pointee.used += bytes.count
        return start
    }

    // MARK: Values

    private static let digestBytes = 4 * 64

    private static func put(_ storage: UnsafeMutablePointer<Storage>, _ index: Int, _ column: Int32, _ context: OpaquePointer) {
        let row = unsafe storage.pointee.rows + index
        switch Column(rawValue: column) {
        case .number: unsafe sqlite3_result_int64(context, Int64(index))
        case .id: unsafe sqlite3_result_int64(context, row.pointee.id)
        case .version: unsafe sqlite3_result_int64(context, row.pointee.version)
        case .type: unsafe sqlite3_result_int64(context, row.pointee.type)
        case .uuid: if let uuid = unsafe row.pointee.sample.uuidHash { unsafe put(uuid, index, 0, storage, context) }
        case .fingerprint: unsafe put(row.pointee.fingerprint, index, 1, storage, context)
        case .semantic: if let semantic = unsafe row.pointee.sample.semanticFingerprint { unsafe put(semantic, index, 2, storage, context) }
        case .fuzzy: unsafe put(row.pointee.fuzzyKey, storage, context)
        case .payload: unsafe put(row.pointee.sample.payloadHash, index, 3, storage, context)
        case .start: unsafe sqlite3_result_double(context, row.pointee.sample.startDate)
        case .end: unsafe sqlite3_result_double(context, row.pointee.sample.endDate)
        case .kind: if let kind = unsafe row.pointee.valueKind { unsafe put(kind, storage, context) }
        case .value: if let value = unsafe row.pointee.sample.numericValue { unsafe sqlite3_result_double(context, value) }
        case .unit: if let unit = unsafe row.pointee.unit { unsafe put(unit, storage, context) }
        case .category: if let value = unsafe row.pointee.sample.categoryValue { unsafe sqlite3_result_int64(context, value) }
        case .activity: if let value = unsafe row.pointee.sample.workoutActivityType { unsafe sqlite3_result_int64(context, value) }
        case .duration: if let value = unsafe row.pointee.sample.durationSeconds { unsafe sqlite3_result_double(context, value) }
        case .source: if let id = unsafe row.pointee.revision { unsafe sqlite3_result_int64(context, id) }
        case .device: if let id = unsafe row.pointee.device { unsafe sqlite3_result_int64(context, id) }
        case .metadata: if let id = unsafe row.pointee.metadata { unsafe sqlite3_result_int64(context, id) }
        case .evidence: unsafe put(row.pointee.evidence == .fullScan ? "full_scan" : "anchored_query", context)
        case nil: break
        }
    }

    private static func put(_ text: StaticString, _ context: OpaquePointer) {
        unsafe sqlite3_result_text(context, UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self), Int32(text.utf8CodeUnitCount), nil)
    }

    /// A digest's hex digits have a place of their own behind the texts.
    private static func put(_ digest: Digest, _ index: Int, _ slot: Int, _ storage: UnsafeMutablePointer<Storage>, _ context: OpaquePointer) {
        let place = unsafe storage.pointee.used + index * digestBytes + slot * 64
        unsafe digest.writeHex(to: storage.pointee.memory + place)
        unsafe put(Text(start: place, count: 64), storage, context)
    }

    private static func put(_ text: Text, _ storage: UnsafeMutablePointer<Storage>, _ context: OpaquePointer) {
        unsafe sqlite3_result_text(context, (storage.pointee.memory + text.start).assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
    }

    // MARK: The virtual table

    @unsafe private struct Table {
        // SQLite's part comes first (manual, "The Virtual Table Mechanism of SQLite").
        var base: sqlite3_vtab
        let rows: Unmanaged<IncomingRows>
    }

    @unsafe private struct Cursor {
        var base: sqlite3_vtab_cursor
        let storage: UnsafeMutablePointer<Storage>
        var index: Int
    }

    /// Makes the table known to a connection, which keeps the rows alive.
    func register(_ handle: OpaquePointer) -> Bool {
        let client = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe sqlite3_create_module_v2(handle, "hp_incoming", Self.module, client, { unsafe Unmanaged<IncomingRows>.fromOpaque($0!).release() }) == SQLITE_OK
    }

    private static let declaration = "CREATE TABLE x(\(Column.allCases.map { "\"\($0)\"" }.joined(separator: ", ")))"

    // Set once and then only read, by SQLite.
    private nonisolated(unsafe) static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe module.initialize(to: sqlite3_module())
        unsafe module.pointee.xConnect = { handle, client, _, _, result, _ in
            let status = unsafe sqlite3_declare_vtab(handle, IncomingRows.declaration)
            guard status == SQLITE_OK else { return status }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            unsafe table.initialize(to: Table(base: sqlite3_vtab(), rows: Unmanaged.fromOpaque(client!)))
            unsafe result!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        unsafe module.pointee.xDisconnect = { table in
            unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).deallocate()
            return SQLITE_OK
        }
        unsafe module.pointee.xBestIndex = { _, plan in
            unsafe plan!.pointee.estimatedCost = 1000
            unsafe plan!.pointee.estimatedRows = 1000
            return SQLITE_OK
        }
        unsafe module.pointee.xOpen = { table, result in
            let rows = unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.rows
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            unsafe cursor.initialize(to: Cursor(base: sqlite3_vtab_cursor(), storage: rows._withUnsafeGuaranteedRef { unsafe $0.storage }, index: 0))
            unsafe result!.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe module.pointee.xClose = { cursor in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        unsafe module.pointee.xFilter = { cursor, _, _, _, _ in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index = 0
            return SQLITE_OK
        }
        unsafe module.pointee.xNext = { cursor in
            unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index += 1
            return SQLITE_OK
        }
        unsafe module.pointee.xEof = { cursor in
            let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
            return unsafe cursor.pointee.index >= cursor.pointee.storage.pointee.count ? 1 : 0
        }
        unsafe module.pointee.xColumn = { cursor, context, column in
            let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
            unsafe IncomingRows.put(cursor.pointee.storage, cursor.pointee.index, column, context!)
            return SQLITE_OK
        }
        unsafe module.pointee.xRowid = { cursor, rowid in
            unsafe rowid!.pointee = Int64(UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index)
            return SQLITE_OK
        }
        return unsafe module
    }()
}
