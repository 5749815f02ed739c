internal import Archive
internal import Files
internal import SQLite

extension Connection {
    /// Whether `PRAGMA integrity_check` finds nothing. O(n log n).
    ///
    /// For each row, that pragma searches its entry in each index. Those of samples stand in the order of hashes: of
    /// very many samples, each search reads another page. Then `quick_check`, which makes all other checks (manual,
    /// "PRAGMA quick_check"), and `integrity_check` of each other table come first, and the indexes of samples are
    /// compared in their own order. Where these are not certainly intact, the whole is asked.
    ///
    /// - Parameter many: how many samples are very many. The indexes of fewer stay in the cache.
    func isIntact(many: Int64 = 1_000_000) throws(ArchiveError) -> Bool {
        // What cannot be read here is not intact, which `integrity_check` says without an error.
        if let most = try? integer("SELECT ifnull(max(id), 0) FROM main.samples"), most >= many,
            let indexes = try SampleIndexes.ofPlainColumns(self)
        {
            guard try text("PRAGMA main.quick_check(1)") == "ok" else { return false }
            guard try areOtherTablesIntact() else { return false }
            if (try? indexes.areIntact(self)) == true { return true }
        }
        return try text("PRAGMA integrity_check(1)") == "ok"
    }

    /// Throws where `integrity_check` finds anything: neither repair nor undo is a recovery of files.
    func checkIntegrity() throws(ArchiveError) {
        guard try isIntact() else {
            throw ArchiveError(
                .unreadable, "\(path.display): the file itself is damaged, and nothing is written",
                hint: "hp-verify archive names what is damaged")
        }
    }

    private func areOtherTablesIntact() throws(ArchiveError) -> Bool {
        // The pragma is a table of SQLite's own in temp, whatever the file calls its tables.
        let found = try integer(
            """
            SELECT 1 FROM main.sqlite_schema t, temp.pragma_integrity_check(t.name, 'main') i
            WHERE t.type = 'table' AND t.name <> 'samples' COLLATE NOCASE AND i.integrity_check <> 'ok' LIMIT 1
            """)
        return found == nil
    }
}
