/// Exports: how rows of an archive become items, items become a bundle or a report, and that becomes a recorded file.
///
///     RowBatch ─► ItemWriter ─► canonical item ─► ChunkBuilder: Packing ─► piece of the container, hashes, tally
///     Comparison, ChangeFinding ─► Document ──┘                             │
///     Export: one task reads and records, the others build pieces; they leave in order
///                                                                            │
///     Publication: temporary file ─► rows and intent, one transaction ─► final name
///
/// The writing side only: nothing here reads an export. `Verification` does, and shares no code with this module.
public import Answer
public import Archive
internal import Bytes
public import Changes
public import Days
public import Files
internal import Manifest

/// The content of an export, and its destination.
public struct ExportRequest: Sendable {
    /// The destination of an export.
    public enum Destination: Sendable {
        /// A file that appears complete or not at all; beside a table its sidecar.
        case file(Path, replacing: Bool)
        /// Standard output, as it comes.
        case standardOutput
    }

    public var kind: ExportKind
    public var scope: Scope
    public var container: ExportContainer
    public var destination: Destination
    /// The thresholds of labels and findings; only summaries and findings have any.
    public var thresholds: [Threshold: Double]?
    /// The question of a day report; only day reports have it.
    public var days: DayQuestion?
    /// Instead of the table for machines, one for people; only of records, changes and days, in a table.
    public var view: PeopleView?
    /// `true` if the export is recorded in the archive.
    public var isRecorded = true
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20

    /// A request with the usual limits.
    public init(
        _ kind: ExportKind, scope: Scope, container: ExportContainer, destination: Destination,
        thresholds: [Threshold: Double]? = nil
    ) {
        self.kind = kind
        self.scope = scope
        self.container = container
        self.destination = destination
        self.thresholds = thresholds
    }
}

extension Export {
    /// Returns the id that an export of this archive has, in the open transaction.
    public static func id(of request: ExportRequest, in archive: borrowing Archive) throws(ExportError) -> String {
        try asExportError {
            let context = try archive.context(of: request.scope)
            return try ExportHeader(
                request.scope, context, kind: request.kind, thresholds: request.thresholds,
                days: StatedDays(request.days, of: request.scope, in: archive), history: context.history
            ).exportID
        }
    }

    /// Returns `true` if a file is a page of this export that agrees with itself and is of this renderer.
    public static func isPage(_ file: [UInt8], of exportID: String) -> Bool {
        let opening = Array("<template id=\"healthprobe-evidence\">\n".utf8)
        guard let start = file.span.firstIndex(of: opening) else { return false }
        let (page, lines) = (file.span.extracting(first: start), file.span.extracting(droppingFirst: start))
        let hash = SHA256.digest(of: page).hex
        return [
            "\"export_id\":\"\(exportID)\"", "\"page_sha256\":\"\(hash)\"", "\"renderer\":\(Bundle.renderer)",
        ].allSatisfy { lines.firstIndex(of: Array($0.utf8)) != nil }
    }
}

/// The result of an export.
public struct ExportResult: Sendable {
    public let exportID: String
    public let itemCount: Int
    public let defectCount: Int
    public let manifestHash: String
    public let observationID: Int64
    /// `true` if the archive holds a record of the export.
    public let isRecorded: Bool
    /// `true` if the archive held that record before.
    public let wasRecorded: Bool
    /// Things worth knowing that are no errors.
    public let notes: [String]
    /// Things that the user should look at.
    public let warnings: [String]
    /// The answer of a page's comparison; `nil` for another export, and for a page of one observation.
    public let answer: Answer?
}
