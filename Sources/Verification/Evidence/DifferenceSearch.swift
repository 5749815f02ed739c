internal import Archive
internal import Bytes
internal import Codes
internal import Files
internal import SQLite

/// Finds the items that a file and an archive do not have alike, once sums have said in which buckets they are.
///
/// The file and the rows are read again, and what is in those buckets goes through an external sort by its key. Memory
/// does not grow with it.
final class DifferenceSearch: ItemSink {
    private let recordedBuckets, evidenceBuckets: Set<Int>
    private var recorded, evidence: RowSorter
    private var failure: ArchiveError?
    private var key = FieldEncoding()
    private var companion = ByteBuffer(capacity: 128)

    /// Which side a row is of; of the evidence, what it begins or adds to.
    private enum Side: UInt8 {
        case file = 0, wrongItem, archive, addition
    }

    init(of path: Path, recorded: Set<Int>, evidence: Set<Int>) {
        (recordedBuckets, evidenceBuckets) = (recorded, evidence)
        self.recorded = RowSorter(of: path)
        self.evidence = RowSorter(of: path)
    }

    func add(_ run: ItemRun, lines: Int?) {
        guard failure == nil else { return }
        do throws(ArchiveError) {
            for (item, element) in zip(run.identities, run.elements) {
                let bucket = BucketSums.bucket(element.key)
                let line = Int64(lines.map { $0 + item.line + 1 } ?? 0)
                let inRecord = element.recorded != nil && recordedBuckets.contains(bucket)
                let inEvidence = element.evidence != nil && evidenceBuckets.contains(bucket)
                guard inRecord || inEvidence else { continue }
                key.beginKey()
                for part in [item.type, item.identity, item.payload] {
                    if let part { key.add(keyText: part.span) }
                    key.endKeyPart()
                }
                if inRecord {
                    begin(.file, line, nil)
                    companion.append(copying: item.hash.span)
                    try recorded.add(key.bytes.span, companion: companion.span)
                }
                if inEvidence, let hash = element.evidence {
                    begin(element.isHashWrong ? .wrongItem : .file, line, nil)
                    append(hash)
                    try evidence.add(key.bytes.span, companion: companion.span)
                }
            }
        } catch {
            failure = error
        }
    }

    private func begin(_ side: Side, _ first: Int64, _ second: Int64?) {
        companion.removeAll()
        companion.append(side.rawValue)
        companion.append(bigEndian: UInt64(bitPattern: first))
        companion.append(second == nil ? 0 : 1)
        companion.append(bigEndian: UInt64(bitPattern: second ?? 0))
    }

    private func append(_ hash: UInt128) {
        companion.append(bigEndian: UInt64(truncatingIfNeeded: hash >> 64))
        companion.append(bigEndian: UInt64(truncatingIfNeeded: hash))
    }

    /// Reads the archive's side.
    func read(
        _ reader: borrowing EvidenceReader, exportRow: Int64?, _ scope: EvidenceScope?, _ hash: KeyedHash,
        shouldStop: () -> Bool
    ) throws {
        if let failure { throw failure }
        if let exportRow, !recordedBuckets.isEmpty {
            var pass = try RecordPass(reader, exportRow: exportRow, hash)
            try pass.run(shouldStop: shouldStop) { hash, _, key, row in
                guard recordedBuckets.contains(BucketSums.bucket(hash)) else { return }
                let version = RecordPass.Column.versionID.rawValue
                begin(.archive, row.integer(RecordPass.Column.sampleID.rawValue) ?? 0, row.integer(version))
                Self.appendHash(of: row, to: &companion)
                try Self.add(key, companion, to: &recorded)
            }
        }
        if let scope, !evidenceBuckets.isEmpty {
            var pass = try EvidencePass(reader, scope, hash)
            try pass.run(reader, shouldStop: shouldStop) { element, key in
                guard evidenceBuckets.contains(BucketSums.bucket(element.key)) else { return }
                begin(element.item == nil ? .addition : .archive, 0, nil)
                append(element.sum)
                append(element.item ?? 0)
                try Self.add(key, companion, to: &evidence)
            }
        }
    }

    private static func appendHash(of row: borrowing Statement, to companion: inout ByteBuffer) {
        companion.append(copying: row.value(RecordPass.Column.hash.rawValue).bytes)
    }

    private static func add(
        _ key: borrowing FieldEncoding, _ companion: borrowing ByteBuffer, to sorter: inout RowSorter
    ) throws(ArchiveError) {
        try sorter.add(key.bytes.span, companion: companion.span)
    }

    /// Reports what was found, by sample type, identity and version hash.
    ///
    /// - Parameters:
    ///   - isComplete: whether an item of the archive that the file lacks is a difference.
    ///   - ignoringRepeats: whether the same item more than once is one.
    func report(isComplete: Bool, ignoringRepeats: Bool, _ report: inout Report) throws(ArchiveError) {
        if let failure { throw failure }
        let runs = (recorded: try recorded.finish(), evidence: try evidence.finish())
        try Self.groups(runs.recorded) { entries in
            Self.reportRecorded(entries, isComplete: isComplete, ignoringRepeats: ignoringRepeats, &report)
        }
        try Self.groups(runs.evidence) { entries in
            Self.reportEvidence(entries, isComplete: isComplete, ignoringRepeats: ignoringRepeats, &report)
        }
    }

    /// What a row brought along.
    private struct Entry {
        let side: Side
        let first: Int64
        let second: Int64?
        let rest: [UInt8]

        init(_ bytes: Span<UInt8>) {
            func number(_ start: Int) -> Int64 {
                var value: UInt64 = 0
                for index in start..<start + 8 { value = value << 8 | UInt64(bytes[index]) }
                return Int64(bitPattern: value)
            }
            guard let side = Side(rawValue: bytes[0]) else { preconditionFailure("a side that was written") }
            self.side = side
            first = number(1)
            second = bytes[9] == 0 ? nil : number(10)
            rest = (18..<bytes.count).map { bytes[$0] }
        }

        /// The line, where lines have numbers.
        var line: Int? { first > 0 ? Int(first) : nil }

        /// What the sums grow by.
        var hash: UInt128 { rest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
        /// Of a row of the archive, the hash of its item.
        var item: UInt128 { rest.dropFirst(16).reduce(0) { $0 << 8 | UInt128($1) } }
    }

    /// Calls `body` with the rows of each key.
    private static func groups(_ runs: [RowRun], _ body: ([Entry]) -> Void) throws(ArchiveError) {
        var merge = try RowMerge(runs)
        var row = ByteBuffer(), companion = ByteBuffer()
        var key: [UInt8] = []
        var entries: [Entry] = []
        while try merge.next(into: &row, companion: &companion) {
            if !row.span.isSame(as: key.span) {
                if !entries.isEmpty { body(entries) }
                entries.removeAll(keepingCapacity: true)
                key = row.array
            }
            entries.append(Entry(companion.span))
        }
        if !entries.isEmpty { body(entries) }
    }

    /// Items are met by their hashes; what is left is met in turn.
    private static func reportRecorded(
        _ entries: [Entry], isComplete: Bool, ignoringRepeats: Bool, _ report: inout Report
    ) {
        var ours = entries.filter { $0.side == .file }
        var theirs = entries.filter { $0.side == .archive }
        if ignoringRepeats {
            var seen: Set<[UInt8]> = []
            ours = ours.filter { seen.insert($0.rest).inserted }
        }
        var unmet: [[UInt8]: Int] = [:]
        for entry in theirs { unmet[entry.rest, default: 0] += 1 }
        var met: [[UInt8]: Int] = [:]
        ours = ours.filter { entry in
            guard let count = unmet[entry.rest], count > 0 else { return true }
            unmet[entry.rest] = count - 1
            met[entry.rest, default: 0] += 1
            return false
        }
        theirs = theirs.filter { entry in
            guard let count = met[entry.rest], count > 0 else { return true }
            met[entry.rest] = count - 1
            return false
        }
        for (one, other) in zip(ours, theirs) {
            report.add(
                Finding(
                    .archiveItemHash, line: one.line, expected: String(decoding: other.rest, as: UTF8.self),
                    found: String(decoding: one.rest, as: UTF8.self)))
        }
        for entry in ours.dropFirst(theirs.count) { report.add(Finding(.archiveItemUnknown, line: entry.line)) }
        // Lines that could not be read may be the ones that are missing.
        guard isComplete else { return }
        for entry in theirs.dropFirst(ours.count) {
            let version = entry.second.map { ", version \($0)" } ?? ""
            report.add(Finding(.archiveItemAbsent, expected: "export_items: sample \(entry.first)\(version)"))
        }
    }

    /// Items that the evidence gives are met by what they are made of. An item that is not what its own hash says is
    /// reported as that alone.
    private static func reportEvidence(
        _ entries: [Entry], isComplete: Bool, ignoringRepeats: Bool, _ report: inout Report
    ) {
        var ours = entries.filter { $0.side == .file }
        let wrongCount = entries.count { $0.side == .wrongItem }
        // An item comes once with each of its ranges.
        var count = Set(entries.filter { $0.side == .archive }.map(\.item)).count
        if ignoringRepeats {
            var seen: Set<UInt128> = []
            ours = ours.filter { seen.insert($0.hash).inserted }
        }
        let given = entries.reduce(UInt128(0)) {
            $1.side == .archive || $1.side == .addition ? $0 &+ $1.hash : $0
        }
        if ours.count == count, ours.reduce(UInt128(0), { $0 &+ $1.hash }) == given { return }
        // Several items of one key share their ranges and relationships: which of them differs cannot be told.
        if count == 1, let same = ours.firstIndex(where: { $0.hash == given }) {
            ours.remove(at: same)
            count = 0
        }
        let changed = min(ours.count, count)
        for entry in ours.prefix(changed) { report.add(Finding(.archiveEvidenceChanged, line: entry.line)) }
        for entry in ours.dropFirst(changed) { report.add(Finding(.archiveEvidenceUnknown, line: entry.line)) }
        guard isComplete, count - changed > wrongCount else { return }
        for _ in 0..<count - changed - wrongCount { report.add(Finding(.archiveEvidenceAbsent)) }
    }
}
