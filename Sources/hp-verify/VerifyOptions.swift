import Files
import Tool
import Verification

/// Options that several commands have.
enum VerifyOptions {
    /// The results for build servers.
    static let junit = Tool.Option(
        "--junit", .output(),
        "write the results for build servers, too; only a FILE that has such results is overwritten")
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

    /// The options of every command that reads bundles.
    static let reading = [maxLine, maxFrame, json, quiet, Progress.option]

    /// Returns the option for the number of listed things.
    static func findings(_ what: String) -> Tool.Option {
        Tool.Option(
            "--max-findings", .number("N", in: 0...1_000_000), "list at most N \(what), count the others (default 1000)"
        )
    }

    /// The meanings of a verification's statuses.
    static let exitStatus = Tool.Term.statuses("valid", findings: "invalid: at least one finding")

    /// Returns the files to verify: `-` is standard input, and may be among them once.
    static func files(_ arguments: Arguments) throws(UsageError) -> [Path] {
        guard arguments.operands.count(where: { $0 == Path("-") }) <= 1 else {
            throw UsageError("standard input (-) can be named once")
        }
        return arguments.operands
    }
}

extension VerificationOptions {
    /// The limits that the options state.
    init(_ arguments: Arguments) throws(UsageError) {
        self.init()
        if let limit = try arguments.integer("--max-line") { lineLimit = limit }
        if let limit = try arguments.integer("--max-frame") { frameLimit = limit }
    }
}
