internal import Archive

/// The facts of the archive and the request that checks need.
struct Subject: Sendable {
    /// The rules of `Spec/identity.md` and `Spec/capture.md` that the archive says its hashes and aggregates follow.
    let identityRules: IdentityRules?
    /// So many rows of a table, and exports, are looked at where a check goes row by row; nil for all.
    let sample: Int?
    /// Why SQLite uses nothing of the log beside the archive.
    var logFault: String?
    /// The head that was kept elsewhere.
    var head: HistoryHead?

    /// `true` if the archive states any.
    var statesIdentityRules: Bool { identityRules != nil }
}
