internal import Archive
internal import Manifest
internal import Preimages
internal import SQLite

/// The match of a record with a sample (`Spec/capture.md`, "Which sample a record is").
extension SampleRecorder {
    mutating func matchByUUID(_ sample: CapturePage.Sample, _ type: Int64) throws(ArchiveError) -> Match {
        guard let uuid = sample.uuidHash else { preconditionFailure("a match by UUID needs one") }
        if let found = try statements.find(type, uuid: uuid, payload: sample.payloadHash) {
            if found.id > lastKnownID { return .known(found, wasSeen: try !deletedOnly.remove(found.id)) }
            return .known(found, wasSeen: try !seen.insert(found.id))
        }
        return .new(try unusedFingerprint(sample.fingerprint, type))
    }

    /// Returns the strict fingerprint of the next ordinal that no alike sample has.
    private mutating func unusedFingerprint(_ base: Digest, _ type: Int64) throws(ArchiveError) -> Digest {
        var ordinal = 0
        while true {
            let fingerprint = fingerprint(base, ordinal)
            guard try statements.find(type, fingerprint: fingerprint, payload: base) != nil else { return fingerprint }
            // Where many are alike, the first ones are passed over at once.
            ordinal = ordinal == 0 ? max(1, try alikeCounts.number(of: base)) : ordinal + 1
            if ordinal > 1 { try alikeCounts.set(ordinal, for: base) }
        }
    }

    /// Returns the first alike sample that was not seen and has the same payload. If the archive has none that is
    /// alike, the sample is new; else the record waits.
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
        var ordinal = try firstFree.number(of: sample.fingerprint)
        var (looked, hasGap) = (0, false)
        while looked < Self.lookahead,
            let found = try statements.find(
                type, fingerprint: fingerprint(sample.fingerprint, ordinal), payload: sample.payloadHash)
        {
            if try isFree(found.id) {
                hasGap = true
                looked += 1
                if found.isVisible, found.isSamePayload, try claim(found.id) { return .known(found, wasSeen: false) }
            } else if !hasGap {
                try firstFree.set(ordinal + 1, for: sample.fingerprint)
            }
            ordinal += 1
        }
        return .undecided
    }

    /// Returns `true` if no record of this observation has been taken for a sample yet.
    mutating func isFree(_ id: Int64) throws(ArchiveError) -> Bool {
        guard id <= lastKnownID else { return false }
        return try !seen.contains(id)
    }

    /// Takes a sample for a record, if it is free.
    private mutating func claim(_ id: Int64) throws(ArchiveError) -> Bool {
        guard id <= lastKnownID else { return false }
        return try seen.insert(id)
    }

    /// Returns the strict fingerprint of an ordinal (`Spec/identity.md`, "Content hashes").
    mutating func fingerprint(_ base: Digest, _ ordinal: Int) -> Digest {
        guard ordinal > 0 else { return base }
        let preimage = CapturePreimage.alike(base, ordinal: ordinal)
        return hasher.digest(of: preimage.span, in: .strictFingerprint)
    }

    // MARK: Records that wait

    /// Decides the samples of the records of a type that wait, and writes them; `nil` for all types.
    mutating func settle(_ type: Int64?, _ connection: borrowing Connection) throws(ArchiveError) {
        guard waiting.count > 0 else { return }
        var groups = try waiting.groups(of: type, connection)
        while try groups.step() {
            guard let fingerprint = groups.withBytes(1, { Digest(hex: $0) }) else {
                preconditionFailure("a record keeps digests")
            }
            try noteAlike(groups.integer(0) ?? 0, fingerprint)
        }
        try waiting.match(type, connection)
        let isLinked = waiting.hasLinks || waiting.memberCount > 0
        var matches = try waiting.matches(of: type, connection)
        var first: FirstAlike?
        while let (record, found) = try matches.next() {
            if let last = first, last.type != record.type || last.fingerprint != record.sample.fingerprint {
                try place(&first)
            }
            let id: Int64
            if let found {
                _ = try seen.insert(found.id)
                id = try write(found, false, record.sample, of: record.page, record.rows, record.evidence)
            } else {
                try putInOrder(record, &first)
                let fingerprint = try unusedFingerprint(record.sample.fingerprint, record.type)
                id = try add(record.sample, fingerprint, of: record.page, record.rows, record.evidence)
            }
            if isLinked { try waiting.settle(record.id, as: id) }
        }
        try place(&first)
        _ = consume matches
        _ = consume groups
        try waiting.forget(type, connection)
    }

    /// The first sample of a group that this observation began. It was written when its record came, and has its
    /// ordinal in the order of payload hashes once the others are known.
    private struct FirstAlike {
        let type: Int64
        let fingerprint: Digest
        /// `nil` where its ordinal stays.
        var moved: (id: Int64, payload: Digest)?
    }

    /// Prepares for a new sample of a group, and gives the first one of the group its ordinal when its turn comes.
    private mutating func putInOrder(_ record: WaitingRecords.Record, _ first: inout FirstAlike?)
        throws(ArchiveError)
    {
        let base = record.sample.fingerprint
        if first == nil {
            first = FirstAlike(type: record.type, fingerprint: base)
            let hasMore =
                try statements.find(record.type, fingerprint: fingerprint(base, 1), payload: base) != nil
            if !hasMore, let found = try statements.firstOfThisObservation(record.type, base),
                record.sample.payloadHash < found.payload
            {
                first?.moved = found
                try statements.setAside(found.id)
            }
        }
        if let moved = first?.moved, moved.payload < record.sample.payloadHash { try place(&first, isLast: false) }
    }

    /// Gives the first sample of a group the next ordinal, if it waits for one.
    private mutating func place(_ first: inout FirstAlike?, isLast: Bool = true) throws(ArchiveError) {
        if let group = first, let moved = group.moved {
            try statements.rename(moved.id, try unusedFingerprint(group.fingerprint, group.type))
            first?.moved = nil
        }
        if isLast { first = nil }
    }

    /// Notes the samples of a group that no record was taken for.
    private mutating func noteAlike(_ type: Int64, _ base: Digest) throws(ArchiveError) {
        var ordinal = 0
        while let found = try statements.find(type, fingerprint: fingerprint(base, ordinal), payload: base) {
            if try isFree(found.id) {
                // The part of the observation that is there already knows it as a certain record.
                let reserved = hasPart ? try statements.payloadOfThisDate(found.id) : nil
                var visible: [UInt8]?
                if let version = found.version { visible = try statements.payload(ofVersion: version) }
                try waiting.note(
                    found, of: type, base, place: ordinal, payload: visible ?? reserved, isReserved: reserved != nil)
            }
            ordinal += 1
        }
    }

    // MARK: Members of a correlation

    /// Makes records of the members that are alike to no record that was seen: of those that are alike to each other,
    /// the first.
    mutating func settleMembers(_ connection: borrowing Connection) throws(ArchiveError) {
        var alone = try FingerprintNumbers.make("members_alone", connection)
        var members = try waiting.members(connection)
        while let (record, _) = try members.next() {
            guard try firstSeen(like: record) == nil, try alone.number(of: record.sample.fingerprint) == 0 else {
                continue
            }
            try alone.set(1, for: record.sample.fingerprint)
            _ = try waiting.add(record.sample, of: record.page, record.rows, record.evidence)
            counts.correlationMembersOnly += 1
        }
        try settle(nil, connection)
    }

    /// Returns the sample that a member of a correlation is.
    mutating func sample(of member: WaitingRecords.Record) throws(ArchiveError) -> Int64 {
        let (sample, type) = (member.sample, member.type)
        var candidate: Int64?
        var ordinal = try firstUnlinked.number(of: sample.fingerprint)
        while let found = try statements.find(
            type, fingerprint: fingerprint(sample.fingerprint, ordinal), payload: sample.payloadHash)
        {
            ordinal += 1
            var isOpen = try !isFree(found.id)
            if isOpen { isOpen = try !linkedMembers.contains(found.id) }
            if isOpen {
                candidate = candidate ?? found.id
                guard !found.isSamePayload else {
                    candidate = found.id
                    break
                }
            } else if candidate == nil {
                try firstUnlinked.set(ordinal, for: sample.fingerprint)
            }
        }
        let known = try candidate == nil ? firstSeen(like: member) : candidate
        guard let id = known else { preconditionFailure("a member alone is a record") }
        _ = try linkedMembers.insert(id)
        return id
    }

    /// Returns the first sample that is alike and was seen.
    private mutating func firstSeen(like record: WaitingRecords.Record) throws(ArchiveError) -> Int64? {
        var ordinal = 0
        while let found = try statements.find(
            record.type, fingerprint: fingerprint(record.sample.fingerprint, ordinal),
            payload: record.sample.payloadHash)
        {
            if try !isFree(found.id) { return found.id }
            ordinal += 1
        }
        return nil
    }
}
