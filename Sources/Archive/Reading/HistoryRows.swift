internal import Bytes
internal import Files
internal import SQLite

/// The rows of a whole history. Each brings its ranges and events along (`HistoryDetails`).
///
/// Ranges and events are read beside the rows, all three in the order of samples, each once from front to back. Looked
/// up one by one in the order of the bundle they would cost more than everything else.
final class HistoryRows: RowFeed {
    /// Everything, or what lies between two ids of samples.
    private var part: HistoryPart
    /// The part for the last slice, which has no end.
    private var rest: HistoryPart?
    private var lookups: HistoryLookups
    private var packer: RowPacker

    let path: Path

    /// - Parameter isSliced: whether slices are going to be asked for.
    init(_ connection: borrowing Connection, _ query: RecordQuery, _ packer: RowPacker, isSliced: Bool)
        throws(ArchiveError)
    {
        let history = HistoryQuery(query: query)
        let part = try HistoryPart(connection, history, isSliced ? .between : .all)
        let rest = isSliced ? try HistoryPart(connection, history, .from) : nil
        let lookups = try HistoryLookups(connection, history)
        path = part.rows.path
        self.part = part
        self.rest = rest
        self.lookups = lookups
        self.packer = packer
    }

    func add(_ slice: RowSlices.Slice?, to sorter: inout RowSorter, as form: SortKey.Form) throws(ArchiveError) -> Bool
    {
        guard let slice else { return try add(&part, [], to: &sorter, as: form) }
        // Below every integer there may be other numbers, and behind the last one texts.
        let start: Parameter = slice.isFirst ? .real(-.infinity) : .integer(slice.ids.lowerBound)
        guard slice.isLast else {
            return try add(&part, [start, .integer(slice.ids.upperBound + 1)], to: &sorter, as: form)
        }
        return try add(&rest!, [start], to: &sorter, as: form)
    }

    private func add(
        _ part: inout HistoryPart, _ bounds: [Parameter], to sorter: inout RowSorter, as form: SortKey.Form
    ) throws(ArchiveError) -> Bool {
        try part.start(bounds)
        var row = ByteBuffer(capacity: 4096)
        var details = ByteBuffer()
        var last: StoredID?
        while try part.rows.step() {
            let sample = StoredID(part.rows, Int32(RecordColumn.sampleID.rawValue))
            let version = StoredID(part.rows, Int32(RecordColumn.versionID.rawValue))
            if sample != last, version != .absent, lookups.hasSamples {
                try lookups.findSample(sample)
                while try lookups.sample.step() {
                    guard packer.pack(lookups.sample, as: form, into: &row) else { return false }
                    try find(sample, .absent, in: &part, into: &details)
                    try sorter.add(row.span, companion: details.span)
                }
            }
            last = sample
            guard packer.pack(part.rows, as: form, into: &row) else { return false }
            try find(sample, version, in: &part, into: &details)
            try sorter.add(row.span, companion: details.span)
        }
        return true
    }

    /// Puts the ranges and events of an item in place of what `details` holds.
    private func find(
        _ sample: StoredID, _ version: StoredID, in part: inout HistoryPart, into details: inout ByteBuffer
    ) throws(ArchiveError) {
        if try part.details(of: sample, version, into: &details) { return }
        try lookups.details(of: sample, version, into: &details)
    }
}

/// The form of the ranges and events that follow a row of a history. It has the number of ranges and the number of
/// events (4 bytes each, little-endian), then the packed values of `VisibilityColumn` and of `EventColumn`.
enum HistoryDetails {
    static let headSize = 8

    static func appendHead(_ ranges: Int, _ events: Int, to bytes: inout ByteBuffer) {
        bytes.append(lowBytesOf: UInt64(ranges), count: 4)
        bytes.append(lowBytesOf: UInt64(events), count: 4)
    }

    /// Returns the number of ranges and of events that follow.
    static func counts(_ bytes: Span<UInt8>) -> (ranges: Int, events: Int) {
        func count(_ start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) } }
        return (count(0), count(4))
    }
}

/// The statements that go through samples in their order.
private struct HistoryPart: ~Copyable {
    var rows: Statement
    private var ranges: DetailCursor
    private var events: DetailCursor
    private let parameters: [Parameter]

    init(_ connection: borrowing Connection, _ query: HistoryQuery, _ samples: HistoryQuery.Samples)
        throws(ArchiveError)
    {
        let history = query.history(samples)
        let rows = try connection.prepare(history.sql)
        let ranges = try connection.prepare(query.ranges(samples))
        let events = try connection.prepare(query.events(samples))
        self.rows = rows
        self.ranges = DetailCursor(ranges, columnCount: VisibilityColumn.allCases.count, order: nil)
        self.events = DetailCursor(
            events, columnCount: EventColumn.allCases.count, order: Int32(EventColumn.observationID.rawValue))
        parameters = history.parameters
    }

    mutating func start(_ bounds: [Parameter]) throws(ArchiveError) {
        rows.reset()
        try rows.bind(bounds + parameters)
        try ranges.start(bounds)
        try events.start(bounds)
    }

    /// Puts the ranges and events of an item in place of what `bytes` holds; false where they have to be looked up.
    mutating func details(of sample: StoredID, _ version: StoredID, into bytes: inout ByteBuffer) throws(ArchiveError)
        -> Bool
    {
        let wanted: Int64?
        switch version {
        case .absent: wanted = nil
        case .integer(let id): wanted = id
        default: return false
        }
        guard case .integer(let id) = sample, try ranges.load(id), try events.load(id),
            let (rangeCount, eventCount) = ranges.count(wanted).flatMap({ ranges in
                events.count(wanted).map { (ranges, $0) }
            })
        else { return false }
        bytes.removeAll()
        HistoryDetails.appendHead(rangeCount, eventCount, to: &bytes)
        ranges.append(wanted, to: &bytes)
        events.append(wanted, to: &bytes)
        return true
    }
}

/// Reads the ranges or the events of one sample after the other.
private struct DetailCursor: ~Copyable {
    private struct Entry {
        let version: Int64?
        let bytes: Range<Int>
        /// The value that they are ordered by, if something else decides between equal ones.
        let order: Double?
    }

    private var statement: Statement
    private let columnCount: Int32
    private let orderColumn: Int32?
    /// `true` if the statement is at a row that was not taken; `nil` before the first.
    private var isAtRow: Bool?
    private var sample: Int64?
    private var entries: [Entry] = []
    private var bytes = ByteBuffer()
    /// `true` if a version is named by something else than an integer.
    private var hasOtherVersions = false

    /// - Parameters:
    ///   - statement: its last two columns are sample and version.
    ///   - order: the column by which rows of a version are ordered. Where two are alike, nothing is told of them.
    init(_ statement: consuming Statement, columnCount: Int, order: Int32?) {
        self.statement = statement
        self.columnCount = Int32(columnCount)
        orderColumn = order
    }

    mutating func start(_ bounds: [Parameter]) throws(ArchiveError) {
        statement.reset()
        try statement.bind(bounds)
        (isAtRow, sample) = (nil, nil)
        removeAll()
    }

    private mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll()
        hasOtherVersions = false
    }

    /// Reads what there is of a sample; false where that was passed already.
    mutating func load(_ id: Int64) throws(ArchiveError) -> Bool {
        if sample == id { return true }
        guard sample.map({ $0 < id }) ?? true else { return false }
        sample = id
        removeAll()
        if isAtRow == nil { isAtRow = try statement.step() }
        while isAtRow == true, let owner = statement.exactInteger(columnCount), owner <= id {
            if owner == id { add() }
            isAtRow = try statement.step()
        }
        return true
    }

    private mutating func add() {
        let start = bytes.count
        statement.appendPacked(columnCount, to: &bytes)
        let version = columnCount + 1
        let order = orderColumn.flatMap { statement.real($0) }
        let id = statement.exactInteger(version)
        if id == nil, !statement.isNull(version) { hasOtherVersions = true }
        entries.append(Entry(version: id, bytes: start..<bytes.count, order: order))
    }

    /// Returns how many name a version, or none; `nil` if that number, or their order, has to be looked up.
    func count(_ version: Int64?) -> Int? {
        guard !hasOtherVersions else { return nil }
        var count = 0
        var last: Double?
        for entry in entries where entry.version == version {
            if count > 0, orderColumn != nil, entry.order == last { return nil }
            last = entry.order
            count += 1
        }
        return count
    }

    /// Appends those.
    func append(_ version: Int64?, to other: inout ByteBuffer) {
        let bytes = bytes.span
        for entry in entries where entry.version == version { other.append(copying: bytes.extracting(entry.bytes)) }
    }
}

/// Finds one item's rows by their ids, whatever these are.
private struct HistoryLookups: ~Copyable {
    /// The row of a sample.
    var sample: Statement
    /// `true` if samples have items.
    let hasSamples: Bool
    private var ranges: Statement
    private var events: Statement
    private var bytes = ByteBuffer()

    init(_ connection: borrowing Connection, _ query: HistoryQuery) throws(ArchiveError) {
        let sampleRow = query.sampleWithoutRow()
        let sample = try connection.prepare(sampleRow ?? "SELECT 1 WHERE 0 AND ?1")
        let ranges = try connection.prepare(query.rangesOfItem)
        let events = try connection.prepare(query.query.events(inFullOrder: true))
        self.sample = sample
        self.ranges = ranges
        self.events = events
        hasSamples = sampleRow != nil
    }

    mutating func findSample(_ id: StoredID) throws(ArchiveError) {
        sample.reset()
        id.bind(to: &sample, at: 1)
    }

    /// Puts the ranges and events of an item in place of what `details` holds.
    mutating func details(of sample: StoredID, _ version: StoredID, into details: inout ByteBuffer) throws(ArchiveError)
    {
        bytes.removeAll()
        let rangeCount = try Self.append(&ranges, sample, version, to: &bytes)
        let eventCount = try Self.append(&events, sample, version, to: &bytes)
        details.removeAll()
        HistoryDetails.appendHead(rangeCount, eventCount, to: &details)
        details.append(copying: bytes.span)
    }

    private static func append(
        _ statement: inout Statement, _ sample: StoredID, _ version: StoredID, to bytes: inout ByteBuffer
    ) throws(ArchiveError) -> Int {
        statement.reset()
        sample.bind(to: &statement, at: 1)
        version.bind(to: &statement, at: 2)
        var count = 0
        while try statement.step() {
            statement.appendPacked(Int32(statement.columnCount), to: &bytes)
            count += 1
        }
        return count
    }
}

extension StoredID {
    /// Binds the id as a parameter that finds it again.
    fileprivate func bind(to statement: inout Statement, at position: Int32) {
        switch self {
        case .absent: statement.bindNull(position)
        case .integer(let integer): statement.bind(position, integer)
        case .real(let bits): statement.bind(position, Double(bitPattern: bits))
        case .bytes(let content, isText: true): statement.bind(position, text: content.span)
        case .bytes(let content, isText: false): statement.bind(position, blob: content)
        }
    }
}

/// The SQL of a whole history: of each sample that is known an item, and one of each version that a row, a range or an
/// event names, with their ranges and events.
///
/// The statements go through samples by their ids, so that what belongs to one is read together, and several
/// connections can each take a slice of the ids. Ids need not be integers, and what they name need not exist.
struct HistoryQuery {
    /// The query that is asked.
    let query: RecordQuery

    /// The samples that a statement is about.
    enum Samples {
        case all
        /// Those with an id from ?1 on, whatever its storage class.
        case from
        /// Those with an id from ?1 up to, without it, ?2.
        case between
    }

    /// Returns the rows of samples and versions in the order of their samples. That of a sample without a version is
    /// first if it is known; `sampleWithoutRow` is for the others. Parameters of the filter follow those of the slice.
    func history(_ samples: Samples) -> (sql: String, parameters: [Parameter]) {
        var pairs = query.namedVersions { column in selects(column, samples) }
        if query.hasAllSamples {
            pairs.insert(
                "SELECT id AS sample_id, NULL AS version_id FROM samples WHERE \(selects("id", samples)) "
                    + "AND \(query.isKnown("+first_seen_observation_id"))", at: 0)
        }
        let source = RecordSource(
            kind: "CASE WHEN p.version_id IS NULL THEN \(RowBatch.Kind.sample.rawValue) "
                + "ELSE \(RowBatch.Kind.version.rawValue) END",
            sampleID: "p.sample_id", versionID: "p.version_id", place: "0", placeRow: "0")
        // The filter is looked up in a query of its own: it must not become a reason to read in another order.
        let (conditions, parameters) = query.selection()
        let isSelected = """
             WHERE EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id WHERE 1\(conditions))
            """
        let isFiltered = query.scope.filter.isByVersion
        let sql = """
            SELECT \(source.sql) FROM (\(pairs.joined(separator: " UNION ")) ORDER BY 1, 2) p \
            LEFT JOIN samples s ON s.id = p.sample_id LEFT JOIN sample_versions v ON v.id = p.version_id\
            \(isFiltered ? isSelected : "")
            """
        return (sql, isFiltered ? parameters : [])
    }

    /// Returns the row of sample ?1, if the history has versions of it alone; `nil` if samples have no items.
    ///
    /// It has no version: no id equals NULL, which a look into the index finds at once.
    func sampleWithoutRow() -> String? {
        guard !query.scope.isOfVersions else { return nil }
        return """
            SELECT \(query.columns(of: .sample)) FROM (SELECT ?1 AS sample_id) p \
            LEFT JOIN samples s ON s.id = p.sample_id LEFT JOIN sample_versions v ON v.id = NULL
            """
    }

    /// Returns a condition on a sample's id: it is in the slice, and of a type of the filter.
    private func selects(_ column: String, _ samples: Samples) -> String {
        let slice =
            switch samples {
            case .all: "1"
            case .from: "\(column) >= ?1"
            case .between: "\(column) >= ?1 AND \(column) < ?2"
            }
        guard let typeIDs = query.typeIDs else { return slice }
        return "\(slice) AND \(column) IN (SELECT id FROM samples "
            + "WHERE sample_type_id IN (\(typeIDs.map(String.init).joined(separator: ","))))"
    }

    // MARK: Ranges and events

    /// Behind the columns of a range or an event: its sample and version.
    private static let owner = ", sample_id, version_id"

    /// Ranges of samples with integers as ids, as `VisibilityColumn`, then sample and version, in their order.
    func ranges(_ samples: Samples) -> String {
        """
        SELECT \(visibility)\(Self.owner) FROM sample_visibility_ranges WHERE \(selects("sample_id", samples))
            AND typeof(sample_id) = 'integer' AND \(query.isKnown("+first_observation_id")) \
        ORDER BY sample_id, version_id, first_observation_id, rowid
        """
    }

    /// Events of samples with integers as ids, as `EventColumn`, then sample and version, in the order of samples and
    /// observations.
    func events(_ samples: Samples) -> String {
        """
        SELECT \(RecordQuery.eventColumns)\(Self.owner) FROM sample_observation_events \
        WHERE \(selects("sample_id", samples)) AND typeof(sample_id) = 'integer'
            AND \(query.isKnown("+observation_id")) ORDER BY sample_id, observation_id
        """
    }

    /// The ranges of sample ?1 that name version ?2 (or none, where ?2 is NULL), as `VisibilityColumn`.
    var rangesOfItem: String {
        """
        SELECT \(visibility) FROM sample_visibility_ranges WHERE sample_id = ?1 AND version_id IS ?2
            AND \(query.isKnown("first_observation_id")) ORDER BY first_observation_id, rowid
        """
    }

    /// A range as it stands at the scope's observation.
    private var visibility: String {
        """
        first_observation_id, first_seen_at, CASE WHEN last_observation_id <= \(query.scope.observationID) THEN
            last_observation_id END, CASE WHEN last_observation_id <= \(query.scope.observationID) THEN last_seen_at END
        """
    }
}
