/// Hashes with SHA-256 of what `Preimages` builds, and the container of a bundle.
///
/// | for writing | for reading | what |
/// |---|---|---|
/// | `ItemHasher`, `ExportID`, `ManifestHasher`, `SalvageHasher` | the same | `Spec/hashes.md`: one definition |
/// | `FrameCompressor`, `SeekTable` | `ContainerReader`, `FrameDecompressor` | `Spec/bundle.md`, Container |
///
/// `FrameScanner` finds frames in a damaged file; `FrameDecompressor` decodes them as far as they go.
///
/// The container's reader shares only constants with its writer: a tool that checked itself with its own writer
/// would agree with its mistakes. Nothing here knows SQL, and nothing knows what stands in a line.
public enum Bundle {
    /// `format` of the header.
    public static let format = "healthprobe-bundle"
    /// `export.format` of every other kind of export.
    public static let reportFormat = "healthprobe-report"
    /// `format_version` of bundles, reports and salvages (`Spec/README.md`, "Versions").
    public static let version: Int64 = 3
    /// Versions that builds before the first release wrote. Nothing reads them.
    public static let unreleasedVersions: ClosedRange<Int64> = 1...2
    /// `renderer` of pages and of views for people: raised when the same items are read otherwise.
    public static let renderer: Int64 = 1
    /// `format` of the header of a salvage.
    public static let salvageFormat = "healthprobe-salvage"

    /// Says why a file of an unreleased version is not read.
    public static func refusal(ofVersion version: Int64) -> String {
        "made by an unreleased build, format \(version): capture the exports again"
    }
}
