public import Archive
internal import Bytes
internal import CanonicalJSON
internal import Codes
public import Files
internal import Manifest
internal import Pipeline
internal import Verification

/// Salvages a file, or several damaged copies of one.
///
/// One task finds frames and puts results together in order; frames are decoded and checked beside it. Memory is
/// bounded by the frames in flight; time by the size of the file.
public final class Salvager {
    private let options: SalvageOptions
    private let limits: ContainerLimits
    private let place: SalvagePlace
    private(set) var ledger: LineLedger
    private(set) var spool: Spool
    /// Looks at frames again whose first line began before them.
    private let again: FrameSalvager
    private let keepsIdentities: Bool
    /// The seek table that the frames of the file ought to have.
    private var expectedTable = SeekTable()
    private var table: Range<Int64>?
    private var hasNotedTrailing = false
    /// A frame that is whole and does not begin where the seek table says that one begins.
    private var hasStrayFrame = false
    /// The number of lines that may still be no items to be kept. `isOver` is `true` if there was one more: the rest of
    /// the file is lost.
    private var otherLimit = 0
    private var isOver = false
    private var fileSize: Int64 = 0
    /// The frame whose last line is not ended, and that line.
    private var open: (frame: Int, end: Int64, line: OpenLine)?

    private static let framesInFlight = 3

    private init(_ options: SalvageOptions, _ place: consuming SalvagePlace, archive: ArchiveMatcher?) throws {
        self.options = options
        spool = try place.spool()
        self.place = place
        limits = ContainerLimits(frame: options.frameLimit, line: options.lineLimit)
        keepsIdentities = archive != nil
        again = FrameSalvager(limits: limits, keepsIdentities: keepsIdentities)
        ledger = LineLedger(lineLimit: options.lineLimit, archive: archive)
    }

    /// Salvages a file, or copies of one, into `destination`, which appears complete or not at all.
    ///
    /// - Parameter paths: bundles, reports, or what is left of one; several are copies of one export.
    /// - Throws: `SalvageError`, `FileError` or `ArchiveError` where something could not be done; what is invalid
    ///   is in the result.
    public static func run(_ paths: [Path], to destination: Path, options: SalvageOptions) async throws
        -> SalvageResult
    {
        let all = try await read(paths, destination, apart: [], archive: nil, options)
        return try all.salvager.finish(all.files, archive: nil)
    }

    /// Salvages and says which items of the export that `archive` recorded are missing. `archive` is opened for
    /// `.evidence`.
    public static func run(
        _ paths: [Path], to destination: Path, archive: borrowing Archive, options: SalvageOptions
    ) async throws -> SalvageResult {
        let matcher = ArchiveMatcher(archive, limit: options.identityLimit)
        let all = try await read(paths, destination, apart: archive.ownFiles, archive: matcher, options)
        let match = try matcher.finish(
            archive, exportID: all.salvager.ledger.header?.exportID,
            manifestHash: all.salvager.ledger.manifest?.facts.hash)
        return try all.salvager.finish(all.files, archive: match)
    }

    private static func read(
        _ paths: [Path], _ destination: Path, apart inputs: [Path], archive: ArchiveMatcher?, _ options: SalvageOptions
    ) async throws -> (salvager: Salvager, files: [SalvagedFile]) {
        func salvager(_ path: Path, _ archive: ArchiveMatcher?) throws -> Salvager {
            try Salvager(
                options, SalvagePlace(path, destination, apart: paths + inputs, isReplacing: options.isReplacing),
                archive: archive)
        }
        let copies = try paths.map { try salvager($0, paths.count == 1 ? archive : nil) }
        var files: [SalvagedFile] = []
        for copy in copies { files.append(try await copy.read()) }
        if copies.count == 1 { return (copies[0], files) }
        try SalvageMerge.check(files)
        let merged = try salvager(paths[0], archive)
        try merged.merge(copies)
        return (merged, files)
    }

    /// Reads the file; what is found is in the ledger, and the items in the spool.
    private func read() async throws -> SalvagedFile {
        let (source, holdsFrame) = try place.hashed(shouldStop: options.shouldStop)
        fileSize = source.size
        otherLimit = LineEvents.otherLimit(fileSize: source.size)
        let bytes = try FileSource(place.file)
        switch try SalvageForm.of(bytes, named: place.file.path, holdsFrame: holdsFrame) {
        case .frames: try await readFrames(bytes)
        case .view:
            throw SalvageError(place.file.path, "a view for people, which holds no items: salvage the table or bundle")
        case .text:
            var text = textSalvager(bytes)
            try text.salvageText(&ledger, &spool)
        case .rows(var rows):
            var text = textSalvager(bytes)
            try text.salvageRows(&rows, &ledger, &spool)
        }
        try place.checkUnchanged()
        if let version = ledger.unreleased { throw SalvageError(place.file.path, Bundle.refusal(ofVersion: version)) }
        return SalvagedFile(
            path: place.file.path, source: source, itemCount: ledger.itemCount, accountCount: ledger.account.count,
            hasHeader: ledger.header != nil, hasManifest: ledger.manifest != nil, exportID: ledger.header?.exportID)
    }

    private func textSalvager(_ source: FileSource) -> TextSalvager {
        TextSalvager(
            source, limits: limits, keepsIdentities: keepsIdentities, progress: options.progress,
            shouldStop: options.shouldStop)
    }

    private func readFrames(_ source: FileSource) async throws {
        hasSeekTable = false
        var scanner = try FrameScanner(source, limits: limits)
        if source.size == 0 { ledger.note(.empty) }
        try await readParts(&scanner)
        if isOver { return }
        try closeLine(isAfterDamage: false)
        try checkTable(&scanner, source)
    }

    /// Takes what copies hold together.
    private func merge(_ copies: [Salvager]) throws {
        isMerged = true
        let said = copies.enumerated().map { index, copy in
            LineLedger.Copy(
                number: index + 1, account: copy.ledger.account, header: copy.ledger.header,
                manifest: copy.ledger.manifest)
        }
        ledger.begin(with: said)
        var merge = SalvageMerge(limits: limits, keepsIdentities: keepsIdentities)
        try merge.run(copies, into: &ledger, &spool, options)
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

    /// Nil where the file is none that has one.
    private var hasSeekTable: Bool?
    private var isMerged = false

    /// Checks that the file ends with the seek table of its frames; after damage, with one that fits what is left.
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

    private func finish(_ files: [SalvagedFile], archive: ArchiveMatch?) throws -> SalvageResult {
        var repeats = Repeats()
        if !ledger.isAscending { repeats = try Repeats(in: spool, itemCount: ledger.itemCount, limits: limits) }
        for run in repeats.runs { ledger.note(.orderRepeated, lineCount: run.count, afterItems: run.lowerBound) }
        let missing = ledger.manifest.map { Missing(of: $0.facts, saved: ledger.tally, repeated: repeats.types) }
        var isWhole = ledger.header != nil && missing?.itemCount == 0
        if isWhole, isMerged || ledger.account.count == 0, let fault = ledger.faultOfManifest() { ledger.note(fault) }
        // Of copies it does not matter what was damaged in one of them.
        let damage = isMerged ? ledger.account.count - files.reduce(0) { $0 + $1.accountCount } : ledger.account.count
        // A seek table that is missing or does not fit is in the account.
        isWhole = isWhole && damage == 0 && archive?.isGood ?? true
        let file = SalvageFile(
            sources: files.map(\.source), generator: options.generator, account: ledger.account, header: ledger.header,
            manifest: ledger.manifest?.line, missing: missing)
        if options.shouldStop() { throw CancellationError() }
        let hash = try file.write(to: place, spool: spool, totals: ledger.tally, ledger: &ledger)
        return SalvageResult(
            files: files, itemCount: ledger.itemCount, repeatedCount: repeats.count, account: ledger.account.entries,
            accountCount: ledger.account.count, hasHeader: ledger.header != nil,
            hasManifest: ledger.manifest != nil, hasSeekTable: hasSeekTable, exportID: ledger.header?.exportID,
            missing: missing, salvageHash: hash, archive: archive, isWhole: isWhole)
    }
}

/// Writes the file that comes out: header, items, last line, seek table.
struct SalvageFile {
    /// The files that it was recovered from; usually one.
    let sources: [SalvageSource]
    let generator: (name: String, version: String)
    let account: Account
    let header: HeaderFacts?
    let manifest: [UInt8]?
    let missing: Missing?

    /// The `salvage` object.
    private var salvage: [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("account")
        json.beginArray()
        for entry in account.entries { entry.write(to: &json) }
        json.endArray()
        json.member("account_count", account.count)
        if let header {
            json.key("export")
            json.embed(canonical: header.bytes.span)
        }
        json.member("format", Bundle.salvageFormat)
        json.member("format_version", Bundle.version)
        json.key("generator")
        json.beginObject()
        json.member("name", generator.name)
        json.member("version", generator.version)
        json.endObject()
        if let manifest {
            json.key("manifest")
            json.embed(canonical: manifest.span)
        }
        if let missing {
            json.key("missing")
            missing.write(to: &json)
        }
        if sources.count > 1 {
            json.key("other_sources")
            json.beginArray()
            for source in sources.dropFirst() { source.write(to: &json) }
            json.endArray()
        }
        json.key("source")
        sources[0].write(to: &json)
        json.endObject()
        return json.bytes
    }

    /// Writes and publishes the file; returns the salvage hash.
    func write(
        to place: borrowing SalvagePlace, spool: borrowing Spool, totals tally: TypeTally, ledger: inout LineLedger
    ) throws -> String {
        let salvage = salvage
        var totals = Writer()
        tally.writeTotals(to: &totals)
        let hash = ledger.salvageHash(salvage: salvage, totals: totals.bytes).hex
        var file = try place.output()
        var table = SeekTable()
        var compressor = FrameCompressor(level: 1)
        try Self.add(line: Array("{\"salvage\":".utf8) + salvage + Array("}".utf8), to: &file, &table, &compressor)
        try Self.copy(spool, to: &file)
        for frame in spool.frames { table.add(compressedSize: frame.size, textSize: frame.textSize) }
        try Self.add(
            line: Array("{\"salvage_hash\":\"\(hash)\",\"totals\":".utf8) + totals.bytes + Array("}".utf8), to: &file,
            &table, &compressor)
        let end = table.frame()
        try file.write(end.span)
        try file.synchronize()
        try file.publish(replacing: place.isReplacing)
        return hash
    }

    private static func add(
        line: [UInt8], to file: inout PendingFile, _ table: inout SeekTable, _ compressor: inout FrameCompressor
    ) throws {
        let text = line + [UInt8(ascii: "\n")]
        let frame = compressor.frame(of: text.span)
        try file.write(frame.span)
        table.add(compressedSize: frame.count, textSize: text.count)
    }

    private static func copy(_ spool: borrowing Spool, to file: inout PendingFile) throws {
        let source = try spool.source()
        var offset: Int64 = 0
        while offset < source.size {
            let bytes = try source.read(at: offset, count: 1 << 20)
            precondition(!bytes.isEmpty, "the spool holds what was written to it")
            try file.write(bytes.span)
            offset += Int64(bytes.count)
        }
    }
}

/// The file that is salvaged, and where the salvage goes.
struct SalvagePlace: ~Copyable {
    /// The source, open.
    let file: Descriptor
    let isReplacing: Bool
    private let status: FileStatus
    private let destination: Path
    private let token: String

    /// - Parameter inputs: what else is read.
    init(_ source: Path, _ destination: Path, apart inputs: [Path], isReplacing: Bool) throws {
        let file = try Descriptor.reading(source)
        let status = try file.status()
        guard status.isRegular else { throw SalvageError(source, "\(status.kind), not a regular file") }
        let given = destination
        let destination = try outputPath(given, replacing: isReplacing, apart: [source] + inputs)
        guard !SecretFile.isThere(destination) else { throw OutputError.isInput(given) }
        // What an export left beside the same name may be recorded in its archive, so it stays.
        try PendingFile.removeAbandoned(destination: destination, of: Self.owner)
        self.file = file
        self.status = status
        self.destination = destination
        self.isReplacing = isReplacing
        token = PendingFile.token(of: Self.owner)
    }

    /// Whose the temporary files are: no archive has this number.
    private static let owner: UInt64 = 0

    /// Returns a file for frames that wait.
    borrowing func spool() throws(FileError) -> Spool { try Spool(beside: destination, token: token + "s") }

    /// Returns the file that comes out.
    borrowing func output() throws(FileError) -> PendingFile { try PendingFile(destination: destination, token: token) }

    /// Returns the size and SHA-256 of the source, and `true` if the magic of a frame is anywhere in it.
    borrowing func hashed(shouldStop: () -> Bool) throws -> (source: SalvageSource, holdsFrame: Bool) {
        var hash = SHA256()
        var magic = MagicSearch(SalvageForm.frameMagic)
        var offset: Int64 = 0
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while offset < status.size {
            if shouldStop() { throw CancellationError() }
            let count = try file.read(
                into: &piece, at: offset, count: Int(min(Int64(piece.count), status.size - offset)))
            if count == 0 { break }
            hash.update(piece.span.extracting(first: count))
            magic.look(in: piece.span.extracting(first: count))
            offset += Int64(count)
        }
        return (SalvageSource(size: status.size, sha256: hash.finish().hex), magic.isFound)
    }

    /// Makes sure that what was read is what was hashed.
    borrowing func checkUnchanged() throws {
        guard try file.status() == status else { throw SalvageError(file.path, "the file changed while it was read") }
    }
}

/// Looks for a few bytes in pieces of a file.
private struct MagicSearch {
    private let magic: [UInt8]
    private var matched = 0
    private(set) var isFound = false

    /// - Parameter magic: bytes of which the first stands nowhere else among them.
    init(_ magic: [UInt8]) { self.magic = magic }

    mutating func look(in piece: Span<UInt8>) {
        var index = 0
        while !isFound, index < piece.count {
            if matched == 0 {
                guard let found = piece.firstIndex(of: magic[0], from: index) else { return }
                index = found
            }
            if piece[index] == magic[matched] {
                matched += 1
                index += 1
                isFound = matched == magic.count
            } else {
                matched = 0
            }
        }
    }
}
