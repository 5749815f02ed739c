internal import CSQLite

/// The SQL function `hp_related(sample id)`: 1 where a relationship names the sample at either end, 0 where none does, NULL where that is for SQL to find out.
///
/// Two index lookups for each of many rows cost more than everything else that is asked of a row; most archives have few relationships.
final class RelatedFunction: SQLFunction {
    /// The samples; nil where there are too many to keep.
    private let samples: Set<Int64>?
    private static let limit = 50_000

    /// Reads the samples that relationships name. Ids that are no integers are left to SQL.
    init(_ connection: borrowing Connection) throws(ArchiveError) {
        var ids = try connection.prepare("SELECT source_sample_id FROM sample_relationships UNION ALL SELECT target_sample_id FROM sample_relationships LIMIT \(2 * Self.limit + 1)")
        var found: Set<Int64> = []
        var count = 0
        while try ids.step() {
            count += 1
            if let id = ids.exactInteger(0) { found.insert(id) }
        }
        samples = count > 2 * Self.limit ? nil : found
    }

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard let samples, unsafe sqlite3_value_type(values[0]) == SQLITE_INTEGER else { return unsafe sqlite3_result_null(context) }
        unsafe sqlite3_result_int(context, samples.contains(sqlite3_value_int64(values[0])) ? 1 : 0)
    }
}
