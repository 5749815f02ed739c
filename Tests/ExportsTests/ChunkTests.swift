import Archive
import Files
import Format
import Manifest
import Scratch
import Testing

@testable import Exports

@Suite struct `Pieces of an export` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let scope = Scope(mode: .pointInTime, observationID: 1)

    private func batches(_ archive: borrowing Archive, _ context: ExportContext, _ scope: Scope) throws -> [RowBatch] {
        var records = try archive.records(of: scope, in: context)
        var batches: [RowBatch] = []
        while let batch = try records.next() { batches.append(batch) }
        return batches
    }

    private func isSame(_ one: BuiltChunk, _ other: BuiltChunk) -> Bool {
        one.bytes == other.bytes && one.textSize == other.textSize && one.quotedHashes == other.quotedHashes
            && one.rows.map(\.sampleID) == other.rows.map(\.sampleID)
            && one.totals.itemCount == other.totals.itemCount && one.totals.defectCount == other.totals.defectCount
    }

    @Test(arguments: [.bundle(level: 1), .bundle(level: 3), .lines, .envelope, .table] as [ExportContainer])
    func `a batch makes the same piece with any builder and after any other batch`(container: ExportContainer) throws {
        let archive = try Archive.open(largeArchive(4000, in: folder), for: .evidence)
        let context = try archive.context(of: scope)
        let batches = try batches(archive, context, scope)
        try #require(batches.count >= 2)
        func builder() -> ChunkBuilder {
            ChunkBuilder(
                types: TypeNames(context.types), container: container, columns: TableColumn.record, lineLimit: 1 << 20)
        }
        let used = builder()
        for batch in batches.reversed() { _ = try used.chunk(of: batch) }
        _ = used.opening(header: Array("{}".utf8))
        for batch in batches {
            let fresh = try builder().chunk(of: batch)
            #expect(isSame(fresh, try used.chunk(of: batch)))
            #expect(fresh.rows.count == batch.rows.count)
            #expect(fresh.quotedHashes.count == 67 * batch.rows.count - 1)
        }
    }

    @Test func `with defects a batch makes the same frame as well`() throws {
        let archive = try Archive.open(Fixture.path("archives/defects.sqlite"), for: .evidence)
        for mode in [Scope.Mode.pointInTime, .history] {
            let scope = Scope(mode: mode, observationID: 2)
            let context = try archive.context(of: scope)
            let batches = try batches(archive, context, scope)
            let builder = ChunkBuilder(
                types: TypeNames(context.types), container: .bundle(level: 1), lineLimit: 64 << 20)
            for batch in batches {
                let first = try builder.chunk(of: batch), second = try builder.chunk(of: batch)
                #expect(isSame(first, second))
                #expect(first.totals.defectCount > 0)
            }
        }
    }

    @Test func `side by side, frames are cut and ordered as one builder alone does it`() async throws {
        let path = try largeArchive(6000, in: folder)
        let bundle = try await exported(path, scope, in: folder)
        let archive = try Archive.open(path, for: .evidence)
        let context = try archive.context(of: scope)
        let builder = ChunkBuilder(types: TypeNames(context.types), container: .bundle(level: 1), lineLimit: 64 << 20)
        var frames: [BuiltChunk] = []
        for batch in try batches(archive, context, scope) { frames.append(try builder.chunk(of: batch)) }
        try #require(frames.count >= 4)
        let header = builder.opening(header: ExportHeader(scope, context, kind: .recoveryBundle, history: nil).bytes)
        let expected = header.bytes + frames.flatMap(\.bytes)
        #expect(bundle.starts(with: expected))
        // The last frame is the manifest's; the table has an entry of 8 bytes for each frame, and 17 bytes around them.
        #expect(bundle.suffix(9).prefix(4).elementsEqual([UInt8(frames.count + 2), 0, 0, 0]))
        #expect(bundle.count > expected.count + 17 + 8 * (frames.count + 2))
    }

    @Test func `the same export twice gives the same bytes, and so does every fixture`() async throws {
        let path = try largeArchive(4000, in: folder)
        #expect(try await exported(path, scope, in: folder, as: "a") == exported(path, scope, in: folder, as: "b"))
        for fixture in ["small", "defects", "two-chains", "utf16"] {
            let copy = try folder.copy("archives/\(fixture).sqlite", as: "\(fixture).sqlite")
            for mode in [Scope.Mode.pointInTime, .history] {
                let scope = Scope(mode: mode, observationID: 2)
                #expect(
                    try await exported(copy, scope, in: folder, as: "a") == exported(copy, scope, in: folder, as: "b"),
                    "\(fixture)")
            }
        }
    }

    @Test func `the level changes the frames and not the text`() async throws {
        let copy = try folder.copy("archives/small.sqlite", as: "small.sqlite")
        let scope = Scope(mode: .history, observationID: 4)
        _ = try await exported(copy, scope, in: folder, as: "a", level: 1)
        _ = try await exported(copy, scope, in: folder, as: "b", level: 19)
        #expect(try lines(folder.path("a")) == lines(folder.path("b")))
    }
}

private func unexpected(_ what: String) { Issue.record("\(what)") }

@Suite struct `Limits and refusals of an export` {
    private let folder: TemporaryFolder
    private let path: Path

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.copy("archives/small.sqlite", as: "small.sqlite")
    }

    private func failure(_ change: (inout ExportRequest) -> Void, hooks: Export.Hooks = .init()) async throws
        -> ExportError?
    {
        var request = ExportRequest(
            .recoveryBundle, scope: Scope(mode: .pointInTime, observationID: 4), container: .bundle(level: 1),
            destination: .file(folder.path("out"), replacing: false))
        change(&request)
        do throws(ExportError) {
            _ = try await Export.run(
                request,
                of: try asExportError { () throws -> Archive in
                    try Archive.open(path, for: .recording, wait: LockWait(seconds: 0))
                }, hooks: hooks)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a line that is too long is named by its sample row, and nothing is left`() async throws {
        let before = try folder.contents()
        // The longest item of the archive is the only one of more than this many bytes.
        let text = try await lineSizes()
        let longest = try #require(text.max())
        let error = try await failure { $0.lineLimit = longest - 1 }
        guard case .lineLimit(let sample, let bytes, let limit) = error else {
            return unexpected(error?.description ?? "no error")
        }
        #expect(bytes == longest)
        #expect(limit == longest - 1)
        #expect(
            error?.description
                == "samples row \(sample): its item makes a line of \(longest) bytes, and readers accept \(longest - 1)"
        )
        #expect(try folder.contents() == before)
        // The row is the one whose hash stands on the longest line.
        let archive = try Archive.open(path, for: .evidence)
        let scope = Scope(mode: .pointInTime, observationID: 4)
        let context = try archive.context(of: scope)
        var records = try archive.records(of: scope, in: context)
        let ids = try #require(try records.next()).rows.map(\.sampleID)
        #expect(ids[try #require(text.firstIndex(of: longest))] == sample)
        let none = try await failure { $0.lineLimit = longest }
        #expect(none == nil)
    }

    private func lineSizes() async throws -> [Int] {
        let other = try TemporaryFolder()
        _ = try await exported(path, Scope(mode: .pointInTime, observationID: 4), in: other)
        return try lines(other.path("out")).dropFirst().dropLast().map { $0.utf8.count }
    }

    @Test func `an output that exists is refused and left as it was`() async throws {
        try folder.write([1], as: "out")
        let before = try folder.contents()
        guard case .output(.exists) = try await failure({ _ in }) else { return unexpected("not refused") }
        #expect(try folder.contents() == before)
    }

    @Test(arguments: ["small.sqlite", "small.sqlite-wal", "small.sqlite-shm", "small.sqlite-journal", "link"])
    func `the archive and the files that belong to it are refused as output`(name: String) async throws {
        if name == "link" { try folder.link("link", to: "small.sqlite") }
        let error = try await failure { $0.destination = .file(folder.path(name), replacing: true) }
        guard case .output(.isInput) = error else { return unexpected(error?.description ?? "no error") }
        #expect(try folder.bytes("small.sqlite") == Fixture.bytes("archives/small.sqlite"))
    }

    @Test(arguments: ["", ".", "..", "no/out"])
    func `a name that is no file name is refused`(name: String) async throws {
        let error = try await failure { $0.destination = .file(folder.path(name), replacing: true) }
        guard case .output = error else { return unexpected(error?.description ?? "no error") }
        #expect(try folder.names() == ["small.sqlite"])
    }

    @Test func `an export that is stopped leaves nothing`() async throws {
        let before = try folder.contents()
        let error = try await failure({ _ in }, hooks: .init(shouldStop: { true }))
        #expect(error != nil)
        #expect(try folder.contents() == before)
    }

    @Test func `an export is recorded once, with the hashes that stand in its lines`() async throws {
        #expect(try await failure { _ in } == nil)
        let items = try lines(folder.path("out")).dropFirst().dropLast()
        let hashes = items.map { String($0.dropLast(2).suffix(64)) }
        #expect(try Program.sqlite(path, "SELECT item_hash FROM export_items ORDER BY rowid") == hashes)
        #expect(try Program.sqlite(path, "SELECT record_count FROM export_manifests") == ["\(hashes.count)"])
        #expect(try Program.sqlite(path, "SELECT count(*) FROM archive_metadata WHERE key LIKE 'publish%'") == ["0"])
        let before = try folder.contents()
        #expect(try await failure { $0.destination = .file(folder.path("out"), replacing: true) } == nil)
        #expect(try folder.contents() == before)
    }

    @Test func `evidence that changed since it was recorded is an error`() async throws {
        #expect(try await failure { _ in } == nil)
        _ = try Program.sqlite(
            path, "UPDATE sample_versions SET unit = 'other' WHERE id = (SELECT version_id FROM export_items LIMIT 1)")
        let error = try await failure { $0.destination = .file(folder.path("second"), replacing: false) }
        guard case .evidenceChanged = error else { return unexpected(error?.description ?? "no error") }
        #expect(try folder.names() == ["out", "small.sqlite"])
    }
}
