internal import Archive
internal import Files
internal import SQLite

/// A cache file that is one of ours: a regular file with exactly our tables.
struct CacheReading: ~Copyable {
    let connection: Connection
    /// The state from which it was made, by name.
    let state: [String: String]

    /// The statements of a cache's tables.
    static var schema: [String] {
        ["CREATE TABLE CacheState(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"]
            + CacheEntity.allCases.flatMap { [$0.schema, $0.index].compactMap { $0 } }
    }

    /// Opens the cache of an archive; nil where what lies there is none. Nothing beside it is looked at: a cache is
    /// written under another name and gets its own when it is complete.
    static func open(beside archive: borrowing Archive) throws(ArchiveError) -> CacheReading? {
        let path = Archive.cachePath(of: archive.file)
        guard let status = try? FileStatus.ofName(path), status.isRegular else { return nil }
        do throws(ArchiveError) {
            let connection = try Connection.open(path, mode: .immutable, wait: LockWait())
            try connection.noteEncoding()
            var rows = try connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
            var found: [String] = []
            while try rows.step(), found.count <= schema.count { found.append(rows.text(0) ?? "") }
            guard found == schema else { return nil }
            var state: [String: String] = [:]
            var entries = try connection.prepare("SELECT name, value FROM CacheState ORDER BY name LIMIT 100")
            while try entries.step() {
                if let name = entries.text(0), let value = entries.text(1) { state[name] = value }
            }
            return CacheReading(connection: connection, state: state)
        } catch {
            // Whatever SQLite finds wrong with it, it is made anew.
            return nil
        }
    }

    /// Returns the hash of what an observation's rows were made of; `nil` if it has none.
    func sourceHash(of observation: Int64) throws(ArchiveError) -> String? {
        var rows = try connection.prepare(
            "SELECT sourceAggregateHash FROM CachedObservationRow WHERE observationID IS ?1")
        rows.bind(1, observation)
        return try rows.step() ? rows.text(0) : nil
    }
}
