public import Capture

/// The options with which an export is read, besides the archive's secret.
public struct ReadingOptions: Sendable {
    /// The rules of the archive.
    public var rules: CaptureRules
    /// When the export was made, where it does not state that itself.
    public var observedAt: ExportDate?

    /// `true` if names of sources and devices are kept for labels.
    public var keepsNames: Bool

    /// Told how much was read.
    public var position: SourcePosition?

    /// Options.
    public init(
        rules: CaptureRules = CaptureRules(), observedAt: ExportDate? = nil, keepsNames: Bool = false,
        position: SourcePosition? = nil
    ) {
        self.rules = rules
        self.position = position
        self.observedAt = observedAt
        self.keepsNames = keepsNames
    }
}
