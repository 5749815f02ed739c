internal import Files
package import Manifest
internal import SQLite

/// The end of a history, from which the next entry is made.
package struct HistoryTail {
    /// The newest entry.
    package struct Newest {
        package let sequence: Int64
        package let archive, link: Digest
        /// The greatest id of the context log that entries state; `nil` if they state none.
        package let lastContextID: Int64?
    }

    /// The newest live observation.
    package struct Live {
        package let sequence, observationID: Int64
        /// The greatest id of each table of `HistoryParts.all`; `nil` if the entry states none.
        package let lastIDs: [Int64?]
    }

    package private(set) var newest: Newest?
    package private(set) var live: Live?
    private var greatestNamed: Int64?

    /// The end of a history without entries.
    package init() {}

    /// Reads back from the newest entry to the newest live observation.
    ///
    /// - Parameter id: an observation that counts as withdrawn.
    /// - Throws: `ArchiveError` with the code `evidence` if an entry on the way cannot be read.
    package static func read(_ connection: borrowing Connection, without id: Int64? = nil) throws(ArchiveError)
        -> HistoryTail
    {
        var tail = HistoryTail()
        var rows = try HistoryEntries(connection, isDescending: true)
        var withdrawn = Set([id].compactMap { $0 })
        while let entry = try rows.next() {
            // The next sequence must be one that canonical JSON carries.
            guard let content = entry.content, entry.link == entry.digest, content.sequence < 1 << 53 - 1 else {
                throw ArchiveError(
                    .evidence,
                    "\(connection.path.display): table history_links: the newest entry cannot be read",
                    hint: "hp-verify archive names what is wrong with the history")
            }
            if tail.newest == nil {
                tail.newest = Newest(
                    sequence: content.sequence, archive: content.archive, link: entry.digest,
                    lastContextID: content.lastID(of: HistoryParts.contextLog.name))
            }
            if content.kind == .withdrawn {
                withdrawn.insert(content.observationID)
                tail.greatestNamed = max(tail.greatestNamed ?? .min, content.observationID)
            } else if withdrawn.remove(content.observationID) == nil {
                tail.note(live: content)
                break
            }
        }
        return tail
    }

    /// Returns `true` if an observation is beyond all that entries name.
    package func mayName(_ id: Int64) -> Bool { greatestNamed.map { id > $0 } ?? true }

    /// Continues with an entry that was added.
    package mutating func append(_ entry: HistoryPreimage, _ link: Digest) {
        newest = Newest(
            sequence: entry.sequence, archive: entry.archive, link: link,
            lastContextID: entry.lastID(of: HistoryParts.contextLog.name))
        if entry.kind != .withdrawn { note(live: entry) }
    }

    private mutating func note(live entry: HistoryPreimage) {
        live = Live(
            sequence: entry.sequence, observationID: entry.observationID,
            lastIDs: HistoryParts.all.map { entry.lastID(of: $0.name) })
        greatestNamed = max(greatestNamed ?? .min, entry.observationID)
    }
}
