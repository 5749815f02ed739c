public import Archive
internal import Codes
public import Files
internal import Manifest
internal import Pipeline
internal import Verification

/// Salvages a file.
///
/// One task finds frames and puts results together in order; frames are decoded and checked beside it. Memory is
/// bounded by the frames in flight; time by the size of the file.
public final class Salvager {
    private let options: SalvageOptions
    private let limits: ContainerLimits
    private var ledger: LineLedger
    private var spool: Spool
    /// Looks at frames again whose first line began before them.
    private let again: FrameSalvager
    private let keepsIdentities: Bool
    /// The seek table that the frames of the file ought to have.
    private var expectedTable = SeekTable()
    private var table: Range<Int64>?
    private var hasNotedTrailing = false
    /// A frame that is whole and does not begin where the seek table says that one begins.
    private var hasStrayFrame = false
    /// How many lines may still be no items to be kept, and whether there was one more: the rest of the file is lost.
    private var otherLimit = 0
    private var isOver = false
    private var fileSize: Int64 = 0
    /// The frame whose last line is not ended, and that line.
    private var open: (frame: Int, end: Int64, line: OpenLine)?

    private static let framesInFlight = 3

    private init(_ options: SalvageOptions, spool: consuming Spool, archive: ArchiveMatcher?) {
        self.options = options
        self.spool = spool
        limits = ContainerLimits(frame: options.frameLimit, line: options.lineLimit)
        keepsIdentities = archive != nil
        again = FrameSalvager(limits: limits, keepsIdentities: keepsIdentities)
        ledger = LineLedger(lineLimit: options.lineLimit, archive: archive)
    }

    /// Salvages `source` into `destination`, which appears complete or not at all.
    ///
    /// - Throws: `SalvageError`, `FileError` or `ArchiveError` where something could not be done; what is invalid
    ///   is in the result.
    public static func run(_ path: Path, to destination: Path, options: SalvageOptions) async throws -> SalvageResult {
        let place = try SalvagePlace(path, destination, apart: [], isReplacing: options.isReplacing)
        let salvager = Salvager(options, spool: try place.spool(), archive: nil)
        let source = try await salvager.read(place)
        return try salvager.finish(place, source, archive: nil)
    }

    /// Salvages `source` and says which items of the export that `archive` recorded are missing. `archive` is
    /// opened for `.evidence`.
    public static func run(_ path: Path, to destination: Path, archive: borrowing Archive, options: SalvageOptions)
        async throws -> SalvageResult
    {
        let place = try SalvagePlace(path, destination, apart: archive.ownFiles, isReplacing: options.isReplacing)
        let matcher = try ArchiveMatcher(archive, limit: options.identityLimit)
        let salvager = Salvager(options, spool: try place.spool(), archive: matcher)
        let source = try await salvager.read(place)
        let match = try matcher.finish(
            archive, exportID: salvager.ledger.header?.exportID, manifestHash: salvager.ledger.manifest?.facts.hash)
        return try salvager.finish(place, source, archive: match)
    }

    private func read(_ place: borrowing SalvagePlace) async throws -> SalvageSource {
        let source = try place.hashed(shouldStop: options.shouldStop)
        fileSize = source.size
        otherLimit = LineEvents.otherLimit(fileSize: source.size)
        var scanner = try FrameScanner(FileSource(place.file), limits: limits)
        if source.size == 0 { ledger.note(.empty) }
        try await readParts(&scanner)
        if !isOver {
            try closeLine(isAfterDamage: false)
            try checkTable(&scanner, FileSource(place.file))
        }
        try place.checkUnchanged()
        return source
    }

    private enum Outcome: Sendable {
        case frame(SalvagedFrame)
        case unread(Range<Int64>, ContainerFault.Code?, frames: ClosedRange<Int>?)
        case table(Range<Int64>)
    }

    /// Reads the parts of a file in order and has its frames checked side by side.
    private func readParts(_ scanner: inout FrameScanner<FileSource>) async throws {
        let salvagers = (0...Self.framesInFlight).map { _ in
            FrameSalvager(limits: limits, keepsIdentities: keepsIdentities)
        }
        try await OrderedTasks<Outcome>.run { tasks in
            var latest: SalvagedFrame?
            func drain(
                _ tasks: inout OrderedTasks<Outcome>, to limit: Int, _ scanner: borrowing FrameScanner<FileSource>
            ) async throws {
                while let outcome = try await tasks.next(leaving: limit) {
                    if case .frame(let frame) = outcome { latest = frame }
                    if !isOver { try add(outcome, scanner) }
                }
            }
            while !isOver, let part = try scanner.next() {
                if options.shouldStop() { throw CancellationError() }
                switch part {
                case .frame(let found):
                    let salvager = salvagers[tasks.count % salvagers.count]
                    let otherLimit = otherLimit
                    tasks.start { .frame(salvager.salvage(found, otherLimit: otherLimit)) }
                    try await drain(&tasks, to: found.raw.hasCertainEnd ? Self.framesInFlight - 1 : 0, scanner)
                    // What was taken last is this frame.
                    if !found.raw.hasCertainEnd, let latest {
                        scanner.resume(
                            after: found, textSize: latest.textSize, decodedEnd: latest.decodedEnd,
                            isWhole: latest.fault == nil)
                    }
                case .unread(let bytes, let code): tasks.add(.unread(bytes, code, frames: scanner.frames(in: bytes)))
                case .seekTable(let bytes): tasks.add(.table(bytes))
                }
            }
            try await drain(&tasks, to: 0, scanner)
        }
    }

    private func add(_ outcome: Outcome, _ scanner: borrowing FrameScanner<FileSource>) throws {
        switch outcome {
        case .frame(let frame): try add(frame, scanner)
        case .unread(let bytes, let code, let frames):
            try closeLine(isAfterDamage: false)
            if let code {
                ledger.note(code, bytes: bytes, frames: frames)
            } else {
                ledger.extendDamage(bytes, frames: frames)
            }
        case .table(let bytes):
            try closeLine(isAfterDamage: false)
            noteTrailing()
            table = bytes
        }
    }

    // MARK: Frames

    private func add(_ result: SalvagedFrame, _ scanner: borrowing FrameScanner<FileSource>) throws {
        let raw = result.found.raw
        // A false start: its bytes are told as unread.
        if result.fault != nil, result.textSize == 0, !raw.hasCertainEnd { return }
        var frame = result
        if open?.end == raw.offset, var line = open.take() {
            ledger.note(.frameLineEnd, frames: line.frame...line.frame)
            frame = again.salvage(result.found, goingOnWith: &line.line, otherLimit: otherLimit)
        } else if frame.otherCount > otherLimit {
            frame = again.salvage(result.found, otherLimit: otherLimit)
        }
        otherLimit -= frame.otherCount
        try closeLine(isAfterDamage: false)
        noteTrailing()
        let range = raw.offset..<raw.offset + Int64(raw.bytes.count), frames = raw.number...raw.number
        for note in frame.notes { ledger.note(note, bytes: range, frames: frames) }
        ledger.enter(frame.events, frame: raw.number, isWhole: frame.fault == nil)
        for output in frame.output { try spool.add(output) }
        if let line = frame.lineOverLimit {
            isOver = true
            return ledger.note(
                .lineDamagedLimit, bytes: raw.offset..<fileSize, frames: frames, frameLine: line)
        }
        if frame.openLine.isThere { open = (raw.number, range.upperBound, frame.openLine) }
        if let fault = frame.fault {
            try closeLine(isAfterDamage: true)
            let start = fault == .checksum ? raw.offset : frame.decodedEnd
            ledger.note(
                fault, bytes: start..<max(start, raw.hasCertainEnd ? range.upperBound : frame.decodedEnd),
                frames: frames, frameLine: fault == .checksum ? nil : frame.lineCount + 1)
        } else {
            expectedTable.add(compressedSize: raw.bytes.count, textSize: frame.textSize)
            if !scanner.isNamed(raw.offset) { hasStrayFrame = true }
        }
        options.progress(ledger.itemCount)
    }

    /// Notes, once, that something follows a seek table.
    private func noteTrailing() {
        guard let table, !hasNotedTrailing else { return }
        hasNotedTrailing = true
        ledger.note(.trailing, bytes: table.upperBound..<table.upperBound)
    }

    /// Ends a line that no frame went on with. It may be an item all the same, of which only the line end is missing.
    private func closeLine(isAfterDamage: Bool) throws {
        guard let line = open else { return }
        open = nil
        let saved = line.line.isTooLong ? nil : again.salvage(line: line.line.bytes)
        if let saved, let output = saved.output {
            ledger.enter(saved.events, frame: line.frame, isWhole: false)
            try spool.add(output)
        }
        // After damage, what is missing of the line is part of it.
        if !isAfterDamage {
            ledger.note(.lineUnterminated, frames: line.frame...line.frame, lineCount: saved?.output == nil ? 1 : nil)
        }
    }

    // MARK: The seek table

    private var hasSeekTable = false

    /// Whether the file ends with the seek table of its frames; after damage, with one that fits what is left.
    private func checkTable(_ scanner: inout FrameScanner<FileSource>, _ file: FileSource) throws {
        guard let table, table.upperBound == file.size else {
            if file.size > 0, table == nil { ledger.note(.seekTableMissing, bytes: file.size..<file.size) }
            return
        }
        let isUndamaged = ledger.account.count == 0
        let fits =
            isUndamaged
            ? try file.read(at: table.lowerBound, count: Int(table.upperBound - table.lowerBound))
                == expectedTable.frame() : scanner.hasFittingTable && !hasStrayFrame
        if fits { hasSeekTable = true } else { ledger.note(.seekTableMismatch, bytes: table) }
    }

    // MARK: The end

    private func finish(_ place: borrowing SalvagePlace, _ source: SalvageSource, archive: ArchiveMatch?) throws
        -> SalvageResult
    {
        var repeats = Repeats()
        if !ledger.isAscending { repeats = try Repeats(in: spool, itemCount: ledger.itemCount, limits: limits) }
        for run in repeats.runs { ledger.note(.orderRepeated, lineCount: run.count, afterItems: run.lowerBound) }
        let missing = ledger.manifest.map { Missing(of: $0.facts, saved: ledger.tally, repeated: repeats.types) }
        if ledger.account.count == 0, missing?.itemCount == 0, let fault = ledger.faultOfManifest() {
            ledger.note(fault)
        }
        let file = SalvageFile(
            source: source, generator: options.generator, account: ledger.account, header: ledger.header,
            manifest: ledger.manifest?.line, missing: missing)
        if options.shouldStop() { throw CancellationError() }
        let hash = try file.write(to: place, spool: spool, totals: ledger.tally, ledger: &ledger)
        return SalvageResult(
            itemCount: ledger.itemCount, repeatedCount: repeats.count, account: ledger.account.entries,
            accountCount: ledger.account.count, hasHeader: ledger.header != nil,
            hasManifest: ledger.manifest != nil, hasSeekTable: hasSeekTable, exportID: ledger.header?.exportID,
            missing: missing, source: source, salvageHash: hash, archive: archive)
    }
}
