public import Archive
internal import Manifest
internal import SQLite

extension ObservationRecorder {
    /// Ends the observation; returns its status. What was compared is rolled back, all else still has to be kept.
    ///
    /// - Parameter account: what the source has beside its records.
    /// - Throws: `ArchiveError` with the code `evidence` also where a guard refuses what is whole.
    public mutating func finish(
        _ source: SourceEnd, account: SourceAccount = SourceAccount(), now: Double, in archive: borrowing Archive
    ) throws(ArchiveError) -> String {
        try begin(archive)
        do throws(ArchiveError) {
            if isBehind { return try leave(source, archive) }
            try settle(archive.connection)
            try resolveLinks(archive.connection)
            // What follows sorts, and a sorter takes as much memory as the cache may have.
            try archive.connection.execute("PRAGMA cache_size = -8000")
            defer { try? archive.connection.execute("PRAGMA cache_size = -40000") }
            try samples.semanticIndex.restore(archive.connection)
            try endOpenRuns(source, but: account.unaskedTypes, now: now, archive.connection)
            try write(account, source, archive.connection)
            // Of a source that ended early, the links may still come.
            if source == .complete { samples.noteEndedRelationships(try relationships.end(archive.connection)) }
            if let status = try compare(source, archive) { return status }
            let status = try ObservationEnd(id: id, chainID: chainID, program: program, memory: memory).write(
                status(source), now: now, archive.connection)
            if implicitMode != nil, source == .complete { try checkDisappearances(archive.connection) }
            try samples.counts.become(whatChangedAt: id, isResumed: start == .resumed, archive.connection)
            return status
        } catch {
            archive.rollBack()
            throw error
        }
    }

    /// Decides what every record and every member of another one is, and writes their links.
    private mutating func settle(_ connection: borrowing Connection) throws(ArchiveError) {
        try samples.settle(nil, connection)
        guard samples.waiting.hasLinks || samples.waiting.memberCount > 0 else { return }
        try samples.settleMembers(connection)
        var members = try samples.waiting.members(connection)
        while let (member, _) = try members.next() {
            let source = try samples.waiting.sample(member.parent ?? 0)
            try relate(source, try samples.sample(of: member), member.linkKind)
        }
        _ = consume members
        var links = try samples.waiting.links(connection)
        while try links.step() {
            let source = try samples.waiting.sample(links.integer(0) ?? 0)
            let target = try samples.waiting.sample(links.integer(1) ?? 0)
            try relate(source, target, links.bytes(2))
        }
        _ = consume links
        try samples.waiting.forgetLinks(connection)
    }

    private mutating func write(
        _ account: SourceAccount, _ source: SourceEnd, _ connection: borrowing Connection
    ) throws(ArchiveError) {
        let recorder = DocumentRecorder(observationID: id, chainID: chainID)
        if let documents = account.documents {
            let (opened, closed) = try recorder.write(
                documents, closes: source == .complete && account.hasAllDocuments, connection)
            samples.noteDocuments(opened: opened, closed: closed)
        }
        if start != .compared { try recorder.write(account.unknownNames, connection) }
    }

    private mutating func checkDisappearances(_ connection: borrowing Connection) throws(ArchiveError) {
        let hasRecords = counts.records > 0 || !counts.rejected.isEmpty
        let override = try guards.checkDisappearances(hasRecords: hasRecords, connection)
        if let override { overrides.append(override) }
    }

    private mutating func resolveLinks(_ connection: borrowing Connection) throws(ArchiveError) {
        var links = try DistantLinks.open(connection)
        while let link = try links.next() {
            let source = try samples.sample(
                type: link.source.type, typeIdentifier: link.source.identifier, link.source.uuidHash)
            let target = try samples.sample(
                type: link.target.type, typeIdentifier: link.target.identifier, link.target.uuidHash)
            try relate(source, target, link.kind, metadata: link.metadata)
        }
    }

    /// Ends the runs that the source did not end. Implied runs of a complete source are complete, those of earlier
    /// observations' types included.
    ///
    /// - Parameter unasked: types that a complete source says nothing of.
    private mutating func endOpenRuns(
        _ source: SourceEnd, but unasked: [[UInt8]], now: Double, _ connection: borrowing Connection
    ) throws(ArchiveError) {
        if implicitMode != nil, source == .complete {
            var known = try connection.prepare(
                """
                SELECT DISTINCT u.sample_type_id, t.type_identifier FROM observation_type_runs u
                    JOIN observations o ON o.id = u.observation_id JOIN sample_types t ON t.id = u.sample_type_id \
                WHERE o.device_chain_id = \(chainID) ORDER BY 1
                """)
            var missing: [(Int64, [UInt8])] = []
            while try known.step() {
                guard let type = known.integer(0), runs.mode(of: type) == nil else { continue }
                let identifier = known.bytes(1)
                if !unasked.contains(identifier) { missing.append((type, identifier)) }
            }
            for (type, identifier) in missing {
                try runs.begin(RunFacts(sampleType: identifier, mode: .fullScan), type: type, now: now)
            }
        }
        if hasUntypedRejection { runs.noteRejectionOfAll() }
        let open = runs.runs.filter { $0.value.isOpen }.keys.sorted()
        let ends = open.map { type in
            var end = RunEnd(sampleType: [], status: implicitMode != nil && source == .complete ? .completed : .failed)
            if end.status == .failed {
                end.errorKind = Array("source_\(source == .complete ? "incomplete" : source.rawValue)".utf8)
            }
            return (type, end)
        }
        let isLast = implicitMode != nil && source == .complete
        samples.noteDisappeared(try end(ends, isLast: isLast, now: now, connection))
    }

    /// Holds what was sent against what was captured of its date; returns the status of that, and rolls everything
    /// back, unless there is more. Returns `nil` if the observation is kept.
    private mutating func compare(_ source: SourceEnd, _ archive: borrowing Archive) throws(ArchiveError) -> String? {
        guard start == .compared || place.goesBeyond != nil else { return nil }
        differences = try again.differences(source, status(source), samples, archive.connection)
        guard !differences.isLonger else { return nil }
        return try rollBack(to: place.goesBeyond ?? id, archive)
    }

    private var again: SentAgain { SentAgain(place: place, lastEventID: lastEventID) }

    /// Leaves an observation as it was captured before; returns its status.
    private mutating func rollBack(to known: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        (id, start) = (known, .compared)
        archive.rollBack()
        memory.forget()
        return try archive.connection.text("SELECT status FROM observations WHERE id = \(id)") ?? ""
    }

    /// Notes whether all that an observation which is resumed has was sent again by now. From then on its pages are
    /// kept, unless something contradicts it.
    mutating func catchUp(_ connection: borrowing Connection) throws(ArchiveError) {
        guard isBehind else { return }
        if samples.contradictions == nil {
            guard try again.isAllSent(from: &nextEvent, connection) else { return }
        }
        differences.fault = try again.contradiction(samples, connection)
        isBehind = differences.fault != nil
    }

    /// Leaves an observation that was to be resumed, since its source ended before all that it has was sent again. With
    /// something new that is a difference, and so it is where the source was read to its end.
    private mutating func leave(_ source: SourceEnd, _ archive: borrowing Archive) throws(ArchiveError) -> String {
        if source == .complete || counts.hasEvidence {
            differences.fault = try again.lost(of: id, archive.connection)
        }
        return try rollBack(to: id, archive)
    }

    private func status(_ source: SourceEnd) -> String {
        if let status = source.status { return status }
        if runs.runs.values.contains(where: \.isIncomplete) { return "partial_types" }
        return !counts.rejected.isEmpty || counts.conflicts > 0 ? "needs_review" : "completed"
    }
}

/// The links that wait, one after the other.
struct DistantLinks: ~Copyable {
    struct Link {
        let source: (type: Int64, identifier: [UInt8], uuidHash: Digest)
        let target: (type: Int64, identifier: [UInt8], uuidHash: Digest)
        let kind: [UInt8]
        let metadata: Int64?
    }

    private var rows: Statement

    static func open(_ connection: borrowing Connection) throws(ArchiveError) -> DistantLinks {
        DistantLinks(
            rows: try connection.prepare(
                """
                SELECT l.source_type, s.type_identifier, l.source_uuid, l.target_type, t.type_identifier,
                    l.target_uuid, l.kind, l.metadata_id FROM temp.distant_links l \
                JOIN sample_types s ON s.id = l.source_type JOIN sample_types t ON t.id = l.target_type ORDER BY l.id
                """))
    }

    mutating func next() throws(ArchiveError) -> Link? {
        guard try rows.step() else { return nil }
        let (source, target) = (rows.bytes(2), rows.bytes(5))
        guard let sourceHash = Digest(hex: source.span), let targetHash = Digest(hex: target.span) else {
            preconditionFailure("a link keeps digests")
        }
        return Link(
            source: (rows.integer(0) ?? 0, rows.bytes(1), sourceHash),
            target: (rows.integer(3) ?? 0, rows.bytes(4), targetHash), kind: rows.bytes(6), metadata: rows.integer(7))
    }
}
