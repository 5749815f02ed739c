internal import Bytes
internal import Files
internal import Archive

/// Records in the order of a key, and within it in their own: by dates and hashes.
///
///     row         length of the key (4) │ key │ start (8) │ end (8) │ identity hash, 0 │ payload hash, 0
///     companion   the record, without the hashes
struct PairSorter: ~Copyable {
    private var rows: RowSorter
    private let texts: PairTextTable
    private var spare = ByteBuffer()
    private var spareCompanion = ByteBuffer()

    /// - Parameters:
    ///   - path: the archive's, for errors.
    ///   - texts: those of the records.
    init(of path: Path, _ texts: PairTextTable) {
        rows = RowSorter(of: path, memory: 2 << 20, fanIn: 1024)
        self.texts = texts
    }

    /// Adds a record.
    ///
    /// - Parameter longerFirst: whether the later end sorts first.
    mutating func add(_ record: PairRecord, key: borrowing ByteBuffer, longerFirst: Bool = false) throws(ArchiveError) {
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        row.append(bigEndian: UInt64(key.count), count: 4)
        row.append(copying: key.span)
        row.append(bigEndian: OrderKeyFunction.orderedBits(record.start))
        let end = OrderKeyFunction.orderedBits(record.end)
        row.append(bigEndian: longerFirst ? ~end : end)
        for text in [record.identity, record.payload] {
            row.append(copying: text.span)
            row.append(0)
        }
        companion.removeAll()
        record.append(to: &companion)
        try rows.add(row.span, companion: companion.span)
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
    }

    /// All records in order. The sorter is empty then.
    mutating func finish() throws(ArchiveError) -> PairStream {
        var stream = try PairStream(rows.finish(), texts)
        try stream.begin()
        return stream
    }
}

/// Sorted records, with a look at the key of the one after the next.
struct PairStream: ~Copyable {
    private var merge: RowMerge
    private let texts: PairTextTable
    private var row = ByteBuffer()
    private var companion = ByteBuffer()
    /// The next record and its key, with its length; nil at the end.
    private(set) var next: (key: [UInt8], record: PairRecord)?
    private var following: (key: [UInt8], record: PairRecord)?

    fileprivate init(_ runs: [RowRun], _ texts: PairTextTable) throws(ArchiveError) {
        let merge = try RowMerge(runs)
        self.merge = merge
        self.texts = texts
    }

    /// Reads ahead. Called once, before anything is read.
    fileprivate mutating func begin() throws(ArchiveError) {
        following = try read()
        try advance()
    }

    /// Whether the record after the next has its key.
    var isFollowed: Bool { next != nil && next?.key == following?.key }

    /// Goes to the record after the next.
    mutating func advance() throws(ArchiveError) {
        next = following
        following = next == nil ? nil : try read()
    }

    private mutating func read() throws(ArchiveError) -> (key: [UInt8], record: PairRecord)? {
        guard try merge.next(into: &row, companion: &companion) else { return nil }
        let bytes = row.span
        var count = 0
        for index in 0..<4 { count = count << 8 | Int(bytes[index]) }
        // Behind the key, start and end.
        let hashes = bytes.extracting(4 + count + 16..<bytes.count)
        var reader = CompactReader(companion.span)
        return (bytes.extracting(0..<4 + count).array, PairRecord(&reader, hashes: hashes, texts))
    }
}
