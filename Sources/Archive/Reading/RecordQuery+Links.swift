/// The SQL that finds relationships that changed between two observations (`Spec/changes.md`, Relationships).
///
/// A link, which is two samples and a kind, can only have changed where a row of it or its end was learned between the
/// observations, or where one of its samples became visible or ceased to be. The links of the sources of such links are
/// read, each once, whatever else the archive has.
///
///     link_sources    samples whose links are read
///     link_rows       rows of these links, and their ends
///     link_changes    those that changed, in the order of what tells them apart
extension RecordQuery {
    /// Whether relationships are compared: between observations of one chain, and where no label selects.
    var comparesLinks: Bool { fromChainID == nil && scope.labels == nil && !linkKinds.isEmpty }

    /// What the changes are that are wanted: whether there is a row before, `b`, and one after, `a`.
    private var linkKinds: [String] {
        let kinds: [(ChangeSelection, String)] = [
            (.relationshipAppeared, "b IS NULL"), (.relationshipDisappeared, "a IS NULL"),
            (.relationshipChanged, "(b IS NOT NULL AND a IS NOT NULL)"),
        ]
        return kinds.filter { kind, _ in scope.changes?.contains(kind) ?? true }.map(\.1)
    }

    /// Statements that gather the changed links.
    func linkTables() -> [(sql: String, parameters: [Parameter])] {
        let between = { (column: String) in "\(column) > \(self.older) AND \(column) <= \(self.newer)" }
        func sources(_ column: String, _ tables: String, _ condition: String) -> (String, [Parameter]) {
            let ofType =
                typeIDs.map {
                    " AND \(column) IN (SELECT id FROM samples WHERE sample_type_id IN "
                        + "(\($0.map(String.init).joined(separator: ","))))"
                } ?? ""
            return (
                "INSERT OR IGNORE INTO temp.link_sources SELECT \(column) FROM \(tables) WHERE \(condition)\(ofType)",
                []
            )
        }
        let ofRanges = ["first_observation_id", "last_observation_id"].flatMap { bound in
            ["source", "target"].map { end in
                sources(
                    "e.source_sample_id",
                    "sample_visibility_ranges r CROSS JOIN sample_relationships e ON e.\(end)_sample_id = r.sample_id",
                    between("r.\(bound)"))
            }
        }
        let ofEnds =
            hasCaptureFacts ? [sources("source_sample_id", "relationship_ends", between("observation_id"))] : []
        return Self.emptyLinkTables.map { ($0, []) } + ofRanges + ofEnds + [
            sources("source_sample_id", "sample_relationships", between("observation_id")),
            (linkRows, []), linkChanges,
        ]
    }

    private static let emptyLinkTables = [
        "CREATE TEMP TABLE IF NOT EXISTS link_sources(sample_id PRIMARY KEY) WITHOUT ROWID",
        """
        CREATE TEMP TABLE IF NOT EXISTS link_rows(source_id, target_id, kind, observation_id, id, metadata_id,
            is_end, replaces)
        """,
        // The number is the place among the links of a sample.
        "CREATE TEMP TABLE IF NOT EXISTS link_changes(place INTEGER PRIMARY KEY, source_id, before_id, after_id)",
        "DELETE FROM temp.link_sources", "DELETE FROM temp.link_rows", "DELETE FROM temp.link_changes",
    ]

    /// All rows of the links of these sources; `replaces` says whether a row replaces those before it.
    private var linkRows: String {
        let replaces =
            hasCaptureFacts ? "e.observation_id IN (SELECT observation_id FROM observation_facts)" : "0"
        let ends = """
             UNION ALL SELECT e.source_sample_id, e.target_sample_id, e.relationship_kind, e.observation_id, NULL, NULL,
                1, 1 FROM temp.link_sources s CROSS JOIN relationship_ends e ON e.source_sample_id = s.sample_id
            """
        return """
            INSERT INTO temp.link_rows SELECT e.source_sample_id, e.target_sample_id, e.relationship_kind,
                e.observation_id, e.id, e.metadata_id, 0, \(replaces) \
            FROM temp.link_sources s CROSS JOIN sample_relationships e ON e.source_sample_id = s.sample_id \
            \(hasCaptureFacts ? ends : "")
            """
    }

    /// Of each link the newest row that is current at either observation, and what differs.
    private var linkChanges: (sql: String, parameters: [Parameter]) {
        let (atFrom, atTo) = (isKnown("observation_id", at: from), isKnown("observation_id", at: scope.observationID))
        func latest(_ known: String) -> String {
            "max(CASE WHEN replaces AND \(known) THEN observation_id END) OVER link"
        }
        func isCurrent(_ known: String, _ latest: String) -> String {
            "NOT is_end AND (observation_id IS NULL "
                + "OR (\(known) AND observation_id >= ifnull(\(latest), observation_id)))"
        }
        func newest(_ isCurrent: String) -> String {
            """
            CASE WHEN \(isCurrent) AND row_number() OVER (PARTITION BY source_id, target_id, kind, \(isCurrent)
                ORDER BY observation_id DESC, id DESC) = 1 THEN id END
            """
        }
        func visible(_ id: String, _ observation: Int64) -> String {
            let ends = ["source_id", "target_id"].map { end in
                "EXISTS (SELECT 1 FROM sample_visibility_ranges r WHERE r.sample_id = l.\(end) "
                    + "AND \(isVisible("r", at: observation)))"
            }
            return "CASE WHEN \(id) IS NOT NULL AND \(ends.joined(separator: " AND ")) THEN \(id) END"
        }
        let (conditions, parameters) = selection()
        let isSelected = """
             AND EXISTS (SELECT 1 FROM sample_visibility_ranges r LEFT JOIN sample_versions v ON v.id = r.version_id
                WHERE r.sample_id = k.source_id AND ((\(isVisible("r", at: from)))
                OR (\(isVisible("r", at: scope.observationID))))\(conditions))
            """
        let sql = """
            WITH ranked AS (SELECT *, \(latest(atFrom)) AS f, \(latest(atTo)) AS t FROM temp.link_rows
                WINDOW link AS (PARTITION BY source_id, target_id, kind)),
            stated AS (SELECT *, \(isCurrent(atFrom, "f")) AS at_from, \(isCurrent(atTo, "t")) AS at_to FROM ranked),
            newest AS (SELECT source_id, target_id, kind, \(newest("at_from")) AS b, \(newest("at_to")) AS a
                FROM stated),
            links AS (SELECT source_id, target_id, kind, max(b) AS b, max(a) AS a FROM newest
                GROUP BY source_id, target_id, kind),
            sides AS (SELECT source_id, target_id, kind, \(visible("b", from)) AS b,
                \(visible("a", scope.observationID)) AS a FROM links l),
            changed AS (SELECT * FROM sides WHERE (b IS NULL) <> (a IS NULL)
                OR (SELECT metadata_id FROM sample_relationships WHERE id = b)
                IS NOT (SELECT metadata_id FROM sample_relationships WHERE id = a)) \
            INSERT INTO temp.link_changes(source_id, before_id, after_id) SELECT k.source_id, k.b, k.a
                FROM changed k LEFT JOIN samples s ON s.id = k.source_id LEFT JOIN samples o ON o.id = k.target_id
                LEFT JOIN sample_types t ON t.id = o.sample_type_id \
            WHERE (\(linkKinds.joined(separator: " OR ")))\(conditions.isEmpty ? "" : isSelected) \
            ORDER BY hp_text(k.kind), hp_text(t.type_identifier), hp_text(o.sample_uuid_hash, o.strict_fingerprint),
                ifnull(k.b, k.a)
            """
        return (sql, parameters)
    }

    /// The rows of changed links: each with its source's sample and no version. It goes behind the changes.
    var changedLinks: String {
        func row(_ version: String, isLeading: Bool) -> String {
            RecordSource(
                kind: "\(RowBatch.Kind.link.rawValue)", sampleID: "k.source_id", versionID: "NULL", version: version,
                beside: isLeading ? .link : .nothing, place: "k.place", placeRow: "0"
            ).sql
        }
        return """
             UNION ALL SELECT \(row("v", isLeading: true)), \(row("w", isLeading: false)) FROM temp.link_changes k
                LEFT JOIN samples s ON s.id = k.source_id LEFT JOIN sample_versions v ON v.id = NULL
                LEFT JOIN sample_versions w ON w.id = NULL
            """
    }

    /// Row ?1 of a link, as `RelationshipColumn`, seen from its source.
    static let link = """
        SELECT 'target', o.sample_uuid_hash, o.strict_fingerprint, 1, t.type_identifier, e.metadata_id,
            e.observation_id, e.relationship_kind, e.target_sample_id, o.id IS NOT NULL, o.sample_type_id,
            t.id IS NOT NULL, NULL \
        FROM sample_relationships e LEFT JOIN samples o ON o.id = e.target_sample_id
            LEFT JOIN sample_types t ON t.id = o.sample_type_id WHERE e.id = ?1
        """
}
