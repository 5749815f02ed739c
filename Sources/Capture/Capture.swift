public import Archive
public import Changes
internal import CanonicalJSON
public import Files
internal import Manifest
internal import Preimages
public import Recording
internal import Timestamps

/// Brings what a source gives into an archive (`Spec/capture.md`).
///
///     source ──► pages ──► ObservationRecorder ──► archive
///                an actor: the next page is made while the last one is stored
///
/// | type | what it settles |
/// |---|---|
/// | `PageBuilder`, `CapturedRecord` | normal values, hashes, pages |
/// | `ArchiveSecret` | the key of private hashes, the seed of device chains |
/// | `FeedReader` | the capture feed |
/// | `Capture` | one or more observations from beginning to end, and the context log |
public struct Capture: ~Copyable {
    let archive: Archive
    /// The archive's secret.
    public let secret: ArchiveSecret
    private let hooks: Hooks
    private let program: String
    private var log: ContextLog
    private let memory = AggregateMemory()
    /// Why the days of the current observation go by its offset although it names a zone.
    private var zoneProblem: ZoneProblem?
    private let lock: CaptureLock?
    /// `true` if the secret has its file, or gets none.
    private var isSecretKept: Bool
    /// `true` if the source was left before its end because `shouldStop` returned `true`.
    public private(set) var wasStopped = false

    /// Opens an archive for captures by one process.
    ///
    /// - Parameters:
    ///   - lock: that of the archive, taken before the archive and its secret were looked at.
    ///   - program: what the context log calls the tool.
    public static func open(
        _ path: Path, lock: consuming CaptureLock, secret: ArchiveSecret, program: String, wait: LockWait, hooks: Hooks
    ) throws -> Capture {
        let archive = try Archive.open(path, for: .capturing, wait: wait)
        let log = try archive.contextLog(program: program, now: hooks.now())
        return Capture(archive: archive, secret: secret, hooks: hooks, program: program, log: log, lock: lock)
    }

    /// Begins an archive that gets its name when the capture is closed.
    ///
    /// - Parameters:
    ///   - lock: as for `open`.
    ///   - replaced: whether a prototype of that name was moved aside.
    ///   - hasUUIDs: `true` if the records of the source have UUIDs.
    public static func create(
        _ path: Path, lock: consuming CaptureLock, origin: Archive.Origin, replaced: Bool, hasUUIDs: Bool,
        secret: ArchiveSecret, wait: LockWait, hooks: Hooks
    ) throws -> Capture {
        let archive = try Archive.draft(path, origin: origin, replaced: replaced, hasUUIDs: hasUUIDs, wait: wait)
        let log = try archive.contextLog(program: origin.program, now: hooks.now())
        return Capture(
            archive: archive, secret: secret, hooks: hooks, program: origin.program, log: log, lock: lock)
    }

    /// Begins a capture that keeps nothing: it writes to a private copy, or to a new archive in the folder of temporary
    /// files. Nothing of the archive, nothing beside it and no secret is created or changed.
    ///
    /// - Parameters:
    ///   - origin: that of an archive that would be created; nil where there is one.
    ///   - replaced: as for `create`.
    ///   - isWhole: whether an archive that would be created would get its name at the end.
    ///   - hasUUIDs: as for `create`.
    public static func rehearse(
        _ path: Path, creating origin: Archive.Origin?, replaced: Bool, isWhole: Bool, hasUUIDs: Bool,
        secret: ArchiveSecret, program: String, wait: LockWait, hooks: Hooks
    ) throws -> Capture {
        let archive: Archive
        if let origin {
            archive =
                isWhole
                ? try Archive.draft(
                    path, origin: origin, replaced: replaced, rehearses: true, hasUUIDs: hasUUIDs, wait: wait)
                : try Archive.rehearse(path, origin: origin, replaced: replaced, wait: wait)
        } else {
            archive = try Archive.open(path, for: .rehearsing, wait: wait)
        }
        let log = try archive.contextLog(program: program, now: hooks.now())
        return Capture(archive: archive, secret: secret, hooks: hooks, program: program, log: log, lock: nil)
    }

    /// The rules of the archive.
    public var rules: CaptureRules {
        get throws {
            guard let text = try archive.privateMetadata() else { return CaptureRules() }
            guard let patterns = KeyPattern.patterns(of: text) else {
                throw CaptureError(
                    .evidence, "\(archive.path.display): archive_metadata: private_metadata is no list of patterns")
            }
            return CaptureRules(privateMetadata: patterns)
        }
    }

    /// Throws where the archive has other patterns of private metadata than these: they were fixed when it was made.
    public func check(privateMetadata patterns: [UInt8]) throws {
        guard try archive.privateMetadata() != patterns else { return }
        throw CaptureError(
            .evidence, "\(archive.path.display): was made with other patterns of private metadata, which are fixed",
            hint: "leave --private-metadata out, or begin another archive")
    }

    /// Ends the work; a new archive gets its name, unless a stopped export was all that it would hold. Returns the head
    /// of its history; `nil` if it is not sealed.
    @discardableResult
    public consuming func close() throws -> HistoryHead? {
        Self.end(log)
        // Nothing is kept of an export that was stopped, and no archive that would hold nothing.
        if archive.isDraft, wasStopped { return nil }
        let head = try archive.isSealed() ? archive.historyHead() : nil
        if archive.isDraft { try archive.publish() }
        return head
    }

    private static func end(_ log: consuming ContextLog) {}

    private init(
        archive: consuming Archive, secret: ArchiveSecret, hooks: Hooks, program: String, log: consuming ContextLog,
        lock: consuming CaptureLock?
    ) {
        isSecretKept = !secret.isNew || archive.isRehearsal
        self.archive = archive
        self.secret = secret
        self.hooks = hooks
        self.program = program
        self.log = log
        self.lock = lock
    }

    // MARK: One observation from pages

    /// Captures one observation whose types need no runs of their own, as a whole: it is kept or nothing is.
    /// Returns `nil` if it was stopped.
    ///
    /// - Parameters:
    ///   - birthDate: that of the person, once it was read.
    ///   - account: asked after the last page.
    ///   - end: the same; `nil` if the source was stopped.
    public mutating func run(
        _ observation: Observation, from source: some PageSource,
        birthDate: @Sendable () async -> [UInt8]?, account: @Sendable () async -> SourceAccount,
        end: @Sendable () async -> SourceEnd?
    ) async throws -> Result? {
        var recorder = try begin(observation)
        var isPersonKnown = false
        do {
            var page = try await source.next()
            while true {
                if !isPersonKnown, let birthDate = await birthDate() {
                    isPersonKnown = true
                    try recorder.note(person: secret.personHash(birthDate), in: archive)
                }
                guard let current = page else { break }
                async let following = source.next()
                try recorder.ingest(current, now: hooks.now(), in: archive)
                hooks.progress(recorder.counts.records)
                page = try await following
                if hooks.shouldStop() { break }
            }
            // A source that was asked to stop gives no further page, and no end.
            guard !hooks.shouldStop(), let end = await end() else {
                stop()
                return nil
            }
            return try finish(&recorder, end, await account())
        } catch {
            archive.rollBack()
            throw error
        }
    }

    // MARK: Observations from a feed

    /// Captures the observations of a feed, one after the other. One that is stopped stays `running`, with the pages
    /// that were committed: sent again, it is resumed.
    ///
    /// - Parameters:
    ///   - backup: what the backup states of which the feed is made in memory. Its observation is kept whole, as that
    ///     of an Apple Health export.
    ///   - report: told of each observation that ended.
    public mutating func run(
        feed source: some StepSource, of backup: Backup? = nil, report: (Result) throws -> Void
    ) async throws {
        var step = try await source.next()
        while let current = step {
            guard case .beginObservation(let facts) = current else { preconditionFailure("an observation comes first") }
            let kind = SourceKind(ofFeed: facts.triggerReason)
            var recorder = try begin(
                Observation(facts: facts, kind: kind, implicitMode: backup == nil ? nil : .fullScan))
            do {
                if let phone = backup?.phone { try recorder.note(phone: secret.phoneHash(phone), in: archive) }
                // The rest of an observation that was stopped is not looked at.
                guard let result = try await follow(&recorder, source) else { return stop() }
                try report(result)
            } catch {
                archive.rollBack()
                if recorder.isKeptByPages { noteFailure(recorder.id) }
                throw error
            }
            step = try await source.next()
            if step != nil, hooks.shouldStop() { return stop() }
        }
    }

    /// Leaves what was not committed.
    private mutating func stop() {
        archive.rollBack()
        wasStopped = true
    }

    /// Captures an observation to its end; returns `nil` if it was stopped.
    private mutating func follow(_ recorder: inout ObservationRecorder, _ source: some StepSource) async throws
        -> Result?
    {
        var pages: [[UInt8]] = []
        var step = try await source.next()
        while let current = step {
            if hooks.shouldStop() { return nil }
            // What follows belongs to the next observation and must not be asked for here.
            if case .endObservation(let end) = current { return try finish(&recorder, end) }
            async let following = source.next()
            switch current {
            case .beginObservation: preconditionFailure("a feed ends an observation before the next one")
            case .beginRun(let facts):
                try recorder.beginRun(facts, now: hooks.now(), in: archive)
                try checkSame(recorder, "")
            case .endRun(let facts):
                try recorder.endRun(facts, now: hooks.now(), in: archive)
                let type = printable(facts.sampleType, limit: 100)
                try checkSame(recorder, " at the end of the run of \(type)")
            case .endObservation: preconditionFailure("the end was looked at before")
            case .page(let page, let number, let digest):
                if number <= pages.count {
                    guard pages[number - 1] == digest else {
                        throw CaptureError(
                            .format,
                            "\(archive.path.display): "
                                + "observation \(recorder.id): page \(number) is sent again with another content")
                    }
                } else {
                    pages.append(digest)
                    try recorder.ingest(page, now: hooks.now(), in: archive)
                    try checkSame(recorder, " in page \(number)")
                    hooks.progress(recorder.counts.records)
                }
            }
            step = try await following
        }
        // A source that was asked to stop gives no further step.
        return hooks.shouldStop() ? nil : try finish(&recorder, .truncated)
    }

    /// Returns the types that the chain of a kind of source has runs of.
    public func knownTypes(of kind: SourceKind) throws -> [[UInt8]] {
        try archive.typesOfRuns(onChain: secret.deviceChainHash(kind))
    }

    // MARK: Beginning and end

    private mutating func begin(_ stated: Observation) throws -> ObservationRecorder {
        var observation = stated
        zoneProblem = observation.facts.findZone()
        archive.heedStops(true)
        let now = hooks.now(), place = secret.path.display
        let chain = secret.deviceChainHash(observation.kind)
        let override = try archive.checkChain(
            chain, kind: observation.kind.triggerReason, source: observation.kind.plural,
            secret: secret.isNew ? "there is no secret \(place)" : "\(place) is the secret of another chain",
            guards: hooks.guards)
        // What is committed page by page needs its secret from the first one on.
        if observation.implicitMode == nil { try keepSecret() }
        var beginning = ObservationBeginning(
            facts: observation.facts, deviceChainHash: chain, isSeedKnown: !secret.isNew, program: program, now: now)
        beginning.implicitMode = observation.implicitMode
        beginning.acceptsBackwards = observation.kind == .healthStore
        beginning.acceptsClock = hooks.acceptsClock
        beginning.isWhole = observation.implicitMode != nil
        beginning.guards = hooks.guards
        beginning.memory = memory
        beginning.selectedTypeSetHash = observation.facts.selectedTypes.map(TypeSet.hash)
        beginning.selectedTypesText = observation.facts.selectedTypes.map(TypeSet.text)
        let recorder = try ObservationRecorder.begin(beginning, in: archive)
        archive.heedStops(false)
        do {
            if recorder.start != .compared { try noteBeginning(recorder, observation.kind, override, now: now) }
            try recorder.keep(in: archive, atEnd: false)
        } catch {
            archive.rollBack()
            throw error
        }
        return recorder
    }

    private mutating func noteBeginning(
        _ recorder: borrowing ObservationRecorder, _ kind: SourceKind, _ override: GuardOverride?, now: Double
    ) throws {
        if recorder.isNewChain {
            try note(.deviceChainStarted, of: recorder.id, now: now, ["recovered": !secret.isNew])
        }
        for ended in recorder.endedBefore {
            try note(.captureFinished, of: ended, now: now, ["status": "partial_interrupted"])
        }
        for case let override? in [override, recorder.clockOverride] { try note(override, of: recorder.id, now: now) }
        let start: ContextLog.Kind = recorder.start == .new ? .captureStarted : .captureResumed
        try note(start, of: recorder.id, now: now, ["source": kind.rawValue])
    }

    private mutating func finish(
        _ recorder: inout ObservationRecorder, _ end: SourceEnd, _ account: SourceAccount = SourceAccount()
    ) throws -> Result {
        let now = hooks.now()
        let status = try recorder.finish(end, account: account, now: now, in: archive)
        let counts = recorder.counts
        let result = Result(
            observationID: recorder.id, start: recorder.start, status: status, counts: counts,
            isNewChain: recorder.isNewChain, endedBefore: recorder.endedBefore, goesBeyond: recorder.goesBeyond,
            daysByOffset: recorder.start == .compared ? 0 : try archive.daysByOffset(of: recorder.id),
            zoneProblem: recorder.start == .new ? zoneProblem : nil,
            links: recorder.start == .compared ? LinkCounts() : try archive.linkChanges(at: recorder.id),
            summary: try archive.summary(of: recorder.id))
        guard recorder.start != .compared else {
            try checkDifferences(recorder)
            return result
        }
        let detail = LogDetail.text(of: counts, status: status)
        try log.add(.captureFinished, at: now, observationID: recorder.id, detail: detail)
        for (kind, detail) in try archive.contextChanges(at: recorder.id) {
            try log.add(kind, at: now, observationID: recorder.id, detail: detail)
        }
        for override in recorder.overrides { try note(override, of: recorder.id, now: now) }
        try keepSecret()
        try recorder.keep(in: archive, atEnd: true)
        return result
    }

    private mutating func note(_ override: GuardOverride, of id: Int64, now: Double) throws {
        let counts = JSONObject(override.counts)
        try note(.guardOverridden, of: id, now: now, counts.adding(["option": override.option]))
    }

    private mutating func note(_ kind: ContextLog.Kind, of id: Int64, now: Double, _ detail: JSONObject) throws {
        try log.add(kind, at: now, observationID: id, detail: detail.text)
    }

    /// Keeps the secret. It gets its file when something is kept that needs it, and not before.
    private mutating func keepSecret() throws {
        guard !isSecretKept else { return }
        try secret.save()
        isSecretKept = true
    }

    private mutating func noteFailure(_ observationID: Int64) {
        // The error itself is what the user is told; a log that cannot be written must not hide it.
        try? note(.captureFailed, of: observationID, now: hooks.now(), ["status": "running"])
    }
}

/// A set of types: its hash (`Spec/identity.md`), and what is hashed.
enum TypeSet {
    /// Returns the canonical array of the types, sorted, each once.
    static func text(_ types: [[UInt8]]) -> [UInt8] { CapturePreimage.typeSet(types) }

    static func hash(_ types: [[UInt8]]) -> [UInt8] {
        var hasher = ContentHasher()
        let bytes = CapturePreimage.typeSet(types)
        return Array(hasher.digest(of: bytes.span, in: .typeSet).hex.utf8)
    }
}

/// Refuses sources that were captured before and differ (`Spec/capture.md`, "Sent again").
extension Capture {
    /// Throws if a source that is finished differs from what was captured before.
    func checkDifferences(_ recorder: borrowing ObservationRecorder) throws {
        let differences = recorder.differences
        guard let fault = differences.fault else {
            let types = differences.types.prefix(3).map { printable($0.utf8, limit: 100) }
            return try checkSame(recorder, types.isEmpty ? "" : " in \(types.joined(separator: ", "))")
        }
        let place = fault.type.map { " in \(printable($0.utf8, limit: 100))" }
        throw CaptureError.differs(recorder.id, of: archive.path, place ?? "", fault.text, later: recorder.later)
    }

    /// Throws if an observation that was captured before is sent again and has other evidence so far, or if one that is
    /// resumed is contradicted.
    func checkSame(_ recorder: borrowing ObservationRecorder, _ place: String) throws {
        if recorder.differences.fault != nil { return try checkDifferences(recorder) }
        guard recorder.start == .compared, recorder.counts.hasEvidence else { return }
        let what = LogDetail.differences(recorder.counts)
        throw CaptureError.differs(recorder.id, of: archive.path, place, what, later: recorder.later)
    }
}

/// The text in `context_log.detail_json`: counts, statuses and codes.
enum LogDetail {
    /// Returns the counts of a capture; counts of zero are left out.
    static func text(of counts: CaptureCounts, status: String) -> String {
        let numbers = JSONObject(numbers(counts).filter { $0.count > 0 }.map { ($0.name, $0.count) })
        return numbers.adding(["status": status]).text
    }

    /// Returns the counts of what differs between a source and its capture.
    static func differences(_ counts: CaptureCounts) -> String {
        numbers(counts).filter {
            $0.count > 0
                && [
                    "appeared", "disappeared", "ended_relationships", "gone_documents", "new_documents",
                    "new_relationships", "new_samples", "new_versions", "representation_changed",
                ].contains($0.name)
        }
        .map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }

    static func numbers(_ counts: CaptureCounts) -> [(name: String, count: Int)] {
        [
            ("appeared", counts.appeared), ("conflicts", counts.conflicts),
            ("correlation_member_only", counts.correlationMembersOnly), ("deleted_objects", counts.deletedObjects),
            ("disappeared", counts.disappeared), ("ended_relationships", counts.endedRelationships),
            ("gone_documents", counts.goneDocuments), ("new_documents", counts.newDocuments),
            ("new_relationships", counts.newRelationships),
            ("new_samples", counts.newSamples), ("new_versions", counts.newVersions),
            ("records", counts.records), ("rejected", counts.rejected.values.reduce(0, +)),
            ("representation_changed", counts.representationChanged), ("unchanged", counts.unchanged),
            ("withheld", counts.withheld),
        ]
    }
}

/// The values that a capture takes and returns.
extension Capture {
    /// The functions that a capture calls while it works, and those that can stop it.
    public struct Hooks: Sendable {
        /// Told how many records are stored.
        public var progress: @Sendable (Int) -> Void
        /// Asked between two pages.
        public var shouldStop: @Sendable () -> Bool
        /// Unix seconds.
        public var now: @Sendable () -> Double
        /// `true` if an observation that is dated in the future is captured.
        public var acceptsClock: Bool
        /// The changes that are made only if somebody accepted them.
        public var guards = CaptureGuards()

        /// Hooks.
        public init(
            progress: @escaping @Sendable (Int) -> Void, shouldStop: @escaping @Sendable () -> Bool,
            acceptsClock: Bool = false,
            now: @escaping @Sendable () -> Double
        ) {
            self.progress = progress
            self.shouldStop = shouldStop
            self.acceptsClock = acceptsClock
            self.now = now
        }
    }

    /// The outcome of one observation.
    public struct Result: Sendable {
        public let observationID: Int64
        public let start: ObservationStart
        /// Its status; where it was compared, the one that it would have.
        public let status: String
        public let counts: CaptureCounts
        public let isNewChain: Bool
        /// Observations that were running and were ended for this one.
        public let endedBefore: [Int64]
        /// The observation of the same date that this one goes beyond.
        public let goesBeyond: Int64?
        /// Days of its aggregates that go by an offset, without a zone's name.
        public let daysByOffset: Int
        /// Why its days go by its offset although it names a zone.
        public let zoneProblem: ZoneProblem?
        /// Relationships that changed against the observation before.
        public let links: LinkCounts
        /// Its date, and what its summaries say of each type.
        public let summary: ObservationSummary
    }

    /// A backup of which a feed is made in memory.
    public struct Backup: Sendable {
        /// The identifier of the phone; `nil` if nothing identifies it.
        public var phone: [UInt8]?

        /// A backup.
        public init(phone: [UInt8]?) { self.phone = phone }
    }

    /// A source of pages that makes up one observation.
    public struct Observation: Sendable {
        public var facts: ObservationFacts
        public var kind: SourceKind
        /// The mode of types for which no run is begun.
        public var implicitMode: RunFacts.Mode?

        /// An observation.
        public init(facts: ObservationFacts, kind: SourceKind, implicitMode: RunFacts.Mode? = nil) {
            self.facts = facts
            self.kind = kind
            self.implicitMode = implicitMode
        }
    }
}
