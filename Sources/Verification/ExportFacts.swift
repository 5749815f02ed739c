public import Archive
public import Files

/// The statements of an export about itself that others can be compared with.
public struct ExportFacts: Sendable {
    /// The UUID of the header.
    public let exportID: String
    /// The observation of the scope.
    public let observationID: Int64
    /// The entry of the archive's history that the header carries.
    public let history: HistoryHead?
    /// The hash that the manifest states; nil where the manifest is lost.
    public let manifestHash: String?

    /// Verifies a bundle or a report, and says what it says of itself; nil where the header is lost.
    ///
    /// - Throws: `FileError`.
    public static func of(
        _ file: borrowing Descriptor, options: VerificationOptions,
        progress: @escaping @Sendable (Int) -> Void, shouldStop: @escaping @Sendable () -> Bool
    ) async throws -> (report: Report, facts: ExportFacts?) {
        let read = try await BundleVerifier.read(file, options: options, progress: progress, shouldStop: shouldStop)
        let facts = read.header.map {
            ExportFacts(
                exportID: $0.exportID, observationID: $0.observationID, history: $0.history,
                manifestHash: read.manifest?.hash)
        }
        return (read.report, facts)
    }
}
