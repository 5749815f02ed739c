/// The stored rows of aggregates from which later ones may be derived, in SQL.
///
/// What another program wrote need not be a day or a count. A row of another shape is for verification to name:
/// nothing is carried over from it.
enum AggregateShape {
    /// Returns a condition that is true if a row of `daily_type_aggregates` is a bucket of whole seconds within any
    /// calendar. It is a bucket of a type, and of all records or of a source revision.
    static func isDay(_ row: String) -> String {
        let bounds = ["bucket_start", "bucket_end"].map { column in
            let name = "\(row).\(column)"
            // The plus keeps SQLite from looking for such rows by the bounds, which all rows are within.
            return "typeof(\(name)) = 'real' AND +\(name) BETWEEN -1e11 AND 1e12 AND \(name) = CAST(\(name) AS INTEGER)"
        }
        return """
            \(bounds.joined(separator: " AND ")) AND \(row).bucket_start <= \(row).bucket_end \
            AND typeof(\(row).sample_type_id) = 'integer' AND typeof(\(row).source_revision_id) IN ('integer', 'null')
            """
    }

    /// Returns a condition that is true if a row of `observation_type_summaries` has a count, dates of a calendar, and
    /// finite numbers.
    static func isSummary(_ row: String) -> String {
        let dates = ["earliest_start_date", "latest_end_date"].map {
            isNumber("\(row).\($0)", from: "-62135596800", to: "253402300800")
        }
        let greatest = "1.7976931348623157e308"
        let values = ["value_sum", "value_max"].map { isNumber("\(row).\($0)", from: "-\(greatest)", to: greatest) }
        let count = "\(row).visible_record_count"
        let isCount = "typeof(\(count)) = 'integer' AND \(count) BETWEEN 0 AND 9007199254740991"
        return ([isCount] + dates + values).joined(separator: " AND ")
    }

    private static func isNumber(_ column: String, from least: String, to greatest: String) -> String {
        let isWithin = "typeof(\(column)) IN ('real', 'integer') AND \(column) BETWEEN \(least) AND \(greatest)"
        return "(\(column) IS NULL OR (\(isWithin)))"
    }
}
