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
    /// `format_version` of the header of a bundle.
    public static let version: Int64 = 1
    /// `format_version` of the header of every other kind of export.
    public static let reportVersion: Int64 = 2
    /// `format` of the header of a salvage.
    public static let salvageFormat = "healthprobe-salvage"
    /// `format_version` of the header of a salvage.
    public static let salvageVersion: Int64 = 1
}
