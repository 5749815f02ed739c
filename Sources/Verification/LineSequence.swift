internal import Archive
internal import Codes
internal import Format
internal import Manifest

/// Puts the lines of all frames together: header first, items in order, manifest last, and what they add up to
/// (`Spec/lines.md`).
struct LineSequence {
    private let sink: (any ItemSink)?
    private(set) var header: HeaderFacts?
    private(set) var manifest: ManifestFacts?
    /// The places of header and manifest: a finding without a code of its own.
    private var headerPlace: Finding?, manifestPlace: Finding?
    /// The header of a salvage, where the file is one.
    private(set) var salvage: SalvageFacts?
    /// `true` if the file is a salvage, by its first header or last line that is whole.
    private(set) var isSalvage = false
    private(set) var itemCount = 0
    /// The manifest hash that follows from the lines; `nil` if lines are lost.
    private(set) var computedHash: String?
    /// The part of a line that the last frame left.
    private var openLine = OpenLine()
    /// Number of the last frame.
    private(set) var frame = 0
    private var lines = 0
    /// The line of the event that is being looked at, within its frame.
    private var eventLine = 0
    /// False once a frame is lost: lines have no number from there on.
    private var hasLineNumbers = true
    /// `true` if there was a line, or a loss.
    private var isStarted = false
    /// `true` if there was a header, damaged or not: another one is not looked at.
    private(set) var hasSeenHeader = false
    private var hasSeenManifest = false, hasReportedAfter = false
    /// The kind of the latest line; nil where it is damaged or lost.
    private var latest: LineKind?
    private var blank = BlankRun()
    private var lastItem: RunEnd?
    private var types: [(name: [UInt8]?, counts: TypeCounts)] = []
    private var typeIndex: [[UInt8]?: Int] = [:]
    private var hasher: HasherBox?
    /// Relationships with both ends in scope, and which of their ends were there.
    private var relationships: [RelationshipKey: RelationshipEnds] = [:]
    private let alike = AlikeFingerprints()
    /// `true` if lines come in frames, so that findings name them.
    private let hasFrames: Bool
    /// The hashes of the items of a view, of which nothing else is known; `nil` if it is none.
    private let viewHashes: ViewHashes?

    /// The number of lines that may still be something else than undamaged items.
    private var otherLimit: Int

    init(sink: (any ItemSink)?, otherLimit: Int, hasFrames: Bool = true, isView: Bool = false) {
        viewHashes = isView ? ViewHashes() : nil
        self.sink = sink
        self.otherLimit = otherLimit
        self.hasFrames = hasFrames
    }

    /// The facts of the lines so far.
    var before: LinesBefore { LinesBefore(header: header, hasSeenHeader: hasSeenHeader, otherLimit: otherLimit) }

    var hasOpenLine: Bool { openLine.isThere }

    /// Gives away what the last frame left of a line.
    mutating func takeOpenLine() -> OpenLine {
        var line = OpenLine()
        swap(&line, &openLine)
        return line
    }

    private mutating func lose(at layer: Layer, _ report: inout Report) {
        isStarted = true
        latest = nil
        report.withhold(after: layer)
    }

    /// Notes a frame whose text is lost.
    mutating func loseFrame(_ report: inout Report) {
        lose(at: .container, &report)
        hasLineNumbers = false
        openLine = OpenLine()
        frame += 1
    }

    /// Notes a line whose text is lost, and which is known to be one.
    mutating func loseLine(_ report: inout Report) {
        lose(at: .container, &report)
        lines += 1
    }

    /// The number of frames that findings name.
    private var namedFrame: Int? { hasFrames && frame > 0 ? frame : nil }

    /// Follows the lines of a frame.
    mutating func follow(_ result: VerifiedPiece, _ report: inout Report) throws(EndOfExamination) {
        frame = result.piece.frame?.number ?? frame
        eventLine = 0
        for event in result.events {
            try follow(event, &report)
            eventLine += event.lineCount
        }
        lines += result.lineCount
        otherLimit -= result.otherCount
        openLine = result.openLine
    }

    /// Adds findings of lines. While it is not known whether the file is a salvage, those of order wait.
    private func add(_ findings: [Finding], ofItems: Bool = false, _ report: inout Report) {
        let areHeld = ofItems && header == nil && salvage == nil
        for var finding in findings {
            finding.line = hasLineNumbers ? finding.line.map { $0 + lines + 1 } : nil
            finding.frame = namedFrame
            if areHeld, finding.layer == .order { report.hold(finding) } else { report.add(finding) }
        }
    }

    /// Adds a finding that nothing is looked at behind.
    private func end(_ finding: Finding, _ report: inout Report) -> EndOfExamination {
        add([finding], &report)
        return .finding
    }

    private mutating func follow(_ event: LineEvent, _ report: inout Report) throws(EndOfExamination) {
        if !hasFrames, case .damaged(.line, let findings, nil, let count) = event, findings[0].code == .lineBlank {
            let first = place(findings[0])
            blank.add(count, first)
            return lose(at: .line, &report)
        }
        if let finding = blank.take() { report.add(finding) }
        if case .tallied(let tally) = event { return follow(tally, &report) }
        if case .tooManyOthers(let finding) = event { throw end(finding, &report) }
        if case .damaged(let layer, let findings, nil, _) = event, layer != .line || findings[0].code != .lineKind {
            // Limits, blank lines and canonical faults come before everything that depends on what a line is.
            add(findings, &report)
            return lose(at: layer, &report)
        }
        if !isStarted, let kind = event.kind, kind != .header { report.add(place(Finding(.lineHeaderMissing))) }
        if hasSeenManifest { return loseAfterManifest(&report) }
        switch event {
        case .unknownFormat(let finding, let unreleased):
            guard !hasSeenHeader else { return repeatHeader(&report) }
            throw unreleased.map(EndOfExamination.unreleased) ?? end(finding, &report)
        case .damaged(let layer, let findings, let kind, _):
            if kind == .header, hasSeenHeader { return repeatHeader(&report) }
            add(findings, &report)
            guard layer == .shape else { return lose(at: layer, &report) }
            isStarted = true
            latest = kind
            if kind == .header { hasSeenHeader = true }
            if kind == .manifest { hasSeenManifest = true }
            report.withhold(after: .shape)
        case .header(let facts, let findings):
            guard begin(findings, &report) else { return }
            header = facts
            hasher = HasherBox(export: facts.bytes)
        case .salvageHeader(let facts, let findings):
            guard begin(findings, &report) else { return }
            isSalvage = true
            salvage = facts
            headerPlace = place(Finding(.manifestTotals, pointer: "/salvage/missing"))
            header = facts.export
            hasher = HasherBox(salvage: ())
        case .manifest(let facts), .salvageEnd(let facts):
            let isEnd = if case .salvageEnd = event { true } else { false }
            guard (header == nil && salvage == nil) || isEnd == isSalvage else {
                // The end of a file of the other kind.
                report.add(place(Finding(.lineKind)))
                return lose(at: .line, &report)
            }
            isSalvage = isEnd
            isStarted = true
            latest = .manifest
            hasSeenManifest = true
            manifest = facts
            manifestPlace = place(Finding(.manifestHash))
        case .items(let run):
            isStarted = true
            latest = .item
            follow(run, &report)
        case .tallied, .tooManyOthers: break
        }
    }

    private mutating func loseAfterManifest(at offset: Int = 0, _ report: inout Report) {
        if !hasReportedAfter { report.add(place(Finding(.lineAfterManifest), at: offset)) }
        hasReportedAfter = true
        lose(at: .line, &report)
    }

    /// Follows damaged lines that were only counted. A line came before them, in the same frame.
    private mutating func follow(_ tally: DamageTally, _ report: inout Report) {
        add(tally.faults, &report)
        for finding in tally.faults { lose(at: finding.layer, &report) }
        guard let firstOfKind = tally.firstOfKind else { return }
        if hasSeenManifest { return loseAfterManifest(at: firstOfKind, &report) }
        add(tally.faultsOfKinds, &report)
        for finding in tally.faultsOfKinds {
            if finding.layer == .shape { report.withhold(after: .shape) } else { lose(at: finding.layer, &report) }
        }
        if let firstHeader = tally.firstHeader {
            var finding = place(Finding(.lineHeaderRepeated), at: firstHeader)
            finding.count = tally.headerCount
            report.add(finding)
            lose(at: .line, &report)
        }
        latest = tally.last
    }

    /// Takes a header of either kind, with its findings; false where it is not the first.
    private mutating func begin(_ findings: [Finding], _ report: inout Report) -> Bool {
        guard !hasSeenHeader else {
            repeatHeader(&report)
            return false
        }
        add(findings, &report)
        isStarted = true
        latest = .header
        hasSeenHeader = true
        return true
    }

    private mutating func repeatHeader(_ report: inout Report) {
        report.add(place(Finding(.lineHeaderRepeated)))
        lose(at: .line, &report)
    }

    /// Puts a finding at the line that is being looked at, or at one of those behind it that it stands for.
    private func place(_ finding: Finding, at offset: Int = 0) -> Finding {
        var finding = finding
        finding.frame = namedFrame
        finding.line = hasLineNumbers ? lines + eventLine + offset + 1 : nil
        return finding
    }

    private mutating func follow(_ run: ItemRun, _ report: inout Report) {
        if isSalvage {
            // A salvage keeps the order of the file that it was saved from.
            add(alike.findings(of: run).filter { $0.layer != .order }, &report)
        } else {
            switch run.standing(after: lastItem) {
            case .repeated: add([Finding(.orderRepeated, line: eventLine)], ofItems: true, &report)
            case .outOfOrder: add([Finding(.orderItems, line: eventLine)], ofItems: true, &report)
            case .inOrder, .samePlace: break
            }
            lastItem = run.last ?? lastItem
            add(alike.findings(of: run), ofItems: true, &report)
        }
        itemCount += run.count
        if let viewHashes { viewHashes.add(run) } else { hasher?.add(run.quotedHashes) }
        for (name, counts) in run.types {
            if let index = typeIndex[name] {
                types[index].counts.add(counts)
            } else {
                typeIndex[name] = types.count
                types.append((name, counts))
            }
        }
        for key in run.sources { relationships[key, default: []].insert(.source) }
        for key in run.targets { relationships[key, default: []].insert(.target) }
        sink?.add(run, lines: hasLineNumbers ? lines : nil)
    }

    /// Ends the bundle.
    mutating func finish(isEndLost: Bool, _ report: inout Report) throws(EndOfExamination) {
        if let finding = blank.take() { report.add(finding) }
        if isEndLost {
            if hasOpenLine, hasFrames { report.add(Finding(.containerFrameLineEnd, frame: frame)) }
            lose(at: .container, &report)
        } else if hasOpenLine {
            guard otherLimit > 0 else { throw end(Finding(.lineDamagedLimit, line: 0), &report) }
            add([Finding(openLine.isTooLong ? .lineLimit : .lineUnterminated, line: 0)], &report)
            lose(at: .line, &report)
        }
        if !isStarted { report.add(Finding(.lineHeaderMissing)) }
        if !hasSeenManifest, latest != nil || !isStarted {
            report.add(
                Finding(.lineManifestMissing, line: hasLineNumbers && lines > 0 ? lines : nil, frame: namedFrame))
        }
        if report.counts[.lineHeaderMissing] != nil || report.counts[.lineManifestMissing] != nil {
            report.withhold(.manifest)
        }
        if !report.isWithheld(.manifest) { checkManifest(&report) }
    }

    private mutating func checkManifest(_ report: inout Report) {
        guard let manifest, let hasher, header != nil || salvage != nil else { return }
        if let viewHashes { return check(viewHashes, manifest, hasher, &report) }
        let isPage = !isSalvage && header?.kind == .pageReport
        let ownDefects = isSalvage ? 0 : Int64(header?.defectCount ?? 0)
        let defects = ownDefects + types.reduce(0) { $0 + $1.counts.defectCount }
        let difference = manifest.difference(defectCount: defects, itemCount: Int64(itemCount), types: types)
        if let pointer = difference ?? manifest.difference(isPage: isPage) {
            report.add(atManifest(Finding(.manifestTotals, pointer: pointer)))
        }
        if isSalvage {
            guard let salvage else { return }
            compare(manifest, hasher.finish(salvage: salvage.bytes, totals: manifest.totals).hex, &report)
            return checkMissing(of: salvage, &report)
        }
        compare(manifest, hasher.finish(totals: manifest.totals).hex, &report)
        let unpaired = relationships.values.count { $0 != [.source, .target] }
        if unpaired > 0 {
            report.add(Finding(.manifestRelationships, found: "\(unpaired) without their other end"))
        }
    }

    /// The error of sorting the rows of a view; `nil` if nothing failed.
    var failure: ArchiveError? { viewHashes?.failure }

    /// Checks the items of a view: how many there are, and their hashes.
    private mutating func check(
        _ hashes: ViewHashes, _ manifest: ManifestFacts, _ hasher: HasherBox, _ report: inout Report
    ) {
        if manifest.itemCount != itemCount {
            report.add(atManifest(Finding(.manifestTotals, pointer: "/totals/item_count")))
        }
        guard hashes.finish(hasher) else { return report.add(atManifest(Finding(.manifestHash))) }
        compare(manifest, hasher.finish(totals: manifest.totals).hex, &report)
    }

    private mutating func compare(_ manifest: ManifestFacts, _ computed: String, _ report: inout Report) {
        computedHash = computed
        guard computed != manifest.hash else { return }
        report.add(atManifest(Finding(.manifestHash, expected: computed, found: manifest.hash)))
    }

    /// Puts a finding at the manifest.
    private func atManifest(_ finding: Finding) -> Finding {
        var finding = finding
        finding.line = manifestPlace?.line
        finding.frame = manifestPlace?.frame
        return finding
    }

    /// Checks the items that a salvage states as missing. Its relationships need not pair: the other end may be among
    /// the missing items.
    private func checkMissing(of salvage: SalvageFacts, _ report: inout Report) {
        guard let line = salvage.manifestLine, let headerPlace else { return }
        var lines = LineVerifier(keepsIdentities: false)
        lines.start(header: nil, mayBeHeader: false)
        lines.add(line.span, at: 0)
        guard case .manifest(let manifest)? = lines.finish().first else { return }
        let fits = SalvageAccount(salvage.bytes.span).fits(manifest) { name in
            typeIndex[name].map { types[$0].counts.itemCount } ?? 0
        }
        if !fits { report.add(headerPlace) }
    }
}

/// Blank lines that follow each other where there are no frames: pieces end anywhere, and a run of them is one finding.
struct BlankRun {
    private var finding: Finding?
    private var count = 0

    /// Adds so many lines; the finding is that of the first ones.
    mutating func add(_ count: Int, _ first: Finding) {
        if finding == nil { finding = first }
        self.count += count
    }

    /// Ends the run: its finding, if there is one.
    mutating func take() -> Finding? {
        guard var whole = finding else { return nil }
        whole.found = LineVerifier.blankLines(count)
        (finding, count) = (nil, 0)
        return whole
    }
}

/// The manifest hash of a bundle that is being read.
final class HasherBox {
    private var hasher: ManifestHasher?
    private var salvageHasher: SalvageHasher?

    init(export: [UInt8]) { hasher = ManifestHasher(export: export.span) }

    init(salvage: ()) { salvageHasher = SalvageHasher() }

    func add(_ quotedHashes: [UInt8]) {
        hasher?.add(quotedHashes: quotedHashes.span)
        salvageHasher?.add(quotedHashes: quotedHashes.span)
    }

    func finish(salvage: [UInt8], totals: [UInt8]) -> Digest {
        guard let hasher = salvageHasher.take() else { preconditionFailure("a salvage hash is finished once") }
        return hasher.finish(salvage: salvage.span, totals: totals.span)
    }

    func finish(totals: [UInt8]) -> Digest {
        guard let hasher = hasher.take() else { preconditionFailure("a manifest hash is finished once") }
        return hasher.finish(totals: totals.span)
    }
}
