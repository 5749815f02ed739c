internal import CBuild

/// The build that made these tools.
public enum Build {
    /// The version of the tools, the libraries, the Python package and the Debian packages: this is its place, and
    /// `Tests/cli/test_help.py` compares the others with it.
    public static let version = "0.1.0"

    /// The kind of source that a build was made from.
    public enum Source: String, Sendable {
        /// A checkout of the commit.
        case checkout
        /// A checkout that had been changed since the commit.
        case changedCheckout = "changed_checkout"
        /// A source archive that says which commit it was made of.
        case sourceArchive = "source_archive"
        /// Nothing that says so.
        case unknown
    }

    /// The commit, 40 hexadecimal digits, and what was built; nil and `unknown` where the build was not told
    /// (`Scripts/commit`).
    public static var origin: (commit: String?, source: Source) {
        let told = unsafe String(cString: hp_commit()).split(separator: " ").map(String.init)
        switch (told.first, told.dropFirst().first) {
        case (let commit?, nil): return (commit, .checkout)
        case (let commit?, "changed"): return (commit, .changedCheckout)
        case (let commit?, "archive"): return (commit, .sourceArchive)
        default: return (nil, .unknown)
        }
    }
}
