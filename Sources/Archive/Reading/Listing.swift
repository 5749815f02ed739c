internal import SQLite

/// A short table of what an archive holds, for people and for `--json`.
public struct Listing: Sendable {
    /// The table that is listed.
    public enum Kind: String, CaseIterable, Sendable {
        case observations, types, sources, devices, changes, rejected, withheld, exports, context
    }

    /// A column.
    public struct Column: Sendable {
        /// Its name, as in the schema.
        public let name: String
        /// `true` if it is a number, which tables align to the right.
        public let isNumber: Bool
        /// `true` if a table for people shows it.
        public let isInTable: Bool
    }

    /// A value.
    public enum Value: Sendable {
        case absent
        case integer(Int64)
        /// Unix seconds.
        case moment(Double)
        case text(String)
    }

    public let kind: Kind
    public private(set) var columns: [Column]
    public fileprivate(set) var rows: [[Value]]

    /// Adds columns of counts, which a table for people does not show; values are found by the first one of a row.
    public mutating func add(_ names: [String], _ values: (Int64) -> [Int64?]?) {
        columns += names.map { Column(name: $0, isNumber: true, isInTable: false) }
        for index in rows.indices {
            var found: [Int64?]?
            if case .integer(let id)? = rows[index].first { found = values(id) }
            rows[index] += names.indices.map { place in found.flatMap { $0[place] }.map { .integer($0) } ?? .absent }
        }
    }
}

extension Archive {
    /// Lists observations, sample types, changes by observation and type, exports, or the context log.
    public func listing(_ kind: Listing.Kind) throws(ArchiveError) -> Listing {
        let definition = Self.definition(kind, hasFacts: try Schema.hasCaptureFacts(connection))
        // The log is ours; archives of other engines do not have it.
        let isEmpty =
            switch kind {
            case .context: try !Schema.hasContextLog(connection)
            case .rejected, .withheld: try !Schema.hasCaptureFacts(connection)
            default: false
            }
        var listing = Listing(
            kind: kind,
            columns: definition.columns.map {
                Listing.Column(name: $0.name, isNumber: $0.type == .integer, isInTable: $0.isInTable)
            }, rows: [])
        guard !isEmpty else { return listing }
        var statement = try connection.prepare(definition.sql)
        while try statement.step() {
            listing.rows.append(
                definition.columns.indices.map { index in
                    let column = Int32(index)
                    switch definition.columns[index].type {
                    case .integer: return statement.exactInteger(column).map { .integer($0) } ?? .absent
                    case .moment: return statement.real(column).map { .moment($0) } ?? .absent
                    case .text: return statement.text(column).map { .text($0) } ?? .absent
                    }
                })
        }
        return listing
    }

    /// Returns a listing of sources or devices with the labels of a file in their place.
    public static func labelled(_ listing: Listing, _ labels: Labels) -> Listing {
        var listing = listing
        guard let place = listing.columns.firstIndex(where: { $0.name == "label" }) else { return listing }
        for row in listing.rows.indices {
            guard case .text(let hash) = listing.rows[row][0], let name = labels.names[hash] else { continue }
            listing.rows[row][place] = .text(name)
        }
        return listing
    }

    private enum ColumnType { case integer, moment, text }
    private typealias Definition = (sql: String, columns: [(name: String, type: ColumnType, isInTable: Bool)])

    private static func definition(_ kind: Listing.Kind, hasFacts: Bool) -> Definition {
        (sql(kind, hasFacts: hasFacts), columns(kind))
    }

    /// Returns the SQL of a type's state at an observation, as its newest run there states it.
    private static func state(_ hasFacts: Bool, type: String, observation: String) -> String {
        guard hasFacts else { return "NULL" }
        return """
            (SELECT f.state FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id
                WHERE u.sample_type_id = \(type) AND \(observation) ORDER BY u.observation_id DESC, u.id DESC LIMIT 1)
            """
    }

    // Each version of a sample is counted at the source that it has. The place of the label is filled from elsewhere.
    private static let sourcesSQL = """
        SELECT o.source_name_hash, NULL, o.bundle_identifier, r.product_type, sum(v.version_count), \
        min(v.first_start), max(v.last_start) FROM sources o LEFT JOIN source_revisions r ON r.source_id = o.id \
        LEFT JOIN (\(counts(of: "source_revision_id"))) v ON v.id = r.id \
        GROUP BY o.source_name_hash, o.bundle_identifier, r.product_type \
        ORDER BY hp_text(o.source_name_hash), hp_text(o.bundle_identifier), hp_text(r.product_type)
        """

    private static let devicesSQL = """
        SELECT d.device_hash, NULL, d.model, d.hardware_version, sum(v.version_count), min(v.first_start), \
        max(v.last_start) FROM hk_devices d LEFT JOIN (\(counts(of: "hk_device_id"))) v ON v.id = d.id \
        GROUP BY d.device_hash, d.model, d.hardware_version \
        ORDER BY hp_text(d.device_hash), hp_text(d.model), hp_text(d.hardware_version)
        """

    private static func counts(of column: String) -> String {
        "SELECT \(column) AS id, count(*) AS version_count, min(start_date) AS first_start, "
            + "max(start_date) AS last_start FROM sample_versions GROUP BY \(column)"
    }

    private static func sql(_ kind: Listing.Kind, hasFacts: Bool) -> String {
        switch kind {
        case .observations:
            """
            SELECT id, device_chain_id, observed_at, status, trigger_reason, app_version, os_version, \
            time_zone_identifier, time_zone_seconds_from_gmt, started_at, ended_at, schema_version, \
            selected_type_set_hash, notes FROM observations ORDER BY id
            """
        case .types:
            """
            SELECT t.type_identifier, t.category, t.display_name, \
            (SELECT count(*) FROM samples s WHERE s.sample_type_id = t.id), \
            (SELECT count(*) FROM observation_type_runs u WHERE u.sample_type_id = t.id), \
            coalesce((SELECT status FROM observation_type_runs u WHERE u.sample_type_id = t.id \
            ORDER BY observation_id DESC, id DESC LIMIT 1), 'never_queried'), \
            \(state(hasFacts, type: "t.id", observation: "1"))
            FROM sample_types t ORDER BY hp_text(t.type_identifier), t.id
            """
        case .sources: Self.sourcesSQL
        case .devices: Self.devicesSQL
        case .changes:
            """
            SELECT m.observation_id, t.type_identifier, m.appeared_count, m.representation_changed_count,
                m.disappeared_count,
                \(state(hasFacts, type: "m.sample_type_id", observation: "u.observation_id = m.observation_id"))
            FROM observation_type_summaries m JOIN sample_types t ON t.id = m.sample_type_id
            WHERE m.appeared_count + m.representation_changed_count + m.disappeared_count > 0
            ORDER BY m.observation_id, hp_text(t.type_identifier), t.id
            """
        case .rejected:
            """
            SELECT t.type_identifier, r.reason, r.place, r.start_date, r.record_count, r.first_observation_id, \
            r.last_observation_id, r.content_hash FROM rejected_records r \
            LEFT JOIN sample_types t ON t.id = r.sample_type_id ORDER BY r.id
            """
        case .withheld:
            """
            SELECT t.type_identifier, coalesce(s.sample_uuid_hash, s.strict_fingerprint), w.first_observation_id, \
            w.last_observation_id FROM withheld_closures w JOIN samples s ON s.id = w.sample_id \
            JOIN sample_types t ON t.id = s.sample_type_id ORDER BY w.id
            """
        case .context:
            "SELECT logged_at, event_kind, observation_id, tool_version, detail_json FROM context_log ORDER BY id"
        case .exports:
            """
            SELECT export_id, export_kind, created_at, from_observation_id, to_observation_id, record_count, \
            manifest_hash, filter_json FROM export_manifests ORDER BY id
            """
        }
    }

    /// Returns the columns of `sql`, in its order.
    private static func columns(_ kind: Listing.Kind) -> [(name: String, type: ColumnType, isInTable: Bool)] {
        switch kind {
        case .observations:
            [
                ("id", .integer, true), ("chain_id", .integer, true), ("observed_at", .moment, true),
                ("status", .text, true), ("trigger_reason", .text, true), ("app_version", .text, true),
                ("os_version", .text, true), ("time_zone_identifier", .text, true),
                ("time_zone_seconds_from_gmt", .integer, false), ("started_at", .moment, false),
                ("ended_at", .moment, false), ("schema_version", .integer, false),
                ("selected_type_set_hash", .text, false), ("notes", .text, false),
            ]
        case .types:
            [
                ("sample_type", .text, true), ("category", .text, true), ("display_name", .text, false),
                ("sample_count", .integer, true), ("run_count", .integer, true), ("last_status", .text, true),
                ("last_state", .text, true),
            ]
        case .sources:
            [
                ("source_name_hash", .text, true), ("label", .text, true), ("bundle_identifier", .text, true),
                ("product_type", .text, true), ("version_count", .integer, true), ("first_start", .moment, true),
                ("last_start", .moment, true),
            ]
        case .devices:
            [
                ("device_hash", .text, true), ("label", .text, true), ("model", .text, true),
                ("hardware_version", .text, true), ("version_count", .integer, true), ("first_start", .moment, true),
                ("last_start", .moment, true),
            ]
        case .changes:
            [
                ("observation_id", .integer, true), ("sample_type", .text, true), ("appeared", .integer, true),
                ("representation_changed", .integer, true), ("no_longer_visible", .integer, true),
                ("state", .text, true),
            ]
        case .rejected:
            [
                ("sample_type", .text, true), ("reason", .text, true), ("place", .text, true),
                ("start_date", .moment, false), ("record_count", .integer, true),
                ("first_observation_id", .integer, true), ("last_observation_id", .integer, true),
                ("content_hash", .text, false),
            ]
        case .withheld:
            [
                ("sample_type", .text, true), ("sample_identity", .text, true),
                ("first_observation_id", .integer, true), ("last_observation_id", .integer, true),
            ]
        case .context:
            [
                ("logged_at", .moment, true), ("event_kind", .text, true), ("observation_id", .integer, true),
                ("tool_version", .text, false), ("detail", .text, true),
            ]
        case .exports:
            [
                ("export_id", .text, true), ("export_kind", .text, true), ("created_at", .moment, true),
                ("from_observation_id", .integer, true), ("to_observation_id", .integer, true),
                ("record_count", .integer, true), ("manifest_hash", .text, false), ("filter_json", .text, false),
            ]
        }
    }

    /// Estimates how many records a scope without a filter has, by a count through an index; `nil` if only counting all
    /// of them would show it.
    public func estimatedCount(of scope: Scope) throws(ArchiveError) -> Int? {
        guard scope.mode == .pointInTime, scope.filter == Filter() else { return nil }
        return try connection.integer(
            """
            SELECT count(*) FROM sample_visibility_ranges WHERE first_observation_id <= \(scope.observationID)
                AND (last_observation_id IS NULL OR last_observation_id > \(scope.observationID))
            """
        ).map { Int($0) }
    }
}
