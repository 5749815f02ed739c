package import Archive
package import Files
internal import SQLite

/// A phone's health databases as a capture feed of one observation (`Spec/iphone-backup.md`): its lines, piece by
/// piece.
///
///     head      feed, observation, run of each type
///     samples   by type and row, each with its metadata; deleted objects
///     links     live associations, members of correlations
///     end       run_end of each type, observation_end
///
/// Memory holds one piece, the types, the workouts and the sources.
package final class HealthFeed {
    private enum Stage { case head, samples, associations, correlations, end, done }

    private let database: HealthDatabase
    private let units: HealthUnits
    private let sources: HealthSources
    private let workouts: HealthWorkouts
    private let facts: BackupFacts
    private let types: [Int64]
    /// Types of earlier observations that the databases have no row of.
    private let earlierTypes: [String]
    private var stage = Stage.head
    private var rows: SQLiteStatement<ArchiveError>?
    private var metadata: HealthMetadata
    private var series: HealthSeries
    private var routes: HealthSeries
    private var payloads: HealthPayloads
    private var text = ""
    private var lineCount = 0
    private var page = 0
    private var last: (type: Int64, id: Int64)?
    /// Rows that are in no line, by reason.
    private var leftOut: [String: Int] = [:]
    private var withoutUnit: Set<Int64> = []
    /// Types of which something is in no line, and the code of the reason.
    private var incomplete: [Int64: String] = [:]
    /// The code of a reason why no type is complete.
    private var incompleteForAll: String?
    private let shouldStop: @Sendable () -> Bool

    /// The most sample types: those of an observation.
    private static let typeLimit = 4096
    /// Lines and bytes after which a page ends.
    private static let pageLines = 10_000
    private static let pieceSize = 256 << 10

    /// Begins a feed of a phone's databases.
    ///
    /// - Parameter earlierTypes: identifiers of the types that earlier observations of the chain have runs of.
    /// - Throws: `ArchiveError` if a required column is missing.
    package init(_ source: HealthSource, _ facts: BackupFacts, earlierTypes: [String] = [], wait: LockWait)
        throws(ArchiveError)
    {
        let database = try HealthDatabase(source)
        self.facts = facts
        shouldStop = wait.shouldStop
        var types: [Int64] = []
        var statement = try database.samples.prepare(
            """
            SELECT DISTINCT CASE typeof(data_type) WHEN 'integer' THEN data_type END FROM samples \
            NOT INDEXED ORDER BY 1 LIMIT \(Self.typeLimit + 2)
            """)
        while try statement.step() {
            if let type = statement.integer(0) { types.append(type) } else { incompleteForAll = "rows_left_out" }
        }
        guard types.count <= Self.typeLimit else {
            throw ArchiveError(.schema, "\(source.path.display): more than \(Self.typeLimit) sample types")
        }
        if database.isDamaged { incompleteForAll = "database_damaged" }
        self.types = types
        let names = Set(types.map(HealthTypes.identifier))
        self.earlierTypes = earlierTypes.filter { !names.contains($0) }
        units = try HealthUnits(database)
        sources = try HealthSources(database)
        workouts = try HealthWorkouts(database)
        metadata = try HealthMetadata(database)
        series = try .quantities(database)
        routes = try .routes(database)
        payloads = try HealthPayloads(database)
        self.database = database
    }

    /// The notes on the databases for a reader, complete at the end of the feed.
    package var notes: [String] {
        var notes = database.notes
        let unproved = withoutUnit.sorted().map { HealthTypes.identifier($0) }
        if !unproved.isEmpty {
            notes.append("unit_unproved: values without a unit: \(unproved.joined(separator: ", "))")
        }
        for (reason, count) in leftOut.sorted(by: { $0.key < $1.key }) { notes.append("left out: \(count) \(reason)") }
        return notes
    }

    /// Returns the next lines in UTF-8; `nil` at the end.
    package func next() throws(ArchiveError) -> [UInt8]? {
        text.removeAll(keepingCapacity: true)
        while text.utf8.count < Self.pieceSize, stage != .done {
            if shouldStop() { throw ArchiveError(.interrupted, "\(database.samples.path.display): interrupted") }
            switch stage {
            case .head: try writeHead()
            case .samples: try writeSamples()
            case .associations, .correlations: try writeLinks()
            case .end: try writeEnd()
            case .done: break
            }
        }
        return text.isEmpty ? nil : Array(text.utf8)
    }

    private func writeHead() throws(ArchiveError) {
        text += "{\"kind\":\"feed\",\"format\":\"healthprobe-feed\",\"format_version\":1}\n"
        text += facts.line
        for name in types.map(Self.name) + earlierTypes.map(FeedText.string) {
            text += "{\"kind\":\"run\",\"sample_type\":\(name),\"mode\":\"full_scan\"}\n"
        }
        rows = try database.samples.prepare(samplesQuery)
        stage = .samples
    }

    private var hasCategories: Bool { database.has("category_samples", ["data_id", "value"]) }

    /// The samples by type. Only types and row numbers are sorted, so that no value is in a temporary file.
    private var samplesQuery: String {
        """
        SELECT o.t, o.i, b.uuid, b.type, m.start_date, m.end_date, q.quantity, \
        \(hasCategories ? "c.value" : "NULL"), b.provenance, b.data_id \
        FROM (SELECT data_type AS t, data_id AS i FROM samples NOT INDEXED \
        WHERE typeof(data_type) = 'integer' ORDER BY data_type, data_id LIMIT -1) o \
        CROSS JOIN samples m ON m.data_id = o.i LEFT JOIN objects b ON b.data_id = o.i \
        LEFT JOIN quantity_samples q ON q.data_id = o.i\
        \(hasCategories ? " LEFT JOIN category_samples c ON c.data_id = o.i" : "")
        """
    }

    private func writeSamples() throws(ArchiveError) {
        while text.utf8.count < Self.pieceSize {
            guard try rows!.step() else {
                rows = nil
                return try beginLinks(.associations)
            }
            let row = (type: rows!.integer(0) ?? 0, id: rows!.integer(1) ?? 0)
            if let last, last >= row {
                throw ArchiveError(.schema, "\(database.samples.path.display): samples: data_id is not unique")
            }
            last = row
            let members = [
                try metadata.values(of: row.id, type: row.type), try series.members(of: row.id, type: row.type),
                try routes.members(of: row.id, type: row.type), try payloads.members(of: row.id, type: row.type),
            ].compactMap(\.self)
            try writeSample(row.type, row.id, members.isEmpty ? nil : "{\(members.joined(separator: ","))}")
        }
    }

    private func writeSample(_ type: Int64, _ id: Int64, _ metadata: String?) throws(ArchiveError) {
        guard !rows!.isNull(9) else { return leaveOut("rows of samples without an object", of: type) }
        let uuid = FeedText.uuid(rows!.bytes(2))
        switch rows!.exactInteger(3) {
        case 2:
            guard let uuid else { return leaveOut("deleted objects without a UUID", of: type) }
            return endLine("{\"kind\":\"deleted\",\"sample_type\":\(Self.name(type)),\"uuid\":\"\(uuid)\"}\n")
        case 0, 1: break
        default:
            throw ArchiveError(
                .schema, "\(database.samples.path.display): objects: row \(id): unknown_object_type",
                hint: "a newer system may have written it; nothing is known of such rows")
        }
        var line = "{\"kind\":\"sample\",\"sample_type\":\(Self.name(type))"
        if let uuid { line += ",\"uuid\":\"\(uuid)\"" }
        line += ",\"start_date\":\(FeedText.moment(rows!.real(4))),\"end_date\":\(FeedText.moment(rows!.real(5)))"
        let quantity = rows!.real(6), category = rows!.exactInteger(7)
        let kind = Self.kind(type, quantity, category)
        line += ",\"value_kind\":\"\(kind)\""
        if kind == "other", HealthTypes.mayBeCategory(type), !hasCategories { incomplete[type] = "table_missing" }
        if let quantity {
            line += ",\"numeric_value\":\(FeedText.number(quantity))"
            if let unit = units.unit(of: type) {
                line += ",\"unit\":\(FeedText.string(unit))"
            } else {
                withoutUnit.insert(type)
            }
        }
        if let category { line += ",\"category_value\":\(category)" }
        if type == HealthTypes.workout { line += workouts.members(of: id) }
        line += sources.members(of: rows!.integer(8))
        if let metadata { line += ",\"metadata\":\(metadata)" }
        endLine(line + "}\n")
    }

    private func leaveOut(_ reason: String, of type: Int64) {
        leftOut[reason, default: 0] += 1
        incomplete[type] = "rows_left_out"
    }

    /// Returns why the lines of a type do not have all that the databases have of it; `nil` if they do.
    private func incompleteness(of type: Int64) -> String? {
        if let incompleteForAll { return incompleteForAll }
        let hasMetadata =
            database.has("metadata_values", ["key_id", "object_id", "value_type"])
            && database.has("metadata_keys", ["key"])
        let isMember = HealthTypes.correlations.contains(type)
        let hasLinks = type == HealthTypes.workout ? associations != nil : !isMember || hasCorrelations
        return hasMetadata && hasLinks ? incomplete[type] : "table_missing"
    }

    /// Returns the same of a type that the databases have no row of. A table that is missing may have had some, and of
    /// a type that no number means, nothing is known.
    private func incompleteness(ofAbsent name: String) -> String? {
        guard let number = HealthTypes.number(name) else { return "type_unknown" }
        if HealthTypes.mayBeCategory(number), !hasCategories { return "table_missing" }
        return incompleteness(of: number)
    }

    private static func kind(_ type: Int64, _ quantity: Double?, _ category: Int64?) -> String {
        if type == HealthTypes.workout { return "workout" }
        if HealthTypes.correlations.contains(type) { return "correlation" }
        if category != nil { return "category" }
        return quantity != nil ? "quantity" : "other"
    }

    // MARK: Links

    private func beginLinks(_ next: Stage) throws(ArchiveError) {
        stage = next
        let pair: (source: String, target: String, table: String, condition: String)?
        switch next {
        case .associations: pair = associations
        case .correlations:
            pair = hasCorrelations ? ("correlation", "object", "correlations", "") : nil
        default: pair = nil
        }
        guard let pair else { return try endLinks() }
        rows = try database.samples.prepare(
            """
            SELECT a.uuid, s.data_type, a.type, b.uuid, t.data_type, b.type FROM \(pair.table) l \
            LEFT JOIN objects a ON a.data_id = l.\(pair.source) LEFT JOIN samples s ON s.data_id = l.\(pair.source) \
            LEFT JOIN objects b ON b.data_id = l.\(pair.target) LEFT JOIN samples t ON t.data_id = l.\(pair.target) \
            \(pair.condition) ORDER BY l.ROWID
            """)
    }

    private var hasCorrelations: Bool { database.has("correlations", ["correlation", "object"]) }

    /// Columns of live associations, by those that the table has.
    private var associations: (source: String, target: String, table: String, condition: String)? {
        if database.has("associations", ["destination_object_id", "source_object_id"]) {
            let condition = database.has("associations", ["deleted"]) ? "WHERE l.deleted = 0" : ""
            return ("destination_object_id", "source_object_id", "associations", condition)
        }
        let isThere = database.has("associations", ["parent_id", "child_id"])
        return isThere ? ("parent_id", "child_id", "associations", "") : nil
    }

    private func writeLinks() throws(ArchiveError) {
        while text.utf8.count < Self.pieceSize {
            guard try rows!.step() else { return try endLinks() }
            guard let source = FeedText.uuid(rows!.bytes(0)), let sourceType = rows!.integer(1),
                let target = FeedText.uuid(rows!.bytes(3)), let targetType = rows!.integer(4),
                rows!.integer(2) != 2, rows!.integer(5) != 2
            else {
                leftOut["links to no live sample", default: 0] += 1
                continue
            }
            let kind =
                stage == .correlations
                ? "correlation_member" : targetType == HealthTypes.route ? "workout_route" : "workout_record"
            endLine(
                "{\"kind\":\"relationship\",\"source\":\(Self.end(sourceType, source)),"
                    + "\"target\":\(Self.end(targetType, target)),\"relationship_kind\":\"\(kind)\"}\n")
        }
    }

    private static func end(_ type: Int64, _ uuid: String) -> String {
        "{\"sample_type\":\(name(type)),\"uuid\":\"\(uuid)\"}"
    }

    private func endLinks() throws(ArchiveError) {
        rows = nil
        if stage == .associations { try beginLinks(.correlations) } else { stage = .end }
    }

    // MARK: Ends

    private func writeEnd() throws(ArchiveError) {
        if lineCount > 0 || page == 0 { endPage() }
        for type in types { endRun(Self.name(type), incompleteness(of: type)) }
        for name in earlierTypes { endRun(FeedText.string(name), incompleteness(ofAbsent: name)) }
        text += "{\"kind\":\"observation_end\",\"status\":\"completed\"}\n"
        for (reason, rows) in [
            (
                "objects that are no samples",
                "objects o WHERE NOT EXISTS (SELECT 1 FROM samples s WHERE s.data_id = o.data_id)"
            ),
            ("rows of samples without the number of a type", "samples WHERE typeof(data_type) <> 'integer'"),
        ] {
            let count = try database.samples.integer("SELECT count(*) FROM \(rows)") ?? 0
            if count > 0 { leftOut[reason, default: 0] += Int(count) }
        }
        try database.samples.checkEnd()
        try database.sources.checkEnd()
        stage = .done
    }

    private func endRun(_ name: String, _ incompleteness: String?) {
        let status = incompleteness.map { "\"failed\",\"error_kind\":\"\($0)\"" } ?? "\"completed\""
        text += "{\"kind\":\"run_end\",\"sample_type\":\(name),\"status\":\(status)}\n"
    }

    private func endLine(_ line: String) {
        text += line
        lineCount += 1
        if lineCount == Self.pageLines { endPage() }
    }

    private func endPage() {
        page += 1
        lineCount = 0
        text += "{\"kind\":\"page\",\"number\":\(page)}\n"
    }

    private static func name(_ type: Int64) -> String { "\"\(HealthTypes.identifier(type))\"" }
}
