internal import Manifest
internal import SQLite

/// New samples of a page as a table that SQL can read: `hp_incoming`, a virtual table of one connection.
///
/// An `INSERT … SELECT` from it writes a page in one statement for each table whose indexes grow at their ends.
/// Starting and ending a statement for each row, and copying each text to bind it, would cost more than writing the
/// rows. The samples are not among these tables: SQLite keeps a copy of each page that a statement of many rows
/// changes, and new hashes change as many pages as there are rows.
///
/// Texts lie in one piece of memory that stays where it is until the next page: SQLite reads them in place (manual,
/// `SQLITE_STATIC`).
@safe final class IncomingRows: VirtualTable {
    static let name = "hp_incoming"
    static let columns = Column.allCases.map { "\($0)" }

    /// The columns of `hp_incoming`.
    private enum Column: Int, CaseIterable {
        case number, id, version, type, fingerprint, payload, start, end, kind, value, unit,
            category, activity, duration, source, device, metadata, evidence
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
        let valueKind: Text?
        let unit: Text?
    }

    private struct Text {
        let start: Int
        let count: Int
    }

    /// Everything that SQLite's calls read. It stands behind a pointer: they are many, and each look at a property
    /// of a class is checked for overlapping ones.
    @unsafe private struct Storage {
        var rows: UnsafeMutablePointer<Row>
        var count = 0
        var rowCapacity: Int
        var memory: UnsafeMutableRawPointer
        var capacity: Int
        /// The index at which the places of digests begin.
        var used = 0
    }

    private let storage: UnsafeMutablePointer<Storage>
    private var ids = RowIDs(types: [], revisions: [], devices: [], metadata: [])
    private var texts: [Text] = []

    init() {
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(
            to: Storage(
                rows: .allocate(capacity: 4096), rowCapacity: 4096,
                memory: .allocate(byteCount: 1 << 20, alignment: 16), capacity: 1 << 20))
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
        let size = page.texts.reduce(0) { $0 + $1.count } + page.samples.count * Self.digestBytes
        if unsafe size > storage.pointee.capacity {
            unsafe storage.pointee.memory.deallocate()
            unsafe storage.pointee.capacity = size * 2
            unsafe storage.pointee.memory = .allocate(byteCount: size * 2, alignment: 16)
        }
        unsafe storage.pointee.used = 0
        for text in page.texts { texts.append(Text(start: append(text), count: text.count)) }
    }

    /// Adds a sample that is new.
    func add(_ sample: CapturePage.Sample, fingerprint: Digest, id: Int64, version: Int64, evidence: RunFacts.Mode) {
        let row = Row(
            sample: sample, id: id, version: version, fingerprint: fingerprint, evidence: evidence,
            type: ids.types[sample.type], revision: sample.source >= 0 ? ids.revisions[sample.source] : nil,
            device: sample.device >= 0 ? ids.devices[sample.device] : nil,
            metadata: sample.metadata >= 0 ? ids.metadata[sample.metadata] : nil,
            valueKind: sample.valueKind >= 0 ? texts[sample.valueKind] : nil,
            unit: sample.unit >= 0 ? texts[sample.unit] : nil)
        precondition(
            unsafe storage.pointee.count < storage.pointee.rowCapacity,
            "a page has no more new samples than samples")
        unsafe (storage.pointee.rows + storage.pointee.count).initialize(to: row)
        unsafe storage.pointee.count += 1
    }

    /// Returns the payload hash of a row.
    func payload(_ number: Int) -> Digest { unsafe storage.pointee.rows[number].sample.payloadHash }

    /// Forgets the rows; those that come are of the same page.
    func removeAll() { unsafe storage.pointee.count = 0 }

    private func append(_ bytes: [UInt8]) -> Int {
        let start = unsafe storage.pointee.used
        unsafe bytes.withUnsafeBytes {
            if let base = $0.baseAddress {
                unsafe (storage.pointee.memory + start).copyMemory(from: base, byteCount: $0.count)
            }
        }
        unsafe storage.pointee.used += bytes.count
        return start
    }

    // MARK: Values

    private static let digestBytes = 2 * 64

    func give(_ column: Int, of index: Int, to result: SQLiteResult) {
        let row = unsafe storage.pointee.rows + index
        switch Column(rawValue: column) {
        case .number: result.set(Int64(index))
        case .id: unsafe result.set(row.pointee.id)
        case .version: unsafe result.set(row.pointee.version)
        case .type: unsafe result.set(row.pointee.type)
        case .fingerprint: unsafe put(row.pointee.fingerprint, index, 0, result)
        case .payload: unsafe put(row.pointee.sample.payloadHash, index, 1, result)
        case .start: unsafe result.set(row.pointee.sample.startDate)
        case .end: unsafe result.set(row.pointee.sample.endDate)
        case .kind: if let kind = unsafe row.pointee.valueKind { put(kind, result) }
        case .value: if let value = unsafe row.pointee.sample.numericValue { result.set(value) }
        case .unit: if let unit = unsafe row.pointee.unit { put(unit, result) }
        case .category: if let value = unsafe row.pointee.sample.categoryValue { result.set(value) }
        case .activity: if let value = unsafe row.pointee.sample.workoutActivityType { result.set(value) }
        case .duration: if let value = unsafe row.pointee.sample.durationSeconds { result.set(value) }
        case .source: if let id = unsafe row.pointee.revision { result.set(id) }
        case .device: if let id = unsafe row.pointee.device { result.set(id) }
        case .metadata: if let id = unsafe row.pointee.metadata { result.set(id) }
        case .evidence: unsafe result.set(text: row.pointee.evidence == .fullScan ? "full_scan" : "anchored_query")
        case nil: break
        }
    }

    /// Puts the hex digits of a digest, which have a place of their own after the texts.
    private func put(_ digest: Digest, _ index: Int, _ slot: Int, _ result: SQLiteResult) {
        let place = unsafe storage.pointee.used + index * Self.digestBytes + slot * 64
        unsafe digest.writeHex(to: storage.pointee.memory + place)
        put(Text(start: place, count: 64), result)
    }

    private func put(_ text: Text, _ result: SQLiteResult) {
        unsafe result.set(
            textInPlace: UnsafeRawBufferPointer(start: storage.pointee.memory + text.start, count: text.count))
    }
}
