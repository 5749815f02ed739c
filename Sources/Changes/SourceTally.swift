internal import Archive

/// Counts records by source revision, with the moments at which they begin.
struct SourceTally {
    /// The records of a source revision; moments in Unix seconds, infinite where there is none.
    struct Entry {
        var (before, after) = (0, 0)
        var latestBefore = -Double.infinity
        var (earliestAfter, latestAfter) = (Double.infinity, -Double.infinity)

        mutating func add(_ other: Entry) {
            before += other.before
            after += other.after
            latestBefore = max(latestBefore, other.latestBefore)
            earliestAfter = min(earliestAfter, other.earliestAfter)
            latestAfter = max(latestAfter, other.latestAfter)
        }
    }

    private var entries: [Int64?: Entry] = [:]
    /// Records of a source that no other one separates: most have the source of the one before them.
    private var run = Entry()
    private var source: Int64?

    mutating func addBefore(_ source: Int64?, _ start: Double?) {
        if source != self.source { endRun(source) }
        run.before += 1
        if let start, start > run.latestBefore { run.latestBefore = start }
    }

    mutating func addAfter(_ source: Int64?, _ start: Double?) {
        if source != self.source { endRun(source) }
        run.after += 1
        guard let start else { return }
        if start < run.earliestAfter { run.earliestAfter = start }
        if start > run.latestAfter { run.latestAfter = start }
    }

    private mutating func endRun(_ next: Int64?) {
        if run.before + run.after > 0 { entries[source, default: Entry()].add(run) }
        run = Entry()
        source = next
    }

    mutating func add(_ other: SourceTally) {
        for (source, entry) in other.entries { entries[source, default: Entry()].add(entry) }
        if other.run.before + other.run.after > 0 { entries[other.source, default: Entry()].add(other.run) }
    }

    /// Records by what their source revisions say, sorted.
    mutating func counts(_ names: inout SourceNames) throws(ArchiveError) -> [Comparison.SourceCount] {
        endRun(nil)
        var found: [Int: Entry] = [:]
        for (id, entry) in entries { found[try names.number(of: id), default: Entry()].add(entry) }
        return found.keys.sorted { names.precedes($0, $1) }.map { number in
            let entry = found[number]!
            func moment(_ value: Double) -> Double? { value.isFinite ? value : nil }
            var count = Comparison.SourceCount(source: names.revision(number))
            (count.before, count.after) = (entry.before, entry.after)
            count.latestBefore = moment(entry.latestBefore)
            (count.earliestAfter, count.latestAfter) = (moment(entry.earliestAfter), moment(entry.latestAfter))
            return count
        }
    }
}
