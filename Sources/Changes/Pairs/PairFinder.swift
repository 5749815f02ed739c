internal import Archive
internal import Bytes
internal import Files
internal import Measures
internal import SQLite
internal import Timestamps

/// Finds the pairs between two observations (`Spec/pairs.md`): level by level, then containers and their parts.
///
/// Records are sorted anew for each level and the two sides gone through together, so that a key is looked at once,
/// however many records have it.
///
/// - Complexity: O(n log n) for n records that disappeared or appeared; memory does not grow with them.
struct PairFinder: ~Copyable {
    private let path: Path
    private let context: ExportContext
    private let keys: PairKeys
    private let levels: [PairLevel]
    private var sink: PairSink
    private let texts = PairTextTable()
    private var key = ByteBuffer()
    private var filter: PairFilter?
    private var named = NamedSources()
    private let days: LocalDays
    private var workouts: WorkoutTotalsReader

    /// - Parameter connection: of the archive that the records are read from.
    init(
        _ connection: borrowing Connection, _ path: Path, _ context: ExportContext, of observation: Int64,
        _ sink: consuming PairSink
    ) throws(ArchiveError) {
        let workouts = try WorkoutTotalsReader(connection)
        days = try Self.days(connection, of: observation)
        self.workouts = workouts
        self.path = path
        self.context = context
        keys = PairKeys(types: context.typeNames, isAcrossChains: context.fromDeviceChain != nil)
        levels = context.fromDeviceChain == nil ? [.payload, .strict, .semantic] : PairLevel.allCases
        self.sink = sink
    }

    /// Returns the local days of an observation; those of UTC if it is unknown.
    private static func days(
        _ connection: borrowing Connection, of observation: Int64
    ) throws(ArchiveError) -> LocalDays {
        var zones = try ObservationZones(connection)
        return try zones.zone(of: observation)?.days ?? LocalDays(TimeZoneRules(secondsFromGMT: 0))
    }

    /// The records of one level that are not paired yet.
    private struct Level: ~Copyable {
        var before, after: PairSorter

        init(of path: Path, _ texts: PairTextTable) {
            before = PairSorter(of: path, texts)
            after = PairSorter(of: path, texts)
        }
    }

    /// Notes what the records of one side have in common with others, before pairs are looked for.
    mutating func note(_ rows: consuming Statement, of kind: RowBatch.Kind) throws(ArchiveError) {
        var filter = PairFilter(isBefore: kind == .disappeared)
        while try rows.step() {
            guard let record = rows.pairRecord(context, texts) else { continue }
            for level in levels {
                key.removeAll()
                if keys.append(level, of: record, to: &key) { filter.note(key, at: level) }
            }
            key.removeAll()
            if keys.appendGroup(of: record, to: &key) { filter.note(group: key) }
        }
        self.filter = filter
    }

    /// Returns `true` if a record may be one of two that are the same.
    private mutating func mayBeReIdentified(_ record: PairRecord) -> Bool {
        guard let filter, record.isBefore != filter.isBefore else { return true }
        for level in levels {
            key.removeAll()
            if keys.append(level, of: record, to: &key), filter.holds(key, at: level) { return true }
        }
        return false
    }

    /// Finds all pairs of what a statement selects (`PairColumn`).
    mutating func find(_ rows: consuming Statement) throws(ArchiveError) {
        var rest = Level(of: path, texts)
        var left = PairSorter(of: path, texts)
        while try rows.step() {
            guard var record = rows.pairRecord(context, texts) else { continue }
            if keys.measure(of: record).kind == .workout {
                record.totals = try workouts.totals(of: rows.exactInteger(PairColumn.metadata.rawValue))
            } else if keys.measure(of: record).kind == .discrete, record.end > record.start {
                record.series = try workouts.series(of: rows.exactInteger(PairColumn.metadata.rawValue))
            }
            named.note(record)
            if mayBeReIdentified(record) {
                try add(record, levels[0], to: &rest)
            } else {
                try keep(record, in: &left)
            }
        }
        for (index, level) in levels.enumerated() {
            var next = Level(of: path, texts)
            let following = index + 1 < levels.count ? levels[index + 1] : nil
            var before = try rest.before.finish()
            var after = try rest.after.finish()
            while true {
                let order = Self.compare(before.next?.key, after.next?.key)
                guard let order else { break }
                if order == 0, let one = before.next?.record, let other = after.next?.record {
                    try pair(one, other, level, isTied: before.isFollowed || after.isFollowed || isTied(before, after))
                    last = before.next?.key
                    try before.advance()
                    try after.advance()
                    continue
                }
                let isBefore = order < 0
                if let record = isBefore ? before.next?.record : after.next?.record {
                    if let following { try add(record, following, to: &next) } else { try keep(record, in: &left) }
                }
                if isBefore { try before.advance() } else { try after.advance() }
            }
            last = nil
            rest = next
            if following == nil { try condense(&left) }
        }
    }

    /// The key of the pair before.
    private var last: [UInt8]?

    private func isTied(_ before: borrowing PairStream, _ after: borrowing PairStream) -> Bool {
        last != nil && last == before.next?.key
    }

    /// Compares two keys, either of which may be missing; `nil` if both are.
    private static func compare(_ left: [UInt8]?, _ right: [UInt8]?) -> Int? {
        switch (left, right) {
        case (nil, nil): nil
        case (_?, nil): -1
        case (nil, _?): 1
        case (let left?, let right?): left.span.compared(with: right.span)
        }
    }

    /// Adds a record; one without a key at a level is left over at once.
    private mutating func add(_ record: PairRecord, _ level: PairLevel, to sorters: inout Level) throws(ArchiveError) {
        key.removeAll()
        // The key of no other record: none is empty.
        if !keys.append(level, of: record, to: &key) {
            key.removeAll()
            key.append(copying: record.identity.span)
            key.append(record.isBefore ? 1 : 0)
        }
        if record.isBefore {
            try sorters.before.add(record, key: key)
        } else {
            try sorters.after.add(record, key: key)
        }
    }

    private mutating func keep(_ record: PairRecord, in sorter: inout PairSorter) throws(ArchiveError) {
        key.removeAll()
        guard keys.appendGroup(of: record, to: &key) else { return }
        if let filter, record.isBefore != filter.isBefore, !filter.holds(group: key) { return }
        try sorter.add(record, key: key, asContainer: true, inWholeSeconds: keys.isAcrossChains)
    }

    private mutating func pair(_ before: PairRecord, _ after: PairRecord, _ level: PairLevel, isTied: Bool)
        throws(ArchiveError)
    {
        var residual: Double?
        if level == .semantic || level == .fuzzy, let left = keys.canonicalValue(of: before),
            let right = keys.canonicalValue(of: after), (right - left).isFinite
        {
            residual = right - left
        }
        let key = before.identity.lexicographicallyPrecedes(after.identity) ? before.identity : after.identity
        let unit = residual == nil ? nil : keys.measure(of: before).unit.map { Array($0.utf8) }
        let pair = Pair(
            type: before.type, kind: .reIdentified, rule: level.rawValue, outcome: outcome(before, after), key: key,
            isTied: isTied, ambiguousWith: [], residual: residual, figures: nil, unit: unit, bundle: nil, product: nil,
            nameHash: nil, before: [.init(before)], after: [.init(after)])
        try sink.add(pair)
        for record in [before, after] { try sink.mark(record, pair, keys: [key]) }
    }

    /// Returns the outcome for the measure of a record under another identity.
    private func outcome(_ before: PairRecord, _ after: PairRecord) -> Pair.Outcome {
        if keys.measure(of: before).kind == .workout {
            let lengths = (keys.seconds(of: before), keys.seconds(of: after))
            if !CondensationLaw.areEqual(lengths.0, lengths.1) { return .changed }
            if !CondensationLaw.areTotalsKept([before], [after]) { return .changed }
        }
        return before.mayBeOfApp(of: after) ? .kept : .sourceChanged
    }

    private mutating func condense(_ left: inout PairSorter) throws(ArchiveError) {
        var records = try left.finish()
        var groups = CondensationGroups(keys: keys, named: named, days)
        while let (group, record) = records.next {
            for found in groups.add(record, group: group) { try take(found) }
            try records.advance()
        }
        for found in groups.finish() { try take(found) }
    }

    private mutating func take(_ found: Condensation.Found) throws(ArchiveError) {
        try sink.add(found.pair)
        for (record, keys) in found.marks { try sink.mark(record, found.pair, keys: keys) }
    }

    /// Returns the pairs in order, if they are wanted.
    consuming func finish() throws(ArchiveError) -> [RowRun] { try sink.finish() }
}

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
    /// - Parameters:
    ///   - asContainer: whether the later end sorts first.
    ///   - inWholeSeconds: whether the dates are rounded down to whole seconds before.
    mutating func add(
        _ record: PairRecord, key: borrowing ByteBuffer, asContainer: Bool = false, inWholeSeconds: Bool = false
    ) throws(ArchiveError) {
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        row.append(bigEndian: UInt64(key.count), count: 4)
        row.append(copying: key.span)
        func orderedBits(_ date: Double) -> UInt64 {
            // −0 is 0.
            OrderKeyFunction.orderedBits(inWholeSeconds ? date.rounded(.down) + 0 : date)
        }
        row.append(bigEndian: orderedBits(record.start))
        row.append(bigEndian: asContainer ? ~orderedBits(record.end) : orderedBits(record.end))
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

    /// Returns all records in order. The sorter is empty then.
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

    /// `true` if the record after the next has its key.
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
