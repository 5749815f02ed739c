import Archive
import Files
import Manifest
import Scratch

@testable import Exports

/// An archive of `count` steps, enough of them for several frames.
func largeArchive(_ count: Int, in folder: TemporaryFolder) throws -> Path {
    try TestArchive.make(
        "large.sqlite", in: folder,
        """
        INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (1, 1, 1, 'completed', 'manual', 2);
        INSERT INTO sample_types(id, type_identifier) VALUES (1, 'com.example.b'), (2, 'com.example.a');
        CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count)) SELECT i FROM c;
        INSERT INTO samples SELECT i, i % 2 + 1, printf('%064x', i * 7919 % 100003), printf('%064x', i), NULL, 'key ' || i, 1, 1 FROM n;
        INSERT INTO sample_versions SELECT i, i, printf('%064x', i * 31), i * 60.5, i * 60.5 + 1, 'quantity', i / 7.0, 'count', NULL, NULL, NULL, NULL, NULL, NULL, 1 FROM n;
        INSERT INTO sample_visibility_ranges SELECT i, i, 1, NULL, 1, NULL FROM n;
        """)
}

/// Exports without a record and returns the bundle's bytes.
func exported(_ archive: Path, _ scope: Scope, in folder: TemporaryFolder, as name: String = "out", level: Int = 1)
    async throws -> [UInt8]
{
    var request = ExportRequest(
        .recoveryBundle, scope: scope, container: .bundle(level: level),
        destination: .file(folder.path(name), replacing: true))
    request.isRecorded = false
    _ = try await Export.run(request, of: Archive.open(archive, for: .reading))
    return try folder.bytes(name)
}

/// The lines of a bundle, decoded by the `zstd` program.
func lines(_ bundle: Path) throws -> [String] {
    String(decoding: try Program.run("zstd", ["-dc", bundle.text]), as: UTF8.self).split(separator: "\n").map(
        String.init)
}
