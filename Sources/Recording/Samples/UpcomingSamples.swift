internal import Archive
internal import Manifest
internal import SQLite

/// Visible samples that the records to come are likely to be: those that come next in the archive.
///
/// A capture mostly gives again what the ones before gave, in their order, and the archive has it in that order. To
/// read rows in a row costs a fraction of looking each up. What is found here is what a lookup by the strict
/// fingerprint would find; what is not found has to be looked up.
///
///     ranges by row id:   … ─► [ current ][ following ] ─► …
///                              both are searched; the next rows are read when most of `following` came
struct UpcomingSamples: ~Copyable {
    private struct Entry {
        let payload: Digest
        let type, id, range, version: Int64
    }

    /// Rows that were read at once, by strict fingerprint.
    private struct Block {
        var entries: [Digest: Entry] = [:]
        /// How many of them came.
        var hits = 0
        /// How many rows it was read with.
        var rowCount = 0
    }

    private var rows: Statement
    private let lastRange: Int64
    private var current = Block()
    private var following = Block()
    /// The row id of the last range that was read.
    private var place: Int64 = 0
    /// Samples that are no longer as they were read.
    private var changed: Set<Int64> = []
    private var hitsInPage = 0
    /// Pages until another place is looked for, and until then after the next one that leads nowhere.
    private var pause = 0, nextPause = 1

    static func open(_ connection: borrowing Connection, _ queries: SampleQueries) throws(ArchiveError)
        -> UpcomingSamples
    {
        UpcomingSamples(
            rows: try connection.prepare(queries.upcoming),
            lastRange: try connection.integer("SELECT max(rowid) FROM sample_visibility_ranges") ?? 0)
    }

    private init(rows: consuming Statement, lastRange: Int64) {
        self.rows = rows
        self.lastRange = lastRange
    }

    /// Prepares for the records of a page.
    mutating func begin(count: Int) throws(ArchiveError) {
        hitsInPage = 0
        if changed.count > 4096 {
            changed.removeAll()
            (current, following) = (Block(), Block())
        }
        // Records of a page were put in another order when they were new: a page may need those of two.
        if current.rowCount == 0 { try Self.read(count * 2, into: &current, &rows, &place, upTo: lastRange) }
        guard following.hits * 2 >= following.rowCount, place < lastRange else { return }
        if following.rowCount > 0 { swap(&current, &following) }
        try Self.read(count * 2, into: &following, &rows, &place, upTo: lastRange)
    }

    private static func read(
        _ count: Int, into block: inout Block, _ rows: inout Statement, _ place: inout Int64, upTo last: Int64
    ) throws(ArchiveError) {
        block.entries.removeAll(keepingCapacity: true)
        (block.hits, block.rowCount) = (0, 0)
        guard place < last else { return }
        rows.bind(1, place)
        rows.bind(2, last)
        rows.bind(3, Int64(count))
        do throws(ArchiveError) {
            while try rows.step() {
                place = rows.integer(0) ?? last
                block.rowCount += 1
                let fingerprint = rows.withBytes(4) { Digest(hex: $0) }
                let payload = rows.withBytes(5) { Digest(hex: $0) }
                // What another program wrote is for a lookup.
                guard let fingerprint, let payload, let id = rows.exactInteger(1), let version = rows.exactInteger(2),
                    let type = rows.exactInteger(3)
                else { continue }
                block.entries[fingerprint] = Entry(payload: payload, type: type, id: id, range: place, version: version)
            }
        } catch {
            rows.reset()
            throw error
        }
        rows.reset()
        if block.rowCount < count { place = last }
    }

    /// The sample with a record's fingerprint, if its visible payload is the record's.
    mutating func find(_ sample: CapturePage.Sample, _ type: Int64) -> SampleStatements.Found? {
        let isInCurrent: Bool
        let entry: Entry
        if let found = current.entries[sample.fingerprint] {
            (entry, isInCurrent) = (found, true)
        } else if let found = following.entries[sample.fingerprint] {
            (entry, isInCurrent) = (found, false)
        } else {
            return nil
        }
        guard entry.type == type, entry.payload == sample.payloadHash, changed.isEmpty || !changed.contains(entry.id)
        else { return nil }
        if isInCurrent { current.hits += 1 } else { following.hits += 1 }
        hitsInPage += 1
        return SampleStatements.Found(id: entry.id, range: entry.range, version: entry.version, isSamePayload: true)
    }

    /// Notes what was found by lookups: where that was much, the records to come are likely to be behind it.
    mutating func note(lookups: [SampleStatements.Found?], count: Int) {
        guard hitsInPage * 2 < count else { return nextPause = 1 }
        guard pause == 0 else { return pause -= 1 }
        var (last, known) = (0 as Int64, 0)
        for case let found? in lookups where found.isVisible && found.range <= lastRange {
            (last, known) = (max(last, found.range), known + 1)
        }
        guard known * 2 > count else { return }
        (pause, nextPause) = (nextPause, min(nextPause * 2, 64))
        (current, following) = (Block(), Block())
        place = max(0, last - Int64(2 * count))
    }

    /// Notes that a sample is not as it was read.
    mutating func change(_ sample: Int64) { changed.insert(sample) }
}
