package import Manifest
internal import SQLite

/// The entries of a history from the first to the last, by the state machine of `Spec/history.md`, "States".
///
///     entry ──► form ──► link ──► link before ──► may it follow? ──► the stack of live observations
package struct HistoryChain {
    /// The fault of an entry.
    package enum Fault: Sendable {
        case entry, link, previous, identity, state
    }

    /// An entry that is wrong.
    package struct Finding: Sendable {
        package let fault: Fault
        /// `history_links.sequence`.
        package let row: Int64
        /// The expectation, in words without a stored value.
        package let expected: String
    }

    /// An entry whose commitments are to be compared with rows.
    package struct Claim: Sendable {
        package let sequence: Int64
        package let observationID: Int64
        package let observationHash: Digest
        package let listsTypes, statesFacts: Bool
        package let isSealed: Bool
        package let link: Digest
        package let rows: [HistoryPreimage.Rows]
        /// Up to where rows of each table of `HistoryParts.all` belong to this entry or lower ones; `Int64.min` for
        /// none.
        package let lasts: [Int64]
    }

    /// The live observations, in the order of their ids.
    package private(set) var live: [Claim] = []
    /// Every entry that may be where it is, for the context log.
    package private(set) var entries: [Claim] = []
    /// The withdrawals among them.
    package private(set) var withdrawals: [Claim] = []
    package private(set) var findings: [Finding] = []
    /// The identity that the first entry states; `nil` without an entry that can be read.
    package private(set) var archive: Digest?
    /// The greatest sequence.
    package private(set) var length: Int64 = 0
    /// The hash of the last entry.
    private(set) var lastLink: Digest?
    /// The greatest id that an entry names; `nil` without one.
    package private(set) var greatestNamed: Int64?
    /// Observations that were live at the entry of a head.
    private var liveAtHead: [Int64] = []
    private var links: [Int64: Digest] = [:]
    /// Observations that entries before the first one made live, as far as withdrawals name them; the newest first.
    private(set) var withdrawnBelow: [Int64] = []
    /// The observations that are live before the first entry, as far as they are known.
    private var below = Below.nothing

    /// The live observations that entries before the first one made.
    private enum Below {
        /// There are none: the first entry is that of the history.
        case nothing
        /// The newest of them.
        case newest(Int64)
        /// Some, all of them with smaller ids than those that entries named; `nil` before an entry.
        case smaller(than: Int64?)
    }

    /// `true` if commitments can be compared: every entry can be read, and the salt is the one of the first.
    package var isComparable: Bool { !findings.contains { $0.fault == .entry || $0.fault == .identity } }

    /// Reads a history.
    ///
    /// - Parameters:
    ///   - head: an entry whose stack is kept.
    /// - Complexity: O(n) in time and memory for n entries.
    static func read(_ connection: borrowing Connection, keeping head: Int64? = nil) throws(ArchiveError)
        -> HistoryChain
    {
        var chain = HistoryChain()
        var rows = try HistoryEntries(connection)
        let salt = try HistorySalt.stated(connection)
        while let entry = try rows.next() {
            chain.add(entry, salt)
            if entry.row == head {
                chain.liveAtHead = chain.live.map(\.observationID)
                chain.links[entry.row] = entry.digest
            }
        }
        return chain
    }

    /// Returns `true` if the entry of a head is there, and nothing up to it is broken.
    func has(_ head: HistoryHead) -> Bool {
        links[head.length] == head.link && archive == head.archive
            && !findings.contains { $0.row <= head.length }
    }

    /// Compares the history with a head (`Spec/history.md`, "Head"); `read` kept its entry.
    package func answer(to head: HistoryHead) -> HistoryAnswer {
        guard length > 0 else { return .notSealed }
        if let archive, archive != head.archive { return .anotherArchive }
        if length < head.length { return .rewound(to: length) }
        guard findings.isEmpty, links[head.length] == head.link else { return .forked }
        let now = Set(live.map(\.observationID))
        let gone = liveAtHead.filter { !now.contains($0) }
        return gone.isEmpty ? .extends(by: length - head.length) : .withdrawnSince(gone)
    }

    // MARK: One entry

    /// Continues with an entry as it is stored.
    mutating func add(_ entry: HistoryEntries.Entry, _ salt: HistorySalt?) {
        note(entry, salt)
        (lastLink, length) = (entry.digest, entry.row)
    }

    private mutating func note(_ entry: HistoryEntries.Entry, _ salt: HistorySalt?) {
        func found(_ fault: Fault, _ expected: String) -> Finding {
            Finding(fault: fault, row: entry.row, expected: expected)
        }
        if entry.link != entry.digest { findings.append(found(.link, entry.digest.hex)) }
        guard let content = entry.content else {
            return findings.append(
                found(.entry, "an entry of version 2, with the sequence and observation of its row"))
        }
        if content.previous != lastLink || content.sequence != length + 1 {
            findings.append(found(.previous, lastLink.map(\.hex) ?? "the first entry"))
        } else if let archive, archive != content.archive {
            findings.append(found(.previous, "the archive of the first entry"))
        }
        if archive == nil {
            archive = content.archive
            if content.archive != salt?.identity(madeAt: content.madeAt) {
                findings.append(found(.identity, "an identity that follows from archive_metadata history_salt"))
            }
        }
        if let rule = follow(content, entry.digest) { findings.append(found(.state, rule)) }
    }

    /// Returns the rule that an entry breaks by following those before it; `nil` if it may follow.
    private func brokenRule(_ entry: HistoryPreimage) -> String? {
        if entry.kind == .withdrawn {
            guard mayWithdraw(entry.observationID) else { return "the withdrawal of the newest live observation" }
        } else if let greatestNamed, entry.observationID <= greatestNamed {
            return "an observation beyond all that entries before name"
        }
        let context = entry.lastID(of: HistoryParts.contextLog.name) ?? .min
        let below = live.last?.lasts ?? []
        let goesDown =
            context < entries.last?.lasts[0] ?? .min
            || entry.kind != .withdrawn
                && HistoryParts.tables.enumerated().contains { place, table in
                    !below.isEmpty && (entry.lastID(of: table.name) ?? .min) < below[place + 1]
                }
        return goesDown ? "ids up to at least those that entries before state" : nil
    }

    private func mayWithdraw(_ id: Int64) -> Bool {
        if let newest = live.last { return newest.observationID == id }
        return switch below {
        case .nothing: false
        case .newest(let newest): id == newest
        case .smaller(let bound): bound.map { id < $0 } ?? true
        }
    }

    private mutating func accept(_ entry: HistoryPreimage, _ link: Digest) {
        let claim = Claim(
            sequence: entry.sequence, observationID: entry.observationID, observationHash: entry.observationHash,
            listsTypes: entry.listsTypes, statesFacts: entry.statesFacts, isSealed: entry.kind == .sealed, link: link,
            rows: entry.rows,
            lasts: HistoryParts.all.map { entry.lastID(of: $0.name) ?? .min })
        entries.append(claim)
        guard entry.kind != .withdrawn else {
            withdraw(entry.observationID)
            return withdrawals.append(claim)
        }
        live.append(claim)
        if case .smaller(than: nil) = below { below = .smaller(than: entry.observationID) }
        greatestNamed = entry.observationID
    }

    private mutating func withdraw(_ id: Int64) {
        if !live.isEmpty {
            live.removeLast()
            return
        }
        withdrawnBelow.append(id)
        below = .smaller(than: id)
        greatestNamed = max(greatestNamed ?? id, id)
    }
}

extension HistoryChain {
    /// A chain that begins after the first entry of its history.
    ///
    /// - Parameter newest: the observation of the entry before, if that made it live.
    init(afterObservation newest: Int64?) {
        below = newest.map { .newest($0) } ?? .smaller(than: nil)
        greatestNamed = newest
    }

    /// Continues with an entry, or returns the rule that it breaks.
    mutating func follow(_ entry: HistoryPreimage, _ link: Digest) -> String? {
        if let rule = brokenRule(entry) { return rule }
        accept(entry, link)
        return nil
    }
}

extension HistoryChain {
    /// Reads the history of an archive, for those who only read.
    package static func reading(_ reader: borrowing EvidenceReader, keeping head: Int64? = nil) throws(ArchiveError)
        -> HistoryChain
    {
        try read(reader.connection, keeping: head)
    }
}
