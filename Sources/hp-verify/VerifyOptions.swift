import Tool

/// Options that several commands have.
enum VerifyOptions {
    /// The results for build servers.
    static let junit = Tool.Option(
        "--junit", .output(), "write the results for build servers, too; an existing FILE is refused")
    /// That they may replace a file.
    static let force = Tool.Option("--force", "replace it")
    /// The longest line.
    static let maxLine = Tool.Option(
        "--max-line", .number("BYTES", in: 1...(1 << 30)), "longest line (default 67108864)")
    /// The largest frame.
    static let maxFrame = Tool.Option(
        "--max-frame", .number("BYTES", in: 1...(1 << 30)), "largest text of a frame (default 69206016)")
    /// The form for programs.
    static let json = Tool.Option("--json", "print one JSON object")
    /// No progress.
    static let quiet = Tool.Option("--quiet", "no progress")

    /// How many of something are listed.
    static func findings(_ what: String) -> Tool.Option {
        Tool.Option(
            "--max-findings", .number("N", in: 0...1_000_000), "list at most N \(what), count the others (default 1000)"
        )
    }

    /// What the statuses of a verification mean.
    static let exitStatus = [
        Tool.Term("0", "valid"), Tool.Term("1", "invalid: at least one finding"), Tool.Term("2", "could not be done"),
        Tool.Term("128+n", "stopped by signal n"),
    ]
}
