import Archive
import Codes
import Exports
import Files
import Matching
import Scratch
import Testing

@testable import Verification

@Suite struct `Verifying against an archive` {
    private let folder: TemporaryFolder
    private let path: Path

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
    }

    private func export(_ scope: Scope = Scope(mode: .pointInTime, observationID: 4)) async throws {
        _ = try await Export.run(
            ExportRequest(
                .recoveryBundle, scope: scope, container: .bundle(level: 1),
                destination: .file(folder.path("b"), replacing: false)), of: Archive.open(path, for: .recording))
    }

    private func report(_ bundle: Path? = nil) async throws -> Report {
        try await BundleVerifier.verify(
            Descriptor.reading(bundle ?? folder.path("b")), archive: Archive.open(path, for: .evidence))
    }

    private static let scopes = [
        Scope(mode: .pointInTime, observationID: 4), Scope(mode: .pointInTime, observationID: 1),
        Scope(mode: .history, observationID: 4),
        Scope(
            mode: .history, observationID: 3,
            filter: Filter(
                sampleTypes: ["HKQuantityTypeIdentifierHeartRate", "com.example.unknown"], since: 946_684_860.25)),
    ]

    @Test(arguments: scopes)
    func `a recorded export matches, and the archive stays as it is`(scope: Scope) async throws {
        try await export(scope)
        let before = try folder.contents()
        let report = try await report()
        #expect(report.findings.map(\.code) == [])
        #expect(report.isGood)
        #expect(report.verdict == "valid: matches the archive")
        #expect((report.record, report.evidence) == (.agrees, .given))
        #expect(try folder.contents() == before)
    }

    @Test(
        arguments: [
            (
                "UPDATE export_items SET item_hash = replace(item_hash, 'a', 'b') WHERE rowid = 1",
                [.archiveItemHash: 1]
            ),
            ("DELETE FROM export_items WHERE rowid = 2", [.archiveItemUnknown: 1]),
            ("DELETE FROM export_items", [.archiveItemUnknown: 0]),
            ("INSERT INTO export_items VALUES (1, 1, NULL, 'x')", [.archiveItemAbsent: 1]),
            ("UPDATE export_manifests SET manifest_hash = upper(manifest_hash)", [.archiveManifestHash: 1]),
            ("UPDATE export_manifests SET record_count = record_count + 1", [.archiveRecordCount: 1]),
            ("UPDATE export_manifests SET to_observation_id = 3", [.archiveScope: 1]),
            ("UPDATE export_manifests SET from_observation_id = 1", [.archiveScope: 1]),
            ("UPDATE export_manifests SET export_kind = 'other'", [.archiveScope: 1]),
            ("UPDATE export_manifests SET filter_json = '{}'", [.archiveScope: 1]),
            ("UPDATE export_manifests SET filter_json = NULL", [.archiveScope: 1]),
        ] as [(String, [Code: Int])])
    func `a record that was changed is told by its code`(sql: String, expected: [Code: Int]) async throws {
        try await export()
        _ = try Program.sqlite(path, sql)
        let report = try await report()
        #expect(Set(report.counts.keys) == Set(expected.keys))
        // A count of 0 stands for one finding per item.
        for (code, count) in expected { #expect(report.counts[code] == (count > 0 ? count : report.itemCount)) }
        #expect(!report.isGood)
        for layer in Layer.allCases where layer != .archive { #expect(report.status(layer) == .ok) }
    }

    @Test func `an export that was not recorded is known by its evidence`() async throws {
        try await export()
        _ = try Program.sqlite(path, "UPDATE export_manifests SET export_id = 'other'")
        let report = try await report()
        #expect(report.verdict == "valid: reproduced, not recorded")
        #expect((report.record, report.evidence) == (.notRecorded, .given))
        #expect(report.isGood)
    }

    @Test(arguments: [
        Scope(mode: .pointInTime, observationID: 2), Scope(mode: .history, observationID: 2),
        Scope(mode: .history, observationID: 1),
    ])
    func `an archive that keeps identity rules has exports whose hashes hold, and must go on saying so`(scope: Scope)
        async throws
    {
        let identity = try folder.copy("archives/identity.sqlite", as: "identity.sqlite")
        _ = try await Export.run(
            ExportRequest(
                .recoveryBundle, scope: scope, container: .bundle(level: 1),
                destination: .file(folder.path("b"), replacing: false)), of: Archive.open(identity, for: .recording))
        func codes() async throws -> Set<Code> {
            Set(
                try await BundleVerifier.verify(
                    Descriptor.reading(folder.path("b")), archive: Archive.open(identity, for: .evidence)
                ).counts.keys)
        }
        #expect(try await codes() == [])
        _ = try Program.sqlite(identity, "UPDATE archive_metadata SET value = '3' WHERE key = 'identity_rules'")
        #expect(try await codes() == [.archiveScope])
    }

    @Test(arguments: Vector.all.filter { $0.name.hasPrefix("forgery-") })
    func `a forgery that is self-consistent is no export that the archive knows`(vector: Vector) async throws {
        #expect(vector.codes.isEmpty)
        let report = try await report(vector.path)
        #expect(Set(report.counts.keys) == [.archiveExportUnknown])
        #expect(!report.isGood)
    }

    @Test func `a bundle without a readable header leaves the archive layer unknown`() async throws {
        let report = try await report(Vector("container-header-frame-broken").path)
        #expect(report.status(.archive) == .unknown)
        #expect(!report.isGood)
    }

    @Test func `no finding holds a stored value`() async throws {
        try await export()
        _ = try Program.sqlite(path, "UPDATE export_items SET item_hash = 'x'")
        let report = try await report()
        #expect(report.total > 0)
        for finding in report.findings { #expect(finding.pointer == nil && finding.expected == "x") }
    }
}
