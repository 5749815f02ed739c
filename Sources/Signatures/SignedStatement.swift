internal import Manifest

/// The text that a signature covers (`Spec/signatures.md`, "The statement"). It is derived from what a verifier
/// computed, and never read from the file that is to be trusted.
public struct SignedStatement: Sendable, Equatable {
    /// The purpose for which it is signed.
    public let namespace: String
    /// Lines, each with its line feed.
    public let text: String

    /// The statement of an export whose every layer is valid.
    public init(kind: String, exportID: String, itemCount: Int, manifestHash: String) {
        namespace = "healthprobe-export"
        text = """
            healthprobe-export 1
            kind \(kind)
            export \(exportID)
            items \(itemCount)
            manifest \(manifestHash)

            """
    }

    /// The statement of a history whose check found nothing.
    ///
    /// - Parameter head: the lines `archive`, `length` and `link`.
    public init(historyHead head: String) {
        namespace = "healthprobe-history"
        text = "healthprobe-history 1\n" + head
    }
}
