internal import SQLite

/// The condition on sample types that were known at the observations of a scope. A type, its name and its category are
/// known from the observation on that brought them (`Spec/capture.md`, `sample_type_origins`).
struct KnownTypesCondition {
    /// `true` if the archive notes what observations brought.
    let hasFacts: Bool
    /// The newer observation of the scope.
    private let observation: Int64

    init(of scope: Scope, _ connection: borrowing Connection) throws(ArchiveError) {
        hasFacts = try Schema.hasCaptureFacts(connection)
        observation = max(scope.observationID, scope.fromObservationID ?? .min)
    }

    /// The condition that a type `t` was known.
    var sql: String { hasFacts ? "NOT \(isLater("g.is_new = 1"))" : "TRUE" }

    /// Returns a column of a type `t`, NULL if a later observation brought its value.
    func column(_ name: String) -> String {
        hasFacts ? "CASE WHEN NOT \(isLater("g.\(name) IS NOT NULL")) THEN t.\(name) END" : "t.\(name)"
    }

    private func isLater(_ condition: String) -> String {
        "EXISTS (SELECT 1 FROM sample_type_origins g WHERE g.sample_type_id = t.id "
            + "AND g.observation_id > \(observation) AND \(condition))"
    }
}
