/// What checks need to know of the archive and the request.
struct Subject: Sendable {
    /// Whether the archive says that its hashes and aggregates follow `Spec/identity.md` and `Spec/capture.md`.
    let statesIdentityRules: Bool
    /// So many rows of a table, and exports, are looked at where a check goes row by row; nil for all.
    let sample: Int?
}
