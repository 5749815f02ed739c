internal import SQLite

/// What source revisions say, by id. There are few of them.
struct SourceNames: ~Copyable {
    private var statement: Statement
    private var known: [Int64: SourceRevision] = [:]

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        statement = try connection.prepare(SourceColumn.sql)
    }

    /// What a revision says; one that does not exist says nothing.
    mutating func revision(_ id: Int64?) throws(ArchiveError) -> SourceRevision {
        guard let id else { return SourceRevision() }
        if let revision = known[id] { return revision }
        var revision = SourceRevision()
        statement.bind(1, id)
        if try statement.step() {
            revision.bundleIdentifier = statement.carryableText(Int32(SourceColumn.bundleIdentifier.rawValue))
            revision.operatingSystemVersion = statement.carryableText(
                Int32(SourceColumn.operatingSystemVersion.rawValue))
            revision.productType = statement.carryableText(Int32(SourceColumn.productType.rawValue))
            revision.sourceNameHash = statement.carryableText(Int32(SourceColumn.sourceNameHash.rawValue))
            revision.version = statement.carryableText(Int32(SourceColumn.version.rawValue))
        }
        statement.reset()
        known[id] = revision
        return revision
    }
}
