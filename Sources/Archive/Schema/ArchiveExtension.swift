internal import Format

/// Tables of our own, beside those of the schema (`Spec/archive-extensions.sql`). Other engines do not have them, and
/// no reader needs them.
package enum ArchiveExtension: String, CaseIterable, Sendable {
    /// A log of the events of an archive.
    case contextLog = "context_log"
    /// The facts of a capture that the schema has no place for.
    case captureFacts = "capture_facts"
    /// A chain of hashes over what each observation learned (`Spec/history.md`).
    case history

    /// The version that this code reads and writes.
    package var version: Int64 { 2 }

    /// The key in `archive_metadata` that states it.
    package var key: String { "extension:\(rawValue)" }

    /// The names of its tables.
    package var tables: [String] {
        switch self {
        case .contextLog: ArchiveTable.ofContextLog.map(\.name)
        case .captureFacts: ArchiveTable.ofCaptureFacts.map(\.name)
        case .history: ArchiveTable.ofHistory.map(\.name)
        }
    }

    /// The statements that make its tables and indexes.
    package var statements: String {
        switch self {
        case .contextLog: ArchiveStatements.contextLog
        case .captureFacts: ArchiveStatements.captureFacts
        case .history: ArchiveStatements.history
        }
    }
}
