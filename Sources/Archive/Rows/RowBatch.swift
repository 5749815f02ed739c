package import Bytes
internal import SQLite

/// Records and their details on the way from the archive to whoever writes them: about as many as fill one frame.
///
/// One buffer holds all bytes; everything else is ranges of it. A batch is a plain value, so that it can go to
/// another thread.
///
///     rows       packed columns of sample, version and range          RecordColumn
///     details    ranges, events, relationships of a row, in order     VisibilityColumn, EventColumn,
///                                                                     RelationshipColumn
///     provenance sources, devices and metadata that rows point to     SourceColumn, DeviceColumn, MetadataColumn
public struct RowBatch: Sendable {
    /// The kind of an item.
    public enum Kind: UInt8, Sendable {
        case record = 0, sample = 1, version = 2
        // Changes; the row is that of the leading version.
        case appeared = 3, disappeared = 4, representationChanged = 5
        /// A change of a relationship; the row is that of its source's sample, without a version.
        case link = 6

        /// `true` if it is a change, of a record or of a relationship.
        public var isChange: Bool { rawValue >= Kind.appeared.rawValue }

        /// The kind of the row of a change.
        package init(of change: ChangeKind) {
            self =
                switch change {
                case .appeared: .appeared
                case .disappeared: .disappeared
                case .representationChanged: .representationChanged
                }
        }
    }

    /// One item's row.
    public struct Row: Sendable {
        public let kind: Kind
        fileprivate let front: SortKey
        /// `samples.id`.
        public var sampleID: Int64 { front.sampleID }
        /// `sample_versions.id`, or what the range names where there is no such row.
        public var versionID: Int64? { front.versionID }
        /// Index into the types of the export's context; −1 where the sample names a type that does not exist.
        public let type: Int
        /// Index into `provenance`; nil when the column is NULL, negative when there is no such row.
        public let source: Int?
        public let device: Int?
        public let metadata: Int?
        /// Indices into `details`.
        public fileprivate(set) var details: Range<Int>
        /// The other version of a change that has two.
        public fileprivate(set) var other: Other? = nil
    }

    /// The version after, of a change of representation.
    public struct Other: Sendable {
        fileprivate let front: SortKey
        /// Indices into `provenance`, as in `Row`.
        public let source, device, metadata: Int?
    }

    /// A row of a table that has several per item.
    public struct Detail: Sendable {
        public enum Kind: Sendable { case visibility, event, relationship }
        public let kind: Kind
        /// The index at which its packed values begin.
        public let start: Int
        /// Index into `provenance`, as in `Row`.
        public let metadata: Int?
    }

    /// The bytes that everything is ranges of.
    public private(set) var bytes: [UInt8] = []
    /// The items, in bundle order.
    public private(set) var rows: [Row] = []
    /// Details of all rows, in order.
    public private(set) var details: [Detail] = []
    private var provenance: [Int] = []

    /// Marks a reference to a row that does not exist.
    public static let missing = -1

    /// Reads the values of a row's columns into a reused array.
    public func read(_ row: Row, into values: inout [PackedValue]) {
        _ = read(row.front, into: &values, common: Span())
    }

    /// Reads the same if the array holds the values of another row.
    ///
    /// - Parameter common: the packed common columns of that row (`RecordColumn.isCommon`). Where this row has the
    ///   same, their values stay as they are; texts among them are then places in what held that row.
    /// - Returns: where this row's common columns stand; nil where they are the same.
    package func read(_ row: Row, into values: inout [PackedValue], common: borrowing ByteBuffer) -> Range<Int>? {
        read(row.front, into: &values, common: common.span)
    }

    /// Reads the values of a change's other version into a reused array.
    public func read(_ other: Other, into values: inout [PackedValue]) {
        _ = read(other.front, into: &values, common: Span())
    }

    @inline(__always)
    private func read(_ front: SortKey, into values: inout [PackedValue], common: Span<UInt8>) -> Range<Int>? {
        if values.count != RecordColumn.count { values = [PackedValue](repeating: .null, count: RecordColumn.count) }
        let bytes = bytes.span
        var target = values.mutableSpan
        var position = front.end
        for column in 0..<RecordColumn.common.lowerBound {
            target[column] = PackedValue.read(bytes, at: &position, front: front)
        }
        let start = position
        // Packed values tell where they end: what begins with the same bytes is the same columns.
        let isSame =
            common.count > 0 && bytes.count - start >= common.count
            && bytes.extracting(start..<start + common.count).isSame(as: common)
        if isSame {
            position += common.count
        } else {
            for column in RecordColumn.common { target[column] = PackedValue.read(bytes, at: &position, front: front) }
        }
        let end = position
        for column in RecordColumn.common.upperBound..<RecordColumn.count {
            target[column] = PackedValue.read(bytes, at: &position, front: front)
        }
        return isSame ? nil : start..<end
    }

    /// Returns the details of a row, in order.
    public func details(of row: Row) -> ArraySlice<Detail> { details[row.details] }

    /// Returns the packed value at a position, which moves behind it.
    public func next(_ position: inout Int) -> PackedValue { PackedValue.read(bytes.span, at: &position) }

    /// Number of source, device and metadata rows.
    public var provenanceCount: Int { provenance.count }

    /// Returns the values of a detail.
    public func values(of detail: Detail, count: Int) -> [PackedValue] {
        var position = detail.start
        return (0..<count).map { _ in PackedValue.read(bytes.span, at: &position) }
    }

    /// Returns the values of a source, device or metadata row.
    public func provenanceValues(_ index: Int, count: Int) -> [PackedValue] {
        var position = provenance[index]
        return (0..<count).map { _ in PackedValue.read(bytes.span, at: &position) }
    }

    // MARK: Filling

    init() {
        bytes.reserveCapacity(5 << 16)
        rows.reserveCapacity(1280)
    }

    /// The references of a row.
    struct Links {
        let type, source, device, metadata: Int64?
        let version: PackedValue
        let isRelated: Bool
        /// The index at which the packed range begins.
        let range: Int
    }

    /// Returns the references of the row after `front`. References that are no integers lead nowhere.
    func links(_ front: borrowing SortKey) -> Links {
        let bytes = bytes.span
        var position = front.end
        func next() -> PackedValue { PackedValue.read(bytes, at: &position, front: front) }
        func nextID() -> Int64? { if case .integer(let id) = next() { id } else { nil } }
        // In the order of the columns.
        return Links(
            type: nextID(), source: nextID(), device: nextID(), metadata: nextID(), version: next(),
            isRelated: nextID() == 1, range: position)
    }

    /// Returns the sample's id as the row behind `front` has it, whatever its storage class.
    func sampleID(_ front: SortKey) -> PackedValue {
        var values: [PackedValue] = []
        _ = read(front, into: &values, common: Span())
        return values[RecordColumn.sampleID.rawValue]
    }

    /// The same of the last row.
    var lastSampleID: PackedValue { rows.last.map { sampleID($0.front) } ?? .null }

    /// Returns `true` if two stored values are the same.
    func isSame(_ left: PackedValue, _ right: PackedValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)),
            (.hash(let left), .hash(let right)):
            bytes[left].elementsEqual(bytes[right])
        default: left == right
        }
    }

    /// Returns a stored value as a parameter that finds it again.
    func parameter(_ value: PackedValue) -> Parameter {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let range): .text(String(decoding: bytes[range], as: UTF8.self))
        case .hash(let range): .text(Hexadecimal.text(bytes[range]))
        case .blob(let range): .bytes(Array(bytes[range]))
        }
    }

    /// Adds bytes that a detail is going to point into; returns where they begin.
    mutating func addBytes(_ packed: Span<UInt8>) -> Int {
        append(packed)
        return bytes.count - packed.count
    }

    /// Adds a row that stands behind `front`. Its first detail is the range that is packed at `range`, where it has
    /// one.
    mutating func addRow(_ front: SortKey, type: Int, source: Int?, device: Int?, metadata: Int?, range: Int?) {
        let first = details.count
        if let range { details.append(Detail(kind: .visibility, start: range, metadata: nil)) }
        rows.append(
            Row(
                kind: Kind(rawValue: front.kind)!, front: front, type: type, source: source, device: device,
                metadata: metadata, details: first..<details.count))
    }

    /// Gives the last row its other version, which stands behind `front`.
    mutating func setOther(_ front: SortKey, source: Int?, device: Int?, metadata: Int?) {
        rows[rows.count - 1].other = Other(front: front, source: source, device: device, metadata: metadata)
    }

    /// Adds the range that is packed among a row's columns to the last row.
    mutating func addRange(at start: Int) { addDetail(.visibility, at: start) }

    mutating func addDetail(_ kind: Detail.Kind, at start: Int, metadata: Int? = nil) {
        details.append(Detail(kind: kind, start: start, metadata: metadata))
        rows[rows.count - 1].details = rows[rows.count - 1].details.lowerBound..<details.count
    }

    /// Adds a detail that is packed at a position, which moves behind it.
    mutating func addDetail(_ kind: Detail.Kind, at position: inout Int, count: Int) {
        addDetail(kind, at: position)
        for _ in 0..<count { _ = next(&position) }
    }

    mutating func addDetail(_ kind: Detail.Kind, _ statement: borrowing Statement, metadata: Int? = nil) {
        let start = bytes.count
        statement.appendPacked(to: &bytes)
        addDetail(kind, at: start, metadata: metadata)
    }

    /// Takes the last row's details from `start` on away again.
    mutating func removeDetails(from start: Int) {
        details.removeSubrange(start...)
        rows[rows.count - 1].details = rows[rows.count - 1].details.lowerBound..<start
    }

    mutating func addProvenance(_ packed: Span<UInt8>) -> Int {
        provenance.append(bytes.count)
        append(packed)
        return provenance.count - 1
    }

    private mutating func append(_ packed: Span<UInt8>) {
        unsafe packed.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
