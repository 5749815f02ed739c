internal import Codes
internal import Manifest
internal import Verification

/// Takes what lines hold, in the order of the file: items, header, manifest, and what is damaged.
struct LineLedger: ~Copyable {
    private(set) var account = Account()
    private(set) var itemCount = 0
    private(set) var tally = TypeTally()
    /// `true` if every item sorts after the one before it.
    private(set) var isAscending = true
    /// The header of the export, where it is intact.
    private(set) var header: HeaderFacts?
    /// The version of a header that a build before the first release wrote; nil where there is none.
    private(set) var unreleased: Int64?
    /// The manifest of the export and its line, where it is intact.
    private(set) var manifest: (facts: ManifestFacts, line: [UInt8])?
    /// Hash over the recovered items, to be ended when header and totals are known.
    private var hasher: SalvageHasher? = SalvageHasher()
    /// Hash over the recovered items, as the manifest has it; from the header on.
    private var manifestHasher: ManifestHasher?
    private var lastItem: RunEnd?
    /// The first is `true` if a manifest came; the second, if it was noted that items follow it.
    private var hasSeenManifest = false, hasNotedItemsAfter = false
    private let lineLimit: Int
    private let archive: ArchiveMatcher?

    init(lineLimit: Int, archive: ArchiveMatcher?) {
        self.lineLimit = lineLimit
        self.archive = archive
    }

    /// Adds an entry at this place.
    mutating func note(
        _ code: Code, bytes: Range<Int64>? = nil, frames: ClosedRange<Int>? = nil, frameLine: Int? = nil,
        lineCount: Int? = nil, afterItems: Int? = nil
    ) {
        account.add(
            AccountEntry(
                afterItems: afterItems ?? itemCount, code: code, bytes: bytes, frames: frames, frameLine: frameLine,
                lineCount: lineCount))
    }

    /// Adds a fault of the container.
    mutating func note(
        _ fault: ContainerFault.Code, bytes: Range<Int64>? = nil, frames: ClosedRange<Int>? = nil, frameLine: Int? = nil
    ) {
        note(Code(fault), bytes: bytes, frames: frames, frameLine: frameLine)
    }

    /// Adds bytes to the damage that was noted last; where there is none, they are damage of their own.
    mutating func extendDamage(_ bytes: Range<Int64>, frames: ClosedRange<Int>?) {
        if !account.extendLast(to: bytes.upperBound, frame: frames?.upperBound) {
            note(.frameCorrupt, bytes: bytes, frames: frames)
        }
    }

    /// Takes the lines of a frame, or of a text that has none. A manifest is only believed where the frame is whole:
    /// nothing else in its line proves it.
    mutating func enter(_ events: [LineEvent], frame: Int?, isWhole: Bool) {
        var line = 0
        for event in events {
            enter(event, frame: frame, line: line, isWhole: isWhole)
            line += event.lineCount
        }
    }

    private mutating func enter(_ event: LineEvent, frame: Int?, line: Int, isWhole: Bool) {
        func place(_ code: Code, lines: Int? = nil, _ ledger: inout LineLedger) {
            ledger.note(code, at: frame, line, lineCount: lines)
        }
        switch event {
        case .items(let run): enter(run, frame: frame, line: line)
        case .damaged(_, let findings, _, let lines): place(findings[0].code, lines: lines, &self)
        case .tallied(let tally): account.add(unlisted: tally.codeCount)
        case .unknownFormat(let finding, let version):
            unreleased = unreleased ?? version
            place(finding.code, lines: 1, &self)
        case .header(let facts, let findings):
            if findings.contains(where: { $0.code == .manifestExportID }) {
                return place(.manifestExportID, lines: 1, &self)
            }
            if header != nil { return place(.lineHeaderRepeated, lines: 1, &self) }
            if itemCount > 0 { place(.lineHeaderMissing, &self) }
            enter(header: facts)
        case .salvageHeader(let facts, let findings):
            if findings.contains(where: { $0.code == .manifestExportID }) {
                return place(.manifestExportID, lines: 1, &self)
            }
            if let export = facts.export, header == nil { enter(header: export) }
            if let line = facts.manifestLine, isWhole { enter(manifestLine: line) }
        case .manifest(let facts):
            guard isWhole else { return }
            if hasSeenManifest { return place(.lineAfterManifest, lines: 1, &self) }
            hasSeenManifest = true
            if facts.totals.count <= lineLimit / 4 { manifest = (facts, facts.line) }
        case .salvageEnd, .tooManyOthers: break
        }
    }

    /// Begins with what several copies of one export said: what was damaged in each, and the first header and the first
    /// manifest that one of them has.
    mutating func begin(with copies: [LineLedger.Copy]) {
        for copy in copies { account.add(copy.account, of: copy.number) }
        if let header = copies.lazy.compactMap(\.header).first { enter(header: header) }
        manifest = copies.lazy.compactMap(\.manifest).first
    }

    /// The content of one of several copies.
    struct Copy {
        let number: Int
        let account: Account
        let header: HeaderFacts?
        let manifest: (facts: ManifestFacts, line: [UInt8])?
    }

    /// Enters a header. One of a quarter of the longest line is too large to be carried inside another.
    private mutating func enter(header facts: HeaderFacts) {
        guard facts.bytes.count <= lineLimit / 4 else { return }
        header = facts
        if itemCount == 0 { manifestHasher = ManifestHasher(export: facts.bytes.span) }
    }

    /// Reads a manifest that a salvage carries.
    private mutating func enter(manifestLine line: [UInt8]) {
        guard manifest == nil else { return }
        var lines = LineVerifier(keepsIdentities: false)
        lines.start(header: nil, mayBeHeader: false)
        lines.add(line.span, at: 0)
        if case .manifest(let facts)? = lines.finish().first { manifest = (facts, line) }
    }

    /// Notes something at a line of a frame; of a text without frames it only says after which item.
    private mutating func note(
        _ code: Code, at frame: Int?, _ line: Int, lineCount: Int? = nil, afterItems: Int? = nil
    ) {
        note(
            code, frames: frame.map { $0...$0 }, frameLine: frame.map { _ in line + 1 }, lineCount: lineCount,
            afterItems: afterItems)
    }

    private mutating func enter(_ run: ItemRun, frame: Int?, line: Int) {
        if hasSeenManifest, !hasNotedItemsAfter {
            hasNotedItemsAfter = true
            note(.lineAfterManifest, at: frame, line)
        }
        switch run.standing(after: lastItem) {
        case .outOfOrder:
            isAscending = false
            note(.orderItems, at: frame, line)
        case .repeated, .samePlace: isAscending = false
        case .inOrder: break
        }
        for finding in run.findings where finding.code == .orderItems {
            let found = finding.line ?? line
            note(.orderItems, at: frame, found, afterItems: itemCount + found - line)
        }
        if !run.isAscending { isAscending = false }
        lastItem = run.last ?? lastItem
        tally.add(run.types)
        hasher?.add(quotedHashes: run.quotedHashes.span)
        manifestHasher?.add(quotedHashes: run.quotedHashes.span)
        archive?.add(run.identities)
        itemCount += run.count
    }

    /// Returns the code of a fault in the manifest if nothing else is wrong; `nil` if there is none. Ends its hash.
    mutating func faultOfManifest() -> Code? {
        guard let header, let manifest, let hasher = manifestHasher.take() else { return nil }
        let defects = Int64(header.defectCount) + tally.types.reduce(0) { $0 + $1.counts.defectCount }
        if manifest.facts.difference(defectCount: defects, itemCount: Int64(itemCount), types: tally.types) != nil {
            return .manifestTotals
        }
        return hasher.finish(totals: manifest.facts.totals.span).hex == manifest.facts.hash ? nil : .manifestHash
    }

    /// Returns the hash of the salvage. Ends that hash.
    mutating func salvageHash(salvage: [UInt8], totals: [UInt8]) -> Digest {
        guard let hasher = hasher.take() else { preconditionFailure("a salvage hash is ended once") }
        return hasher.finish(salvage: salvage.span, totals: totals.span)
    }
}
