internal import Archive
internal import SQLite

/// Removes the samples whose ids are in `temp.withdrawn`.
///
/// Rows stand in the order of their ids, their strict fingerprints in the order of a hash: of very many samples, each
/// takes its entry from another page of that index, which is read and written for it. So these are removed slice by
/// slice of the index: a slice stays in the cache, and its rows are removed in the order of their ids.
enum SampleRemoval {
    /// - Parameters:
    ///   - count: how many there are. The pages of a few stay in the cache as it is.
    ///   - slice: how many entries a slice has. With some 90 bytes each they take three quarters of the cache.
    static func run(count: Int, slice: Int = 200_000, _ connection: borrowing Connection) throws(ArchiveError) {
        var removed = 0
        if count >= 4 * slice {
            try connection.execute("DROP TABLE IF EXISTS temp.slice; CREATE TEMP TABLE slice(id INTEGER PRIMARY KEY)")
            for type in try types(connection) { removed += try removeSlices(of: type, slice, connection) }
            try connection.execute("DROP TABLE temp.slice")
        }
        // A sample whose type has no row is in no slice.
        if removed < count {
            try connection.execute("DELETE FROM samples WHERE id IN (SELECT id FROM temp.withdrawn)")
        }
    }

    private static func types(_ connection: borrowing Connection) throws(ArchiveError) -> [Int64] {
        var rows = try connection.prepare("SELECT id FROM sample_types ORDER BY id")
        var types: [Int64] = []
        while try rows.step() { if let id = rows.exactInteger(0) { types.append(id) } }
        return types
    }

    /// Removes samples of a type, and says how many.
    private static func removeSlices(of type: Int64, _ slice: Int, _ connection: borrowing Connection)
        throws(ArchiveError) -> Int
    {
        let ofType = "FROM samples WHERE sample_type_id = \(type) AND strict_fingerprint"
        var bound = try connection.prepare(
            "SELECT strict_fingerprint \(ofType) >= ?1 ORDER BY strict_fingerprint LIMIT 1 OFFSET \(slice)")
        // The unary plus keeps SQLite from a search by id (manual, "The SQLite Query Optimizer Overview", 2). Which of
        // them are to go is looked up afterwards, in the order of the ids.
        let ids = "+id BETWEEN (SELECT min(id) FROM temp.withdrawn) AND (SELECT max(id) FROM temp.withdrawn)"
        let find = "INSERT INTO temp.slice SELECT id \(ofType) >= ?1 AND \(ids)"
        var part = try connection.prepare("\(find) AND strict_fingerprint < ?2 ORDER BY id")
        var rest = try connection.prepare("\(find) ORDER BY id")
        var remove = try connection.prepare("DELETE FROM samples WHERE id IN (SELECT id FROM temp.slice)")
        var removed = 0
        var first: [UInt8]? = []
        while let start = first {
            bound.bind(1, text: start)
            first = try bound.step() && bound.storageClass(0) == .text ? bound.bytes(0) : nil
            bound.reset()
            // Bounds ascend, also where a text that is none is read as another: the rest is one slice then.
            if let next = first, !start.lexicographicallyPrecedes(next) { first = nil }
            if let end = first {
                part.bind(1, text: start)
                part.bind(2, text: end)
                try part.run()
            } else {
                rest.bind(1, text: start)
                try rest.run()
            }
            try connection.execute("DELETE FROM temp.slice WHERE id NOT IN (SELECT id FROM temp.withdrawn)")
            try remove.run()
            removed += remove.changes
            try connection.execute("DELETE FROM temp.slice")
        }
        return removed
    }
}
