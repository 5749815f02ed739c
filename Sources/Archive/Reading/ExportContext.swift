internal import Bytes
internal import SQLite

/// The part of an export about its archive, before the items: the context in which the records were observed.
public struct ExportContext: Sendable {
    /// Schema version of the archive.
    public let schemaVersion: Int64
    /// The rules that the archive says its hashes follow, where it is a version of them that exports know; else nil
    /// (`Spec/identity.md`).
    public let identityRules: IdentityRules?
    /// The entry of the history that an export carries; `nil` if there is none.
    public let history: HistoryHead?
    /// The chain, one row of `DeviceChainColumn`; empty where the observation names a chain that does not exist.
    public let deviceChain: PackedTable
    /// The chain's id as the observation names it: one row, one column.
    public let deviceChainID: PackedTable
    /// The chain of the observation that is compared with, where it is another one: as `deviceChain`, and its id as
    /// `deviceChainID`; else nil.
    public let fromDeviceChain: (row: PackedTable, id: PackedTable)?
    /// Rows of `ObservationColumn`, by id.
    public let observations: PackedTable
    /// Rows of `CoverageColumn`, sorted by type.
    public let coverage: PackedTable
    /// `sample_types.id` of each row of the coverage.
    package let coverageTypeIDs: [Int64]
    /// The types of which nobody noted what observation brought them; `nil` if that is all of them.
    package let typesOfUnknownOrigin: Set<Int64>?
    /// The coverage at the observation that is compared with, of the same types; nil where there is none.
    public let fromCoverage: PackedTable?
    /// Type identifiers in order of their UTF-8 bytes, one column; those without a canonical form first.
    /// `RowBatch.Row.type` is an index into it.
    public let types: PackedTable
    /// Types of the filter that the archive does not know.
    public let unknownTypes: [String]

    /// `sample_types.id` of each type.
    package let typeIDs: [Int64]
    /// The place of each type with a canonical identifier, by its id.
    let typeIndices: [Int64: Int]

    /// The place of each type in the order of their identifiers, from 1, by its id.
    package var typeRanks: [Int64: Int] { typeIndices.mapValues { $0 + 1 } }
}

extension ExportContext {
    /// The identifiers of `types`, in UTF-8; empty where one has no canonical form.
    public var typeNames: [[UInt8]] {
        (0..<types.count).map { row in
            switch types.values(row)[0] {
            case .text(let range): Array(types.bytes[range])
            case .hash(let range): Hexadecimal.digits(types.bytes[range])
            default: []
            }
        }
    }

    /// Returns the place of a type in `types`; `nil` for one that does not exist or has no canonical identifier.
    package func typeIndex(_ id: Int64?) -> Int? {
        guard let id else { return nil }
        return typeIndices[id]
    }
}

extension Archive {
    /// Reads the context of a scope.
    public func context(of scope: Scope) throws(ArchiveError) -> ExportContext {
        let query = try query(for: scope)
        let types = try sampleTypes()
        let known = try KnownTypesCondition(of: scope, connection)
        return ExportContext(
            schemaVersion: Schema.version,
            identityRules: try identityRules(),
            history: try historyEntry(of: scope.observationID),
            deviceChain: try deviceChain(scope.observationID),
            deviceChainID: try deviceChainID(scope.observationID),
            fromDeviceChain: try fromDeviceChain(scope),
            observations: try table(
                "SELECT \(ObservationColumn.sql) FROM observations WHERE \(query.hasObservation()) ORDER BY id",
                columns: ObservationColumn.allCases.count, []),
            coverage: try coverage(query, known, at: scope.observationID),
            coverageTypeIDs: try integers(
                "SELECT t.id FROM sample_types t \(Self.runs(query, at: scope.observationID)) "
                    + "\(Self.selected(query, known)) \(Self.coverageOrder)"),
            typesOfUnknownOrigin: known.hasFacts
                ? Set(
                    try integers(
                        "SELECT id FROM sample_types EXCEPT SELECT sample_type_id FROM sample_type_origins "
                            + "WHERE is_new = 1"))
                : nil,
            fromCoverage: try scope.fromObservationID.map { from throws(ArchiveError) in
                try coverage(query, known, at: from)
            },
            types: types.table,
            unknownTypes: try unknownTypes(scope.filter, known),
            typeIDs: types.ids, typeIndices: Self.named(types))
    }

    /// Types without a canonical identifier have no place: they all rank first, as absent.
    private static func named(_ types: (table: PackedTable, ids: [Int64])) -> [Int64: Int] {
        var places: [Int64: Int] = [:]
        for (index, id) in types.ids.enumerated() {
            switch types.table.values(index)[0] {
            case .text(let range): if isCarryable(types.table.bytes.span.extracting(range)) { places[id] = index }
            case .hash: places[id] = index
            default: break
            }
        }
        return places
    }

    /// Returns the identity rules that the archive states; `nil` if it states none, or some that are not known.
    public func identityRules() throws(ArchiveError) -> IdentityRules? { try IdentityRules.stated(in: connection) }

    private func sampleTypes() throws(ArchiveError) -> (table: PackedTable, ids: [Int64]) {
        (
            try table("SELECT type_identifier FROM sample_types ORDER BY hp_text(type_identifier), id", columns: 1, []),
            try integers("SELECT id FROM sample_types ORDER BY hp_text(type_identifier), id")
        )
    }

    package func query(for scope: Scope) throws(ArchiveError) -> RecordQuery {
        var typeIDs: [Int64]?
        if let types = scope.filter.sampleTypes {
            typeIDs = try integers(
                "SELECT id FROM sample_types "
                    + "WHERE type_identifier IN (\(types.map { _ in "?" }.joined(separator: ","))) ORDER BY id",
                types.map { .text($0) })
        }
        let chains = try connection.integer("SELECT count(DISTINCT device_chain_id) FROM observations") ?? 0
        return RecordQuery(
            scope: scope, typeIDs: typeIDs,
            areTypesRare: try typeIDs.map { ids throws(ArchiveError) in try areRare(ids) } ?? false,
            chainID: chains > 1 ? try chainID(of: scope.observationID) : nil,
            fromChainID: try fromChainID(scope), hasCaptureFacts: try Schema.hasCaptureFacts(connection))
    }

    /// Returns `true` if at most about a twentieth of the samples is of some types: row ids may have gaps.
    private func areRare(_ types: [Int64]) throws(ArchiveError) -> Bool {
        let bound = (try connection.integer("SELECT max(rowid) FROM samples") ?? 0) / 20
        let count = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM samples WHERE sample_type_id IN "
                + "(\(types.map(String.init).joined(separator: ","))) LIMIT ?1)", [.integer(bound + 1)])
        return count ?? 0 <= bound
    }

    /// Returns the chain that an observation names; `nil` if it names none.
    func chainID(of observation: Int64) throws(ArchiveError) -> Int64? {
        try connection.integer("SELECT device_chain_id FROM observations WHERE id = ?1", [.integer(observation)])
    }

    /// Returns the chain of the observation that is compared with, if it is another one.
    private func fromChainID(_ scope: Scope) throws(ArchiveError) -> Int64? {
        guard let from = scope.fromObservationID, let chain = try chainID(of: from),
            try chain != chainID(of: scope.observationID)
        else { return nil }
        return chain
    }

    private func fromDeviceChain(_ scope: Scope) throws(ArchiveError) -> (row: PackedTable, id: PackedTable)? {
        guard let from = scope.fromObservationID, try fromChainID(scope) != nil else { return nil }
        return (try deviceChain(from), try deviceChainID(from))
    }

    private func deviceChain(_ observation: Int64) throws(ArchiveError) -> PackedTable {
        try table(
            DeviceChainColumn.sql, columns: DeviceChainColumn.allCases.count, [Parameter(try chainID(of: observation))])
    }

    private func deviceChainID(_ observation: Int64) throws(ArchiveError) -> PackedTable {
        try table("SELECT device_chain_id FROM observations WHERE id = ?1", columns: 1, [.integer(observation)])
    }

    /// Returns the types of a query, as a condition on `sample_types t`.
    private static func selected(_ query: RecordQuery, _ known: KnownTypesCondition) -> String {
        // What is related may be of any type.
        if query.scope.filter.isWithRelated { return "WHERE \(known.sql)" }
        return "WHERE \(known.sql)"
            + (query.typeIDs.map { " AND t.id IN (\($0.map(String.init).joined(separator: ",")))" } ?? "")
    }

    /// Returns the type runs `u` that coverage describes, beside the types `t`. Of a history they are all runs.
    /// Otherwise they are the newest of each type, which has the greatest observation, then the greatest id.
    private static func runs(_ query: RecordQuery, at observation: Int64) -> String {
        let isKnown = query.isKnown("observation_id", at: observation)
        // They are joined by their row ids, which do not repeat where the table has lost its primary key.
        let runs = "SELECT rowid FROM observation_type_runs WHERE sample_type_id = t.id AND \(isKnown)"
        return query.scope.mode == .history
            ? "LEFT JOIN observation_type_runs u ON u.rowid IN (\(runs))"
            : "LEFT JOIN observation_type_runs u ON u.rowid = (\(runs) ORDER BY observation_id DESC, id DESC LIMIT 1)"
    }

    private static let coverageOrder = "ORDER BY hp_text(t.type_identifier), t.id, u.observation_id, u.id"

    private func coverage(
        _ query: RecordQuery, _ known: KnownTypesCondition, at observation: Int64
    ) throws(ArchiveError) -> PackedTable {
        let sql = """
            SELECT \(CoverageColumn.sql(at: query.scope.mode == .history ? nil : observation, known))
                FROM sample_types t \(Self.runs(query, at: observation)) \
            \(known.hasFacts ? "LEFT JOIN type_run_facts f ON f.type_run_id = u.id" : "") \
            \(Self.selected(query, known)) \(Self.coverageOrder)
            """
        return try table(sql, columns: CoverageColumn.allCases.count, [])
    }

    private func unknownTypes(_ filter: Filter, _ known: KnownTypesCondition) throws(ArchiveError) -> [String] {
        var unknown: [String] = []
        for type in filter.sampleTypes ?? []
        where try connection.integer(
            "SELECT 1 FROM sample_types t WHERE type_identifier = ?1 AND \(known.sql)", [.text(type)]) == nil
        { unknown.append(type) }
        return unknown
    }

    /// Returns the identifiers of all sample types that have one.
    public func sampleTypeIdentifiers() throws(ArchiveError) -> [String] {
        var rows = try connection.prepare(
            "SELECT type_identifier FROM sample_types WHERE typeof(type_identifier) = 'text'")
        var found: [String] = []
        while try rows.step() { if let text = rows.text(0) { found.append(text) } }
        return found
    }

    private func table(_ sql: String, columns: Int, _ parameters: [Parameter]) throws(ArchiveError) -> PackedTable {
        var statement = try connection.prepare(sql)
        try statement.bind(parameters)
        var table = PackedTable(columns: columns)
        while try statement.step() { table.append(statement) }
        return table
    }

    private func integers(_ sql: String, _ parameters: [Parameter] = []) throws(ArchiveError) -> [Int64] {
        var statement = try connection.prepare(sql)
        try statement.bind(parameters)
        var found: [Int64] = []
        while try statement.step() { found.append(statement.integer(0) ?? 0) }
        return found
    }
}
