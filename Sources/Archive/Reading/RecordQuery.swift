internal import Format
internal import SQLite

/// The SQL that selects the rows of a scope, which are packed so that they sort by their bytes (`SortKey`).
///
/// Everything is one statement, or one that two connections run for slices of the ranges. Which table leads depends
/// on what the filter selects, so that the cost follows the selection:
///
///     no filter, or sources alone    sample_visibility_ranges, in the order of its rows: samples and versions are
///                                    then read nearly in order too
///     a type                         samples of the type by row id, then their ranges by primary key
///     dates                          sample_versions by start_date, then their ranges by primary key
///     types and dates                whichever selects less, counted through the index up to a bound
///
/// No index of the schema leads from a source to its versions; a source filter alone reads each version once.
package struct RecordQuery {
    package let scope: Scope
    /// `sample_types.id` of the filter's types; nil without a type filter.
    package let typeIDs: [Int64]?
    /// `true` if so few samples are of these types that their visible records are found from the samples. For many
    /// samples, reading all ranges in order costs less than sorting theirs.
    package let areTypesRare: Bool
    /// The chain, where the archive holds several.
    package let chainID: Int64?
    /// The chain of the observation that is compared with, where it is another one.
    package let fromChainID: Int64?
    /// `true` if the archive states which links ended.
    package let hasCaptureFacts: Bool

    /// The table that leads.
    package enum Lead { case ranges, types, dates, links }

    /// Returns the same query of fewer types, by `sample_types.id`.
    package func narrowed(toTypes ids: [Int64]) -> RecordQuery {
        RecordQuery(
            scope: scope, typeIDs: ids, areTypesRare: areTypesRare, chainID: chainID, fromChainID: fromChainID,
            hasCaptureFacts: hasCaptureFacts)
    }

    /// Returns a condition on an observation id: known at the scope's observation, and of no other chain.
    package func isKnown(_ column: String) -> String { isKnown(column, at: scope.observationID) }

    /// Returns the same condition at another observation of the chain, or at the one that is compared with.
    package func isKnown(_ column: String, at observation: Int64) -> String {
        let known = "\(column) <= \(observation)"
        let isFrom = observation == scope.fromObservationID
        guard let chain = (isFrom ? fromChainID : nil) ?? chainID else { return known }
        return "\(known) AND \(column) NOT IN (SELECT id FROM observations WHERE device_chain_id <> \(chain))"
    }

    /// Returns the scope's observations.
    package func hasObservation() -> String {
        switch scope.mode {
        case .history: isKnown("id")
        case .pointInTime: "id = \(scope.observationID)"
        case .changes: "id IN (\(scope.fromObservationID ?? scope.observationID), \(scope.observationID))"
        }
    }

    package var from: Int64 { scope.fromObservationID ?? scope.observationID }
    package var older: Int64 { min(from, scope.observationID) }
    package var newer: Int64 { max(from, scope.observationID) }

    private func isVisible(_ range: String) -> String { isVisible(range, at: scope.observationID) }

    /// Returns a condition on a range: it is visible at an observation.
    package func isVisible(_ range: String, at observation: Int64) -> String {
        "\(isKnown("\(range).first_observation_id", at: observation)) AND (\(range).last_observation_id IS NULL OR "
            + "\(range).last_observation_id > \(observation))"
    }

    /// Conditions that select sample `s` and version `v`, each with AND before it, and their parameters in order.
    package func selection(sample: String = "s", version: String = "v") -> (sql: String, parameters: [Parameter]) {
        var sql = ""
        var parameters: [Parameter] = []
        if let typeIDs {
            sql += " AND \(sample).sample_type_id IN (\(Self.list(typeIDs)))"
        }
        let filter = scope.filter
        if let since = filter.since {
            // Text sorts after every number; only numbers are dates.
            let starts = "\(version).start_date >= ? AND \(version).start_date <= 9e999"
            if filter.isOverlapping {
                sql += " AND ((\(starts)) OR (\(version).end_date > ? AND \(version).end_date <= 9e999))"
                parameters += [.real(since), .real(since)]
            } else {
                sql += " AND " + starts
                parameters.append(.real(since))
            }
        }
        if let until = filter.until {
            sql += " AND \(version).start_date < ?"
            parameters.append(.real(until))
        }
        for (column, texts) in [("bundle_identifier", filter.sources), ("source_name_hash", filter.sourceNames)] {
            guard let texts else { continue }
            sql += """
                 AND \(version).source_revision_id IN (SELECT r.id FROM source_revisions r JOIN sources o
                     ON o.id = r.source_id \
                WHERE o.\(column) IN (\(texts.map { _ in "?" }.joined(separator: ","))))
                """
            parameters += texts.map { .text($0) }
        }
        return (sql, parameters)
    }

    /// Returns the columns that the statement of a kind of item selects: with the range `r`, or of a sample alone, `p`.
    package func columns(of kind: RowBatch.Kind) -> String {
        switch kind {
        case .record:
            RecordSource(
                kind: "\(kind.rawValue)", sampleID: "r.sample_id", versionID: "r.version_id", beside: .range,
                place: "r.first_observation_id", placeRow: "r.rowid"
            ).sql
        default:
            RecordSource(
                kind: "\(kind.rawValue)", sampleID: "p.sample_id", versionID: "NULL", place: "0", placeRow: "0"
            ).sql
        }
    }

    /// Returns the statement for one point in time.
    ///
    /// - Parameter isSliced: whether two more parameters bound the row ids of the ranges.
    package func pointInTime(lead: Lead, isSliced: Bool = false) -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = selection()
        let sql = """
            SELECT \(columns(of: .record)) FROM \(join(lead)) \
            \(lead == .links ? withRelated(conditions) : isVisible("r") + conditions)\
            \(isSliced ? " AND r.rowid BETWEEN ? AND ?" : "")
            """
        return (sql, parameters)
    }

    /// Ids as a list of SQL.
    private static func list(_ ids: [Int64]) -> String { ids.map(String.init).joined(separator: ",") }

    /// Returns the tables in their order, and what joins them.
    package func join(_ lead: Lead) -> String {
        switch lead {
        // The lead's table is scanned in row order; `CROSS JOIN` keeps SQLite from reordering (manual, "Manual
        // Control Of Query Plans Using CROSS JOIN").
        case .ranges:
            "sample_visibility_ranges r NOT INDEXED LEFT JOIN samples s ON s.id = r.sample_id "
                + "LEFT JOIN sample_versions v ON v.id = r.version_id WHERE"
        case .types:
            // The index gives samples in the order of a hash. By their row ids the other tables are read nearly in
            // order; the limit keeps SQLite from dropping the order of a subquery.
            "(SELECT rowid AS row FROM samples WHERE sample_type_id IN (\(Self.list(typeIDs ?? []))) "
                + "ORDER BY 1 LIMIT -1) t CROSS JOIN samples s CROSS JOIN sample_visibility_ranges r "
                + "LEFT JOIN sample_versions v ON v.id = r.version_id WHERE s.rowid = t.row AND r.sample_id = s.id AND"
        case .dates:
            "sample_versions v CROSS JOIN sample_visibility_ranges r LEFT JOIN samples s "
                + "ON s.id = r.sample_id WHERE r.sample_id = v.sample_id AND r.version_id = v.id AND"
        case .links:
            "temp.related_samples p CROSS JOIN sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id "
                + "LEFT JOIN sample_versions v ON v.id = r.version_id WHERE r.sample_id = p.sample_id AND"
        }
    }

    /// Returns a condition on `o.id` or `e.other_id` that is true if a sample has an item in the same scope.
    private func hasItem() -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = selection(sample: "o", version: "ov")
        switch scope.mode {
        case .pointInTime where scope.filter.isWithRelated:
            return ("EXISTS (SELECT 1 FROM temp.related_samples h WHERE h.sample_id = ifnull(o.id, e.other_id))", [])
        case .pointInTime:
            return (
                "EXISTS (SELECT 1 FROM sample_visibility_ranges x LEFT JOIN sample_versions ov "
                    + "ON ov.id = x.version_id WHERE x.sample_id = e.other_id AND \(isVisible("x"))\(conditions))",
                parameters
            )
        case .history:
            return hasHistoryItem()
        // Changes have none: those that changed are changes themselves.
        case .changes: return ("0", [])
        }
    }

    /// Returns the relationships of sample ?1, as `RelationshipColumn`; the filter's parameters follow.
    package func relationships() -> (sql: String, parameters: [Parameter]) {
        let (hasItem, parameters) = hasItem()
        // `me` is there to make ?1 the first parameter: those of the filter take the numbers after it.
        let sql = """
            WITH me(id) AS (SELECT ?1) SELECT e."end", o.sample_uuid_hash, o.strict_fingerprint, \(hasItem),
                t.type_identifier, e.metadata_id, e.observation_id, e.relationship_kind, e.other_id, \
            o.id IS NOT NULL, o.sample_type_id, t.id IS NOT NULL, \(ended("e")) FROM (\
            SELECT 'target' AS "end", target_sample_id AS other_id, * FROM sample_relationships
                WHERE source_sample_id = ?1 \
            UNION ALL SELECT 'source', source_sample_id, * FROM sample_relationships WHERE target_sample_id = ?1) e \
            LEFT JOIN samples o ON o.id = e.other_id LEFT JOIN sample_types t ON t.id = o.sample_type_id \
            WHERE (e.observation_id IS NULL OR \(isKnown("e.observation_id"))) \(isCurrent("e")) \
            ORDER BY hp_text(e.relationship_kind), e."end", hp_text(t.type_identifier),
                hp_text(o.sample_uuid_hash, o.strict_fingerprint), e.id
            """
        return (sql, parameters)
    }

    /// Returns a condition on a row of relationships, with AND before it. What a capture wrote later, in what the scope
    /// knows, neither replaces nor ends the row. Of a whole history all rows are evidence.
    package func isCurrent(_ link: String) -> String {
        guard hasCaptureFacts, scope.mode != .history else { return "" }
        return """
            AND NOT EXISTS (SELECT 1 FROM sample_relationships n WHERE \(isLater("n", than: link))
                AND n.observation_id IN (SELECT observation_id FROM observation_facts)) \
            AND NOT EXISTS (SELECT 1 FROM relationship_ends n WHERE \(isLater("n", than: link)))
            """
    }

    /// Returns the first observation that ended a row of relationships in a history, unless a later row replaced it
    /// before.
    private func ended(_ link: String) -> String {
        guard hasCaptureFacts, scope.mode == .history else { return "NULL" }
        return """
            (SELECT x.observation_id FROM relationship_ends x WHERE \(isLater("x", than: link)) AND NOT EXISTS (
                SELECT 1 FROM sample_relationships n WHERE \(isLater("n", than: link))
                AND n.observation_id < x.observation_id
                AND n.observation_id IN (SELECT observation_id FROM observation_facts))
                ORDER BY x.observation_id LIMIT 1)
            """
    }

    /// Returns a condition on a row of a link, of `sample_relationships` or `relationship_ends`: it is of the same link
    /// as another, of a later observation, and known to the scope.
    private func isLater(_ other: String, than link: String) -> String {
        "\(other).source_sample_id = \(link).source_sample_id "
            + "AND \(other).target_sample_id = \(link).target_sample_id "
            + "AND \(other).relationship_kind = \(link).relationship_kind "
            + "AND \(other).observation_id > \(link).observation_id AND \(isKnown("\(other).observation_id"))"
    }

    /// Returns the events of sample ?1 that belong to an item, as `EventColumn`: those that name version ?2 (or none,
    /// if ?2 is NULL); of a change, those between its observations.
    ///
    /// - Parameter inFullOrder: false where an order by observation is enough, which the index has.
    package func events(inFullOrder: Bool) -> String {
        (scope.mode == .changes ? changeEvents() : eventsOfItem) + " ORDER BY observation_id"
            + (inFullOrder ? ", hp_text(event_kind), id" : "")
    }

    /// The events of sample ?1 that name version ?2 (or none, where ?2 is NULL), as `EventColumn`.
    package var eventsOfItem: String {
        """
        SELECT \(Self.eventColumns) FROM sample_observation_events \
        WHERE sample_id = ?1 AND version_id IS ?2 AND \(isKnown("observation_id"))
        """
    }

    /// Returns the events of sample ?1 after the older observation and up to the newer one.
    package func changeEvents() -> String {
        """
        SELECT event_kind, evidence_kind, observation_id, observed_at FROM sample_observation_events \
        WHERE sample_id = ?1 AND observation_id > \(older) AND \(isKnown("observation_id", at: newer))
        """
    }

    /// Row ?1 of a link, as `RelationshipColumn`, seen from its source.
    package static let link = """
        SELECT 'target', o.sample_uuid_hash, o.strict_fingerprint, 1, t.type_identifier, e.metadata_id,
            e.observation_id, e.relationship_kind, e.target_sample_id, o.id IS NOT NULL, o.sample_type_id,
            t.id IS NOT NULL, NULL \
        FROM sample_relationships e LEFT JOIN samples o ON o.id = e.target_sample_id
            LEFT JOIN sample_types t ON t.id = o.sample_type_id WHERE e.id = ?1
        """

    /// The columns of an event.
    package static let eventColumns = ObjectFormat.evidenceItemEvents.list

    // MARK: The whole history

    /// `true` if samples without a version that the filter selects have items.
    package var hasAllSamples: Bool { !scope.isOfVersions && !scope.filter.isByVersion }

    /// Returns the statements that give pairs of a sample and a version that a row, a range or an event names; if all
    /// samples have items, also pairs without a version.
    ///
    /// - Parameter selects: a condition on the sample's id, which is a column of this name.
    package func namedVersions(_ selects: (String) -> String) -> [String] {
        let hasVersion = hasAllSamples ? "" : "version_id IS NOT NULL AND "
        let sample = selects("sample_id")
        // `+` keeps SQLite from reading in the order of observations.
        return [
            "SELECT sample_id, id AS version_id FROM sample_versions "
                + "WHERE \(sample) AND \(isKnown("+created_observation_id"))",
            "SELECT sample_id, version_id FROM sample_visibility_ranges "
                + "WHERE \(sample) AND \(hasVersion)\(isKnown("+first_observation_id"))",
            "SELECT sample_id, version_id FROM sample_observation_events "
                + "WHERE \(sample) AND \(hasVersion)\(isKnown("+observation_id"))",
        ]
    }

    /// Returns a condition that is true if a sample has an item in the history. It is on `o.id`, and on `e.other_id` if
    /// there is no such row.
    private func hasHistoryItem() -> (sql: String, parameters: [Parameter]) {
        guard !scope.isOfVersions else { return ("0", []) }
        let ofType =
            typeIDs.map { " AND o.sample_type_id IN (\($0.map(String.init).joined(separator: ",")))" } ?? ""
        let pairs = namedVersions { "\($0) = e.other_id\(ofType)" }.joined(separator: " UNION ALL ")
        guard scope.filter.isByVersion else {
            let isSeen = "o.id IS NOT NULL AND \(isKnown("o.first_seen_observation_id"))\(ofType)"
            return ("((\(isSeen)) OR EXISTS (\(pairs)))", [])
        }
        let (conditions, parameters) = selection(sample: "o", version: "ov")
        return (
            "EXISTS (SELECT 1 FROM (\(pairs)) h LEFT JOIN sample_versions ov ON ov.id = h.version_id "
                + "WHERE 1\(conditions))", parameters
        )
    }
}

/// The samples that the selected ones are linked to (`Spec/bundle.md`, `with_related`).
extension RecordQuery {
    /// Statements that gather, in a temporary table, the selected samples and those that they are linked to, over any
    /// number of links. A link counts as it does in an item of the same scope, and leads to what is visible.
    ///
    /// - Parameter lead: which table leads to the selected ones.
    package func relatedTables(lead: Lead) -> [(sql: String, parameters: [Parameter])] {
        let (conditions, parameters) = selection()
        func next(from end: String, to other: String) -> String {
            """
            SELECT e.\(other) FROM linked l CROSS JOIN sample_relationships e ON e.\(end) = l.id \
            WHERE \(counts("e")) AND EXISTS (SELECT 1 FROM sample_visibility_ranges x \
            WHERE x.sample_id = e.\(other) AND \(isVisible("x", at: scope.observationID)))
            """
        }
        return [
            ("CREATE TEMP TABLE IF NOT EXISTS related_samples(sample_id PRIMARY KEY) WITHOUT ROWID", []),
            ("DELETE FROM temp.related_samples", []),
            (
                """
                INSERT OR IGNORE INTO temp.related_samples WITH RECURSIVE linked(id) AS (\
                SELECT r.sample_id FROM \(join(lead)) \(isVisible("r", at: scope.observationID))\(conditions) \
                UNION \(next(from: "source_sample_id", to: "target_sample_id")) \
                UNION \(next(from: "target_sample_id", to: "source_sample_id"))) SELECT id FROM linked
                """, parameters
            ),
        ]
    }

    /// Returns a condition on range `r`: it is visible, and selected or of a sample that has a link to another of the
    /// table.
    package func withRelated(_ conditions: String) -> String {
        func isLinked(_ end: String, to other: String) -> String {
            """
            EXISTS (SELECT 1 FROM sample_relationships e JOIN temp.related_samples h ON h.sample_id = e.\(other) \
            WHERE e.\(end) = r.sample_id AND \(counts("e")))
            """
        }
        return isVisible("r", at: scope.observationID) + " AND ((1\(conditions)) OR "
            + isLinked("source_sample_id", to: "target_sample_id") + " OR "
            + isLinked("target_sample_id", to: "source_sample_id") + ")"
    }

    /// Returns a condition on a row of relationships: it is known, and nothing ended or replaced it.
    private func counts(_ link: String) -> String {
        "(\(link).observation_id IS NULL OR \(isKnown("\(link).observation_id"))) \(isCurrent(link))"
    }
}
