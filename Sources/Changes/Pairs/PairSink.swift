internal import Bytes
internal import Files
internal import SQLite
public import Archive

/// The destination of found pairs: sorted, to be read as items, or as marks of their records, which changes are joined
/// with.
///
///     row         type (4) │ start (8) │ end (8) │ key
///     companion   the pair
struct PairSink: ~Copyable {
    private var rows: RowSorter?
    private var marks: Statement?
    private var spare = ByteBuffer()
    private var spareCompanion = ByteBuffer()

    /// For items.
    init(sortedFor path: Path) {
        rows = .some(RowSorter(of: path, memory: 4 << 20, fanIn: 1024))
        marks = nil
    }

    /// For changes: `pair_marks` is empty.
    init(marking connection: borrowing Connection) throws(ArchiveError) {
        let statement = try connection.prepare(ChangeQuery.insertPairMark)
        rows = nil
        marks = .some(statement)
    }

    mutating func add(_ pair: Pair) throws(ArchiveError) {
        guard rows != nil else { return }
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        row.append(bigEndian: UInt64(pair.type), count: 4)
        row.append(bigEndian: OrderKeyFunction.orderedBits(pair.start))
        row.append(bigEndian: OrderKeyFunction.orderedBits(pair.end))
        row.append(copying: pair.key.span)
        companion.removeAll()
        pair.append(to: &companion)
        try rows?.add(row.span, companion: companion.span)
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
    }

    mutating func mark(_ record: PairRecord, _ pair: Pair, keys: [[UInt8]]) throws(ArchiveError) {
        guard marks != nil else { return }
        marks?.bind(1, record.sampleID)
        marks?.bind(2, record.versionID)
        marks?.bind(3, Int64(pair.kind.rawValue))
        marks?.bind(4, text: Array(keys.joined(separator: [UInt8(ascii: " ")])))
        marks?.bind(5, Int64(pair.outcome?.rawValue ?? 0))
        try marks?.run()
    }

    consuming func finish() throws(ArchiveError) -> [RowRun] { try rows?.finish() ?? [] }
}

/// Streams pairs in order.
public struct PairCursor: ~Copyable {
    /// Across two chains, the samples that are visible, whatever the filter selects of their versions; else nil.
    public let standing: PairStanding?
    private var merge: RowMerge
    private var row = ByteBuffer()
    private var companion = ByteBuffer()

    init(_ runs: [RowRun], _ standing: PairStanding?) throws(ArchiveError) {
        let merge = try RowMerge(runs)
        self.merge = merge
        self.standing = standing
    }

    /// Returns the next pair; `nil` after the last.
    public mutating func next() throws(ArchiveError) -> Pair? {
        guard try merge.next(into: &row, companion: &companion) else { return nil }
        var reader = CompactReader(companion.span)
        return Pair(&reader)
    }
}

/// Samples that two observations show.
public struct PairStanding: Sendable {
    /// Those that one shows, and those that both show under one identity.
    public let before, after, both: Int64
}

// How a pair travels with its sorted row.
extension Pair {
    func append(to bytes: inout ByteBuffer) {
        bytes.append(lowBytesOf: UInt64(type), count: 4)
        for byte in [kind.rawValue, isTied ? 1 : 0] { bytes.append(byte) }
        bytes.append(outcome.map { $0.rawValue + 1 } ?? 0)
        for number in [residual, figures?.before, figures?.after] { bytes.append(optional: number) }
        for text in [Array(rule.utf8), key, unit, bundle, product, nameHash] { bytes.append(optional: text) }
        bytes.append(lowBytesOf: UInt64(ambiguousWith.count), count: 4)
        for key in ambiguousWith { bytes.append(optional: key) }
        for side in [before, after] {
            bytes.append(lowBytesOf: UInt64(side.count), count: 4)
            for member in side { member.append(to: &bytes) }
        }
    }

    init(_ reader: inout CompactReader) {
        let type = reader.number(4)
        let (kind, isTied) = (Kind(rawValue: reader.byte()) ?? .ambiguous, reader.byte() == 1)
        let outcome = reader.byte()
        let residual = reader.optional { $0.double() }
        let (before, after) = (reader.optional { $0.double() }, reader.optional { $0.double() })
        let rule = String(decoding: reader.optionalText() ?? [], as: UTF8.self)
        let key = reader.optionalText() ?? []
        let (unit, bundle) = (reader.optionalText(), reader.optionalText())
        let (product, nameHash) = (reader.optionalText(), reader.optionalText())
        var others: [[UInt8]] = []
        for _ in 0..<reader.number(4) { others.append(reader.optionalText() ?? []) }
        var sides: [[Member]] = [[], []]
        for side in 0..<2 { for _ in 0..<reader.number(4) { sides[side].append(Member(&reader)) } }
        self.init(
            type: type, kind: kind, rule: rule, outcome: outcome == 0 ? nil : Outcome(rawValue: outcome - 1), key: key,
            isTied: isTied, ambiguousWith: others, residual: residual,
            figures: before.flatMap { one in after.map { Figures(before: one, after: $0) } }, unit: unit,
            bundle: bundle, product: product, nameHash: nameHash, before: sides[0], after: sides[1])
    }
}

extension Pair.Member {
    fileprivate func append(to bytes: inout ByteBuffer) {
        for number in [start, end] { bytes.append(lowBytesOf: number.bitPattern) }
        for number in [value, duration] { bytes.append(optional: number) }
        for number in [category, activity] { bytes.append(optional: number) }
        for text in [valueKind, unit, identity, payload] { bytes.append(optional: text) }
    }

    fileprivate init(_ reader: inout CompactReader) {
        self.init(
            start: reader.double(), end: reader.double(), value: reader.optional { $0.double() },
            duration: reader.optional { $0.double() }, category: reader.optional { $0.integer() },
            activity: reader.optional { $0.integer() }, valueKind: reader.optionalText(), unit: reader.optionalText(),
            identity: reader.optionalText() ?? [], payload: reader.optionalText() ?? [])
    }
}
