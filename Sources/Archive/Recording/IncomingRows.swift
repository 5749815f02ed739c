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
    }

    private struct Text {
        let start: Int
        let count: Int
    }

    private var rows: [Row] = []
    private var ids = RowIDs(types: [], revisions: [], devices: [], metadata: [])
    private var texts: [Text] = []
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
    private var capacity = 1 << 20
    private var used = 0
    private var bytesStart = 0

    deinit { unsafe memory.deallocate() }

    /// Number of rows.
    var count: Int { rows.count }

    /// Forgets the rows, and prepares for those of a page.
    func start(_ page: borrowing CapturePage, _ ids: RowIDs) {
        rows.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        self.ids = ids
        let size = page.bytes.count + page.texts.reduce(0) { $0 + $1.count } + page.samples.count * 4 * 64
        if size > capacity {
            unsafe memory.deallocate()
            capacity = size * 2
            unsafe memory = .allocate(byteCount: capacity, alignment: 16)
        }
        used = 0
        bytesStart = append(page.bytes)
        for text in page.texts { texts.append(Text(start: append(text), count: text.count)) }
    }

    /// Adds a sample that is new.
    func add(_ sample: CapturePage.Sample, fingerprint: Digest, id: Int64, version: Int64, evidence: RunFacts.Mode) {
        rows.append(Row(sample: sample, id: id, version: version, fingerprint: fingerprint, evidence: evidence))
    }

    private func append(_ bytes: [UInt8]) -> Int {
        let start = used
        unsafe bytes.withUnsafeBytes { if let base = $0.baseAddress { unsafe (memory + start).copyMemory(from: base, byteCount: $0.count) } }
        used += bytes.count
        return start
    }

    // MARK: Values

    private func put(_ index: Int, _ column: Int32, _ context: OpaquePointer) {
        let row = rows[index]
        let sample = row.sample
        switch Column(rawValue: column) {
        case .number: unsafe sqlite3_result_int64(context, Int64(index))
        case .id: unsafe sqlite3_result_int64(context, row.id)
        case .version: unsafe sqlite3_result_int64(context, row.version)
        case .type: unsafe sqlite3_result_int64(context, ids.types[sample.type])
        case .uuid: unsafe put(sample.uuidHash, index, 0, context)
        case .fingerprint: unsafe put(row.fingerprint, index, 1, context)
        case .semantic: unsafe put(sample.semanticFingerprint, index, 2, context)
        case .fuzzy: unsafe put(Text(start: bytesStart + sample.fuzzyKey.lowerBound, count: sample.fuzzyKey.count), context)
        case .payload: unsafe put(sample.payloadHash, index, 3, context)
        case .start: unsafe sqlite3_result_double(context, sample.startDate)
        case .end: unsafe sqlite3_result_double(context, sample.endDate)
        case .kind: if sample.valueKind >= 0 { unsafe put(texts[sample.valueKind], context) }
        case .value: if let value = sample.numericValue { unsafe sqlite3_result_double(context, value) }
        case .unit: if sample.unit >= 0 { unsafe put(texts[sample.unit], context) }
        case .category: if let value = sample.categoryValue { unsafe sqlite3_result_int64(context, value) }
        case .activity: if let value = sample.workoutActivityType { unsafe sqlite3_result_int64(context, value) }
        case .duration: if let value = sample.durationSeconds { unsafe sqlite3_result_double(context, value) }
        case .source: if sample.source >= 0 { unsafe sqlite3_result_int64(context, ids.revisions[sample.source]) }
        case .device: if sample.device >= 0 { unsafe sqlite3_result_int64(context, ids.devices[sample.device]) }
        case .metadata: if sample.metadata >= 0 { unsafe sqlite3_result_int64(context, ids.metadata[sample.metadata]) }
        case .evidence: unsafe sqlite3_result_text(context, row.evidence == .fullScan ? "full_scan" : "anchored_query", -1, hp_sqlite_transient())
        case nil: break
        }
    }

    /// A digest's hex digits have a place of their own behind the texts.
    private func put(_ digest: Digest?, _ index: Int, _ slot: Int, _ context: OpaquePointer) {
        guard let digest else { return }
        let digits = digest.digits
        let place = used + (index * 4 + slot) * 64
        let span = digits.span
        unsafe span.withUnsafeBytes { unsafe (memory + place).copyMemory(from: $0.baseAddress!, byteCount: 64) }
        unsafe put(Text(start: place, count: 64), context)
    }

    private func put(_ text: Text, _ context: OpaquePointer) {
        unsafe sqlite3_result_text(context, (memory + text.start).assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
    }

    // MARK: The virtual table

    @unsafe private struct Table {
        // SQLite's part comes first (manual, "The Virtual Table Mechanism of SQLite").
        var base: sqlite3_vtab
        let rows: Unmanaged<IncomingRows>
    }

    @unsafe private struct Cursor {
        var base: sqlite3_vtab_cursor
        let rows: Unmanaged<IncomingRows>
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
            unsafe cursor.initialize(to: Cursor(base: sqlite3_vtab_cursor(), rows: rows, index: 0))
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
            return unsafe cursor.pointee.index >= cursor.pointee.rows._withUnsafeGuaranteedRef { $0.rows.count } ? 1 : 0
        }
        unsafe module.pointee.xColumn = { cursor, context, column in
            let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
            let index = unsafe cursor.pointee.index
            unsafe cursor.pointee.rows._withUnsafeGuaranteedRef { unsafe $0.put(index, column, context!) }
            return SQLITE_OK
        }
        unsafe module.pointee.xRowid = { cursor, rowid in
            unsafe rowid!.pointee = Int64(UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self).pointee.index)
            return SQLITE_OK
        }
        return unsafe module
    }()
}
