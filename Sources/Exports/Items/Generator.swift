internal import Build

/// The program that makes exports, as their headers name it.
public enum Generator {
    /// The name in `export.generator`.
    public static let name = "hp-export"
    /// The version in `export.generator`, and of the tools.
    public static let version = Build.version
}
