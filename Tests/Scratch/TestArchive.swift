public import Files
import Foundation

/// Archives that a test makes for itself, with the `sqlite3` program and the schema of `Spec`.
public enum TestArchive {
    /// The text of `Spec/archive-schema.sql`.
    public static var schema: String { Fixture.text(outside: "Spec/archive-schema.sql") }

    /// Creates an archive with the schema, one chain (id 1), and what `sql` inserts.
    public static func make(_ name: String = "archive.sqlite", in folder: TemporaryFolder, _ sql: String) throws -> Path
    {
        let path = folder.path(name)
        let begin = """
            INSERT INTO schema_migrations VALUES (2, 0, 'archive v2');
            INSERT INTO archive_metadata VALUES ('schema_version', '2');
            INSERT INTO device_chains VALUES (1, 'chain', 0, 0);
            """
        _ = try Program.sqlite(path, "BEGIN;\n" + schema + begin + sql + "\nCOMMIT;")
        return path
    }
}

extension Fixture {
    /// The text of a file of the repository.
    public static func text(outside path: String) -> String { String(decoding: bytes("../" + path), as: UTF8.self) }
}
