internal import Archive
internal import Manifest
internal import Preimages

/// Which sample a record is (`Spec/capture.md`, "Which sample a record is").
extension SampleRecorder {
    mutating func matchByUUID(_ sample: CapturePage.Sample, _ type: Int64) throws(ArchiveError) -> Match {
        guard let uuid = sample.uuidHash else { preconditionFailure("a match by UUID needs one") }
        if let found = try statements.find(type, uuid: uuid, payload: sample.payloadHash) {
            if found.id > lastKnownID { return .known(found, wasSeen: try !deletedOnly.remove(found.id)) }
            return .known(found, wasSeen: try !seen.insert(found.id))
        }
        return .new(try unusedFingerprint(sample, type))
    }

    /// The strict fingerprint of the next ordinal that no alike sample has.
    private mutating func unusedFingerprint(_ sample: CapturePage.Sample, _ type: Int64) throws(ArchiveError) -> Digest
    {
        var ordinal = 0
        while true {
            let fingerprint = fingerprint(sample.fingerprint, ordinal)
            guard try statements.find(type, fingerprint: fingerprint, payload: sample.payloadHash) != nil else {
                return fingerprint
            }
            // Where many are alike, the first ones are passed over at once.
            ordinal = ordinal == 0 ? max(1, try alikeCounts.number(of: sample.fingerprint)) : ordinal + 1
            if ordinal > 1 { try alikeCounts.set(ordinal, for: sample.fingerprint) }
        }
    }

    /// The first alike sample that was not seen and has the same payload, else the first that is visible, else the
    /// first, else a new one.
    mutating func matchByFingerprint(_ sample: CapturePage.Sample, _ type: Int64, _ lookup: Lookup) throws(ArchiveError)
        -> Match
    {
        let known: SampleStatements.Found?
        switch lookup {
        case .likelyNew: return .new(sample.fingerprint)
        case .lookedUp(let found): known = found
        case .notLookedUp:
            known = try statements.find(type, fingerprint: sample.fingerprint, payload: sample.payloadHash)
        }
        guard let first = known else { return .new(sample.fingerprint) }
        if first.isVisible, first.isSamePayload, try claim(first.id) { return .known(first, wasSeen: false) }
        var candidate: SampleStatements.Found?
        var visible: SampleStatements.Found?
        var looked = 0
        var ordinal = try firstFree.number(of: sample.fingerprint)
        var hasGap = false
        while looked < Self.lookahead {
            let fingerprint = fingerprint(sample.fingerprint, ordinal)
            guard let found = try statements.find(type, fingerprint: fingerprint, payload: sample.payloadHash) else {
                if candidate == nil { return .new(fingerprint) }
                break
            }
            if try isFree(found.id) {
                hasGap = true
                looked += 1
                // The part of the observation that is there already knows it as another record.
                if try isContradiction(found, sample) {
                    ordinal += 1
                    continue
                }
                if found.isVisible, found.isSamePayload, try claim(found.id) { return .known(found, wasSeen: false) }
                candidate = candidate ?? found
                if found.isVisible { visible = visible ?? found }
            } else if !hasGap {
                try firstFree.set(ordinal + 1, for: sample.fingerprint)
            }
            ordinal += 1
        }
        guard let candidate = visible ?? candidate else { return .new(try unusedFingerprint(sample, type)) }
        _ = try claim(candidate.id)
        return .known(candidate, wasSeen: false)
    }

    /// Whether no record of this observation has been taken for a sample yet.
    private mutating func isFree(_ id: Int64) throws(ArchiveError) -> Bool {
        if try pendingMembers.contains(id) { return true }
        guard id <= lastKnownID else { return false }
        return try !seen.contains(id)
    }

    /// Takes a sample for a record, if it is free.
    private mutating func claim(_ id: Int64) throws(ArchiveError) -> Bool {
        if try pendingMembers.remove(id) { return true }
        guard id <= lastKnownID else { return false }
        return try seen.insert(id)
    }

    /// The strict fingerprint of an ordinal (`Spec/identity.md`, "Content hashes").
    private mutating func fingerprint(_ base: Digest, _ ordinal: Int) -> Digest {
        guard ordinal > 0 else { return base }
        let preimage = CapturePreimage.alike(base, ordinal: ordinal)
        return hasher.digest(of: preimage.span, in: .strictFingerprint)
    }

    // MARK: Members of a correlation

    /// The sample that a member of a correlation is; a new one where the top level has none so far.
    mutating func member(
        _ sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs, evidence: RunFacts.Mode
    ) throws(ArchiveError) -> Int64 {
        let type = rows.types[sample.type]
        var candidate: Int64?
        var fallback: Int64?
        var ordinal = 0
        while ordinal < Self.lookahead,
            let found = try statements.find(
                type, fingerprint: fingerprint(sample.fingerprint, ordinal), payload: sample.payloadHash)
        {
            ordinal += 1
            guard try !isFree(found.id) else { continue }
            fallback = fallback ?? found.id
            guard try !linkedMembers.contains(found.id) else { continue }
            if found.isSamePayload {
                candidate = found.id
                break
            }
            candidate = candidate ?? found.id
        }
        let id: Int64
        if let known = candidate ?? fallback {
            id = known
        } else {
            // The record may come later and then is this sample.
            counts.records -= 1
            id = try record(sample, of: page, rows, evidence: evidence)
            _ = try pendingMembers.insert(id)
        }
        _ = try linkedMembers.insert(id)
        return id
    }

    /// Ends the records: members that are still without one are samples of their own.
    mutating func endRecords() {
        counts.correlationMembersOnly += pendingMembers.count
        counts.records += pendingMembers.count
    }
}
