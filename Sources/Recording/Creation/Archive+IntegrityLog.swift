public import Archive

extension Archive {
    /// Logs that the archive was checked, and what came of it.
    ///
    /// - Parameters:
    ///   - detail: canonical JSON of an object (`Spec/archive-verification.md`, "Checks on request").
    ///   - program: what the context log calls the tool.
    ///   - now: Unix seconds.
    /// - Throws: `ArchiveError`; then the archive is as it was.
    public func logIntegrityCheck(detail: String, program: String, now: Double) throws(ArchiveError) {
        try writing { () throws(ArchiveError) in
            var log = try contextLogInPlace(program: program, now: now)
            try log.add(.integrityChecked, at: now, observationID: nil, detail: detail)
        }
    }
}
