internal import Archive
internal import Bytes
internal import Files
internal import SQLite

/// Notes versions that one side has by what records that are alike have in common. Whatever reads changes does so on
/// the way; `AlikeGroups` then tells of what both sides have a record, so that nothing else is looked at again.
///
///     row         start (8) │ end (8) │ type and values, hashed (8)
///     companion   whether it is of the side before (1) │ sample │ version
///
/// - Complexity: a sort of the notes; memory does not grow with them, and there is none without them.
struct AlikeNotes: ~Copyable {
    private let path: Path
    private var notes: RowSorter?
    private var row = ByteBuffer()
    private var companion = ByteBuffer()

    /// - Parameter path: the archive's, for errors.
    init(of path: Path) {
        self.path = path
        notes = nil
    }

    /// Notes all versions that the tables of the changes have on one side.
    static func read(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ path: Path
    ) throws(ArchiveError) -> [RowRun] {
        var notes = AlikeNotes(of: path)
        var rows = try connection.prepare(query.oneSidedVersions)
        while try rows.step() {
            try notes.add(rows, at: 4, type: 0, sample: 1, version: 2, isBefore: rows.integer(3) == 1)
        }
        return try notes.finish()
    }

    /// Notes the version of a row.
    ///
    /// - Parameters:
    ///   - column: where its columns are, as `ChangeQuery.compared` lists them.
    ///   - type: the column of its type; those of its ids follow.
    mutating func add(
        _ rows: borrowing Statement, at column: Int32, type: Int32, sample: Int32, version: Int32, isBefore: Bool
    ) throws(ArchiveError) {
        guard !rows.isNull(type), !rows.isNull(column), !rows.isNull(column + 1) else { return }
        if notes == nil { notes = .some(RowSorter(of: path, memory: 2 << 20, fanIn: 128)) }
        row.removeAll()
        companion.removeAll()
        for date in [column, column + 1] {
            let isNumber = rows.storageClass(date) == .real
            row.append(bigEndian: isNumber ? Self.bits(rows, date) : 0)
        }
        var hash: UInt64 = 0
        for place in [type, column, column + 1, column + 2, column + 5, column + 6, column + 7] {
            // What is neither a number nor absent may be taken for another.
            let kind = rows.storageClass(place)
            Self.mix(kind == .null ? 0 : kind == .integer ? 1 : kind == .real ? 2 : 3, into: &hash)
            if kind == .integer || kind == .real { Self.mix(Self.bits(rows, place), into: &hash) }
        }
        row.append(bigEndian: hash)
        companion.append(isBefore ? 1 : 0)
        StoredID(rows, sample).append(to: &companion)
        StoredID(rows, version).append(to: &companion)
        var key = ByteBuffer()
        var ids = ByteBuffer()
        swap(&key, &row)
        swap(&ids, &companion)
        try notes?.add(key.span, companion: ids.span)
        swap(&key, &row)
        swap(&ids, &companion)
    }

    /// Returns all notes, in runs that `AlikeGroups` reads. There are none then.
    mutating func finish() throws(ArchiveError) -> [RowRun] { try notes?.finish() ?? [] }

    /// Returns the bits of a number; −0 is 0.
    private static func bits(_ rows: borrowing Statement, _ column: Int32) -> UInt64 {
        rows.exactInteger(column).map { UInt64(bitPattern: $0) } ?? ((rows.real(column) ?? 0) + 0).bitPattern
    }

    private static func mix(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }
}

/// Reads notes in groups: of each that has records of both sides, and of several samples, one.
struct AlikeGroups: ~Copyable {
    /// A version that is noted.
    struct Note {
        let isBefore: Bool
        let sample, version: StoredID
    }

    private var merge: RowMerge
    private var row = ByteBuffer()
    private var companion = ByteBuffer()
    private var hasRow = false

    init(_ notes: [RowRun]) throws(ArchiveError) {
        let merge = try RowMerge(notes)
        self.merge = merge
    }

    /// Reads the first note. Called once, before anything is read.
    mutating func begin() throws(ArchiveError) { try advance() }

    /// Returns a note of the next such group; `nil` after the last.
    mutating func next() throws(ArchiveError) -> Note? {
        while hasRow {
            let (key, first) = (row.array, note)
            var (hasBefore, hasAfter, hasOther) = (first.isBefore, !first.isBefore, false)
            try advance()
            while hasRow, isSame(key) {
                let note = note
                hasBefore = hasBefore || note.isBefore
                hasAfter = hasAfter || !note.isBefore
                hasOther = hasOther || note.sample != first.sample
                try advance()
            }
            if hasBefore && hasAfter && hasOther { return first }
        }
        return nil
    }

    private mutating func advance() throws(ArchiveError) { hasRow = try merge.next(into: &row, companion: &companion) }

    private var note: Note {
        var reader = CompactReader(companion.span)
        return Note(isBefore: reader.byte() == 1, sample: StoredID(&reader), version: StoredID(&reader))
    }

    private func isSame(_ key: [UInt8]) -> Bool {
        let bytes = row.span
        return bytes.count == key.count && key.indices.allSatisfy { bytes[$0] == key[$0] }
    }
}

/// Tells samples whose changes `AlikeRecords` has.
struct AlikeReader: ~Copyable {
    private var samples: Statement

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        samples = try connection.prepare("SELECT 1 FROM temp.alike_samples WHERE sample_id = ?1")
    }

    mutating func contains(_ sample: StoredID) throws(ArchiveError) -> Bool {
        samples.bind(1, sample)
        defer { samples.reset() }
        return try samples.step()
    }
}

extension Statement {
    /// Binds an id as a row has it.
    mutating func bind(_ position: Int32, _ id: StoredID) {
        switch id {
        case .absent: bindNull(position)
        case .integer(let number): bind(position, number)
        case .real(let bits): bind(position, Double(bitPattern: bits))
        case .bytes(let content, isText: true): bind(position, text: content)
        case .bytes(let content, isText: false): bind(position, blob: content)
        }
    }
}
