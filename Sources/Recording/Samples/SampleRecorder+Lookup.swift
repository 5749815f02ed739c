internal import Archive
internal import Preimages

/// What is known of the samples of a page before it is written.
extension SampleRecorder {
    /// What is known of the sample with a record's fingerprint.
    enum Lookup {
        case notLookedUp
        case lookedUp(SampleStatements.Found?)
        /// It is taken for new; what is written says whether it was there.
        case likelyNew
    }

    /// Which sample a record is.
    enum Match {
        case known(SampleStatements.Found, wasSeen: Bool)
        /// A new sample, with its strict fingerprint.
        case new(Digest)
    }

    /// Looks the samples of a page up: among those that come next in the archive, then in one statement, which starting
    /// one for each would cost more than; nothing where samples have UUIDs.
    ///
    /// Of records that are alike only the first is looked up: what is written for it changes what the next one finds.
    /// A sample that one of them takes is no longer free for the others, whatever was found for them before.
    mutating func find(_ page: borrowing CapturePage, _ rows: RowIDs, _ modes: [RunFacts.Mode]) throws(ArchiveError)
        -> [Lookup]
    {
        guard page.samples.allSatisfy({ $0.uuidHash == nil }) else { return [] }
        var lookups = [Lookup](repeating: .notLookedUp, count: page.samples.count)
        var records: [(index: Int, fingerprint: Digest)] = []
        try statements.upcoming.begin(count: page.samples.count)
        for index in page.samples.indices {
            let sample = page.samples[index]
            if let found = statements.upcoming.find(sample, rows.types[sample.type]) {
                lookups[index] = .lookedUp(found)
            } else {
                records.append((index, sample.fingerprint))
            }
        }
        guard !records.isEmpty else { return lookups }
        // What turns out to be there is matched when the new ones are written, in the order of the page. A record that
        // came next in the archive would be matched before an alike one in front of it: then all are looked up.
        if likelyNew.holds, records.count == page.samples.count {
            return [Lookup](repeating: .likelyNew, count: records.count)
        }
        Self.sort(&records, page)
        var first: [Int] = []
        for (place, record) in records.enumerated()
        where place == 0 || records[place - 1].fingerprint != record.fingerprint {
            let sample = page.samples[record.index]
            incoming.add(sample, fingerprint: record.fingerprint, id: 0, version: 0, evidence: modes[sample.type])
            first.append(record.index)
        }
        let found = try statements.find(incoming)
        for (index, found) in zip(first, found) { lookups[index] = .lookedUp(found) }
        incoming.removeAll()
        statements.upcoming.note(lookups: found, count: page.samples.count)
        return lookups
    }

    /// Brings records into the order of the index of fingerprints, in which neighbours then stand on one of its pages.
    static func sort(_ records: inout [(index: Int, fingerprint: Digest)], _ page: borrowing CapturePage) {
        records.sort {
            let (left, right) = (page.samples[$0.index].type, page.samples[$1.index].type)
            return left == right ? ($0.fingerprint, $0.index) < ($1.fingerprint, $1.index) : left < right
        }
    }
}
