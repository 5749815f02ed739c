internal import Codes
internal import Format
internal import Manifest

/// Gathers what the lines of a piece turn out to be: each of the first, and of very many damaged ones what they come
/// to. It ends where a file has more lines that are no undamaged items than it may have (`Spec/limits.md`).
package struct LineEvents {
    /// Lines so far that are no undamaged items.
    private(set) var otherCount = 0
    /// `true` if there was one more than there may be: nothing after it is looked at.
    private(set) var isOver = false
    private var events: [LineEvent] = []
    /// Damaged lines that are only counted, behind the events.
    private var tally: DamageTally?
    /// Findings of damaged lines, and headers, among the events.
    private var damageCount = 0
    /// The first is `true` if there was a header, damaged or not; the second, if there was a damaged manifest.
    private var hasHeader = false, hasDamagedManifest = false
    /// The latest manifest that is not damaged, where no header came after it.
    private var manifest: LineEvent?
    /// The number of lines that may be something else than undamaged items.
    private var otherLimit = 0
    /// `true` if it is for a caller that keeps only valid lines.
    private let isStrict: Bool

    init(isStrict: Bool) { self.isStrict = isStrict }

    /// Lines of a file of this size that may be something else than undamaged items. No undamaged item is as short as
    /// the bytes that stand for one, so only a file that was made for it has more.
    package static func otherLimit(fileSize: Int64) -> Int { 16_384 + Int(fileSize / 64) }

    /// Begins a piece.
    mutating func start(otherLimit: Int) {
        events = []
        tally = nil
        damageCount = 0
        hasHeader = false
        hasDamagedManifest = false
        manifest = nil
        otherCount = 0
        isOver = false
        self.otherLimit = otherLimit
    }

    /// Ends a piece: what its lines hold.
    mutating func finish() -> [LineEvent] {
        endTally()
        return events
    }

    /// Adds items.
    mutating func add(_ run: ItemRun) { add(.items(run)) }

    /// Adds a header that is not damaged, or one of an unknown format.
    mutating func add(header event: LineEvent, at line: Int) {
        if !isStrict, isOneOfMany(.header) {
            return add(damaged: .line, [], kind: .header, at: line)
        }
        guard spend(at: line) else { return }
        if !isStrict { damageCount += 1 }
        add(event)
        manifest = nil
        hasHeader = true
    }

    /// Adds the last line of an export or of a salvage that is not damaged. Nobody asks what another one like it
    /// says: only that it is there.
    mutating func add(manifest event: LineEvent, at line: Int) {
        guard spend(at: line) else { return }
        if let manifest, manifest.isSalvageEnd == event.isSalvageEnd { return add(manifest) }
        manifest = event
        add(event)
    }

    /// Adds a damaged line, or several blank ones, with the findings on it.
    mutating func add(damaged layer: Layer, _ findings: [Finding], kind: LineKind?, lines: Int = 1, at line: Int) {
        guard spend(at: line) else { return }
        defer {
            if kind == .header {
                hasHeader = true
                manifest = nil
            }
            if kind == .manifest { hasDamagedManifest = true }
        }
        if isStrict, tally == nil, case .damaged(layer, let known, _, let before) = events.last,
            known[0].code == findings[0].code
        {
            // Whoever keeps only what holds asks for the first code alone.
            events[events.count - 1] = .damaged(layer, findings: known, kind: kind, lines: before + lines)
            return
        }
        guard isOneOfMany(kind) else {
            damageCount += isStrict ? 1 : findings.count
            return add(.damaged(layer, findings: isStrict ? [findings[0]] : findings, kind: kind, lines: lines))
        }
        if tally == nil { tally = DamageTally() }
        tally?.add(findings, kind: kind, lines: lines)
    }

    /// Returns `true` if a damaged line is only counted: beyond a thousand in a frame they are. What the first header
    /// or manifest of a frame changes is known before.
    private func isOneOfMany(_ kind: LineKind?) -> Bool {
        guard damageCount > 1000 else { return false }
        return kind == .header ? hasHeader : kind != .manifest || hasDamagedManifest
    }

    /// Counts a line that is no undamaged item; false where there were as many as there may be.
    private mutating func spend(at line: Int) -> Bool {
        guard otherCount < otherLimit else {
            add(.tooManyOthers(Finding(.lineDamagedLimit, line: line)))
            isOver = true
            return false
        }
        otherCount += 1
        return true
    }

    private mutating func add(_ event: LineEvent) {
        endTally()
        events.append(event)
    }

    private mutating func endTally() {
        guard let tally else { return }
        events.append(.tallied(tally))
        self.tally = nil
    }
}

extension LineEvent {
    /// `true` if it is the last line of a salvage.
    fileprivate var isSalvageEnd: Bool { if case .salvageEnd = self { true } else { false } }
}
