public import Files

/// The file that holds an archive's secret: how it is known, and where it usually is (`Spec/identity.md`).
public enum SecretFile {
    /// Its first line, with the line end.
    public static let heading = "healthprobe-secret 1\n"

    /// Returns the usual path, beside the archive.
    public static func defaultPath(of archive: Path) -> Path { archive.withSuffix(".secret") }

    /// Returns `true` if a file is the secret of any archive, or has its labels: none is ever replaced by an output.
    public static func isThere(_ path: Path) -> Bool { isSecret(path) || Labels.isThere(path) }

    private static func isSecret(_ path: Path) -> Bool {
        let first = Array(heading.utf8)
        var bytes = [UInt8](repeating: 0, count: first.count)
        guard let status = try? FileStatus.of(path), status.isRegular,
            (try? Descriptor.reading(path).read(into: &bytes, at: 0, count: first.count)) == first.count
        else { return false }
        return bytes == first
    }
}
