internal import SQLite

/// The SQL of a whole history: of each sample that is known an item, and one of each version that a row, a range or an
/// event names, with their ranges and events.
///
/// The statements go through samples by their ids, so that what belongs to one is read together, and several
/// connections can each take a slice of the ids. Ids need not be integers, and what they name need not exist.
struct HistoryQuery {
    /// What is asked.
    let query: RecordQuery

    /// Which samples a statement is about.
    enum Samples {
        case all
        /// Those with an id from ?1 on, whatever its storage class.
        case from
        /// Those with an id from ?1 up to, without it, ?2.
        case between
    }

    /// The rows of samples and versions in the order of their samples, that of a sample without a version first where
    /// it is known; `sampleWithoutRow` is for the others. Parameters of the filter follow those of the slice.
    func history(_ samples: Samples) -> (sql: String, parameters: [Parameter]) {
        var pairs = query.namedVersions { column in selects(column, samples) }
        if query.hasAllSamples {
            pairs.insert(
                "SELECT id AS sample_id, NULL AS version_id FROM samples WHERE \(selects("id", samples)) "
                    + "AND \(query.isKnown("+first_seen_observation_id"))", at: 0)
        }
        let source = RecordSource(
            kind: "CASE WHEN p.version_id IS NULL THEN \(RowBatch.Kind.sample.rawValue) "
                + "ELSE \(RowBatch.Kind.version.rawValue) END",
            sampleID: "p.sample_id", versionID: "p.version_id", place: "0", placeRow: "0")
        // The filter is looked up in a query of its own: it must not become a reason to read in another order.
        let (conditions, parameters) = query.selection()
        let isSelected = """
             WHERE EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id WHERE 1\(conditions))
            """
        let isFiltered = query.scope.filter.isByVersion
        let sql = """
            SELECT \(source.sql) FROM (\(pairs.joined(separator: " UNION ")) ORDER BY 1, 2) p \
            LEFT JOIN samples s ON s.id = p.sample_id LEFT JOIN sample_versions v ON v.id = p.version_id\
            \(isFiltered ? isSelected : "")
            """
        return (sql, isFiltered ? parameters : [])
    }

    /// The row of sample ?1, where the history has versions of it alone; nil where samples have no items.
    ///
    /// It has no version: no id equals NULL, which a look into the index finds at once.
    func sampleWithoutRow() -> String? {
        guard !query.scope.isOfVersions else { return nil }
        return """
            SELECT \(query.columns(of: .sample)) FROM (SELECT ?1 AS sample_id) p \
            LEFT JOIN samples s ON s.id = p.sample_id LEFT JOIN sample_versions v ON v.id = NULL
            """
    }

    /// A condition on a sample's id: it is in the slice, and of a type of the filter.
    private func selects(_ column: String, _ samples: Samples) -> String {
        let slice =
            switch samples {
            case .all: "1"
            case .from: "\(column) >= ?1"
            case .between: "\(column) >= ?1 AND \(column) < ?2"
            }
        guard let typeIDs = query.typeIDs else { return slice }
        return "\(slice) AND \(column) IN (SELECT id FROM samples "
            + "WHERE sample_type_id IN (\(typeIDs.map(String.init).joined(separator: ","))))"
    }

    // MARK: Ranges and events

    /// Behind the columns of a range or an event: its sample and version.
    private static let owner = ", sample_id, version_id"

    /// Ranges of samples with integers as ids, as `VisibilityColumn`, then sample and version, in their order.
    func ranges(_ samples: Samples) -> String {
        """
        SELECT \(visibility)\(Self.owner) FROM sample_visibility_ranges WHERE \(selects("sample_id", samples))
            AND typeof(sample_id) = 'integer' AND \(query.isKnown("+first_observation_id")) \
        ORDER BY sample_id, version_id, first_observation_id, rowid
        """
    }

    /// Events of samples with integers as ids, as `EventColumn`, then sample and version, in the order of samples and
    /// observations.
    func events(_ samples: Samples) -> String {
        """
        SELECT \(RecordQuery.eventColumns)\(Self.owner) FROM sample_observation_events \
        WHERE \(selects("sample_id", samples)) AND typeof(sample_id) = 'integer'
            AND \(query.isKnown("+observation_id")) ORDER BY sample_id, observation_id
        """
    }

    /// The ranges of sample ?1 that name version ?2 (or none, where ?2 is NULL), as `VisibilityColumn`.
    var rangesOfItem: String {
        """
        SELECT \(visibility) FROM sample_visibility_ranges WHERE sample_id = ?1 AND version_id IS ?2
            AND \(query.isKnown("first_observation_id")) ORDER BY first_observation_id, rowid
        """
    }

    /// A range as it stands at the scope's observation.
    private var visibility: String {
        """
        first_observation_id, first_seen_at, CASE WHEN last_observation_id <= \(query.scope.observationID) THEN
            last_observation_id END, CASE WHEN last_observation_id <= \(query.scope.observationID) THEN last_seen_at END
        """
    }
}
