import Archive
import Files
import Scratch
import Testing

@testable import Recording

/// A planned repair holds no lock where nobody had the archive open (`Spec/repair.md`).
@Suite struct `An archive that is written to while its repair is planned` {
    private let folder: TemporaryFolder
    private let path: Path

    init() throws {
        folder = try TemporaryFolder()
        path = try TestArchive.make(in: folder, "")
    }

    /// What a repair that is planned after `change` says.
    private func said(after change: () throws -> Void) throws -> ArchiveError? {
        let archive = try Archive.open(path, for: .evidence)
        try change()
        return #expect(throws: ArchiveError.self) { try archive.plannedRepair([.ranges, .aggregates]) }
    }

    private func expectChanged(_ error: ArchiveError?) {
        #expect(error?.code == .storage)
        #expect(error?.description == "\(path.display): the archive was changed while it was read")
    }

    @Test func `one that is as it was is planned`() throws {
        let archive = try Archive.open(path, for: .evidence)
        let total = try archive.plannedRepair([.ranges, .aggregates]).total
        #expect(total == 0)
    }

    @Test func `one that stays intact was changed`() throws {
        expectChanged(try said { _ = try Program.sqlite(path, "CREATE TABLE other(x)") })
    }

    @Test func `one whose pages do not fit together any more was changed, not damaged`() throws {
        let bytes = try folder.bytes("archive.sqlite")
        expectChanged(try said { _ = try folder.write(Array(bytes.dropLast(bytes.count / 2)), as: "archive.sqlite") })
    }
}
