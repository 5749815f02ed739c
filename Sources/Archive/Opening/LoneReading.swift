public import Files

/// An archive that is read without a lock, because nobody had it open. Whoever writes to it meanwhile leaves the reader
/// pages of two moments, in which SQLite may find any fault.
public struct LoneReading: Sendable {
    public let path: Path
    private let status: FileStatus

    init(_ path: Path, _ status: FileStatus) { (self.path, self.status) = (path, status) }

    /// Returns `true` if pages of two moments may be the reason of an error.
    public func mayExplain(_ error: ArchiveError) -> Bool {
        error.isOfContents && (try? FileStatus.of(path)) != status
    }
}
