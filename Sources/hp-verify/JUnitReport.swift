import Archive
import Codes
import Exports
import Files
import Inspection
import Tool

/// The report of a verification for build servers: a test case for each file or check, in the form of JUnit
/// (`Spec/command-line.md`, "For build servers").
struct JUnitReport {
    /// The end of a test case.
    enum Outcome {
        /// It is valid; one line for people, where something of it was compared with nothing.
        case passed(String?)
        /// The failure: the codes with how often each was found, one line for people, and a line for each finding.
        case failed(counts: [Code: Int], verdict: String, lines: [String])
        /// It could not be looked at.
        case error(String)
        /// It was not looked at.
        case skipped(String)
    }

    /// The lines of a test case at most: a build server shows them whole.
    private static let lineLimit = 100
    private let suite: String
    private var cases = ""
    private var counts = (tests: 0, failures: 0, errors: 0, skipped: 0)

    /// A report of a command.
    init(suite: String) { self.suite = suite }

    /// Adds a test case; its name is printable text. The time is absent if the case was not measured by itself.
    mutating func add(_ name: String, _ outcome: Outcome, time: Duration? = nil) {
        counts.tests += 1
        cases += "    <testcase classname=\"\(Self.escaped(suite))\" name=\"\(Self.escaped(name))\""
        if let time { cases += " time=\"\(Self.seconds(time))\"" }
        switch outcome {
        case .passed(nil): cases += "/>\n"
        case .passed(let verdict?):
            cases += ">\n      <system-out>\(Self.escaped(verdict))</system-out>\n    </testcase>\n"
        case .failed(let codes, let verdict, let lines):
            counts.failures += 1
            let first = codes.keys.min()?.rawValue ?? "findings"
            let rest = lines.count - Self.lineLimit
            let listed = lines.prefix(Self.lineLimit) + (rest > 0 ? ["and \(rest) more"] : [])
            add("failure", type: first, message: verdict, text: Self.text(codes, listed))
        case .error(let text):
            counts.errors += 1
            add("error", type: "unreadable", message: text, text: "")
        case .skipped(let reason):
            counts.skipped += 1
            cases += ">\n      <skipped message=\"\(Self.escaped(reason))\"/>\n    </testcase>\n"
        }
    }

    private mutating func add(_ element: String, type: String, message: String, text: String) {
        cases += ">\n      <\(element) type=\"\(Self.escaped(type))\" message=\"\(Self.escaped(message))\""
        cases += text.isEmpty ? "/>\n" : ">\(Self.escaped(text))</\(element)>\n"
        cases += "    </testcase>\n"
    }

    /// Returns a line for each code: how often, and what it means. Then come the findings.
    private static func text(_ counts: [Code: Int], _ lines: some Sequence<String>) -> String {
        let codes = counts.sorted { $0.key < $1.key }.map { code, count in
            "\(count) \(code.rawValue): \(code.entry.sentence)"
        }
        return (codes + lines).map { "\n" + $0 }.joined() + "\n"
    }

    /// Seconds with three digits, as build servers read them.
    private static func seconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    }

    /// Returns the whole file, with the time that the command took.
    func xml(time: Duration) -> [UInt8] {
        let totals =
            "tests=\"\(counts.tests)\" failures=\"\(counts.failures)\" errors=\"\(counts.errors)\" "
            + "skipped=\"\(counts.skipped)\" time=\"\(Self.seconds(time))\""
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="hp-verify" \(totals)>
              <testsuite name="\(Self.escaped(suite))" \(totals)>
            \(cases)  </testsuite>
            </testsuites>

            """.utf8)
    }

    /// Returns text that has been made printable, for an attribute or an element.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension JUnitReport {
    /// The checks of an archive.
    init(_ report: InspectionReport, of path: Path) {
        self.init(suite: "archive")
        for check in report.checks {
            let name = "\(path.display): \(check.check.rawValue)"
            switch check.status {
            case .ok: add(name, .passed(nil))
            case .failed:
                let verdict = "invalid: \(check.total) finding\(check.total == 1 ? "" : "s")"
                add(name, .failed(counts: check.counts, verdict: verdict, lines: []))
            case .notChecked:
                add(name, .skipped(check.reason.map { printable($0.utf8, limit: 300) } ?? "not checked"))
            }
        }
        if report.isChanged {
            let counts = [ArchiveFinding.changed.code: 1]
            let outcome = Outcome.failed(counts: counts, verdict: "changed while it was read", lines: [])
            add("\(path.display): unchanged", outcome)
        }
    }

    /// The exports that were recomputed.
    init(_ reproduced: ReproductionOutput) {
        self.init(suite: "reproduce")
        for result in reproduced.results {
            let name = "\(reproduced.path.display): \(printable(result.record.exportID.utf8))"
            guard result.reproduction.outcome != .same else {
                add(name, .passed(nil), time: result.time)
                continue
            }
            add(name, .failed(counts: [:], verdict: result.verdict, lines: result.lines), time: result.time)
        }
        if reproduced.results.isEmpty { add(reproduced.path.display, .error("no export is recorded")) }
        if !reproduced.isUnchanged {
            let outcome = Outcome.failed(counts: [:], verdict: "changed while it was read", lines: [])
            add("\(reproduced.path.display): unchanged", outcome)
        }
    }
}

/// The destination of a report for build servers: the file that `--junit` names. It is begun before anything is
/// verified, so that a place that takes no file is known then. It gets its name when it is complete.
struct JUnitFile: ~Copyable {
    private var file: PendingFile
    private let isReplacing: Bool
    private let began = ContinuousClock.now
    /// The beginning of each report, which distinguishes a report of an earlier run from any other file.
    private static let beginning = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hp-verify\""

    /// Begins the file that the arguments name; nil where they name none.
    static func begin(_ arguments: Arguments, apart inputs: [Path]) throws -> JUnitFile? {
        guard let path = try arguments.path("--junit") else { return nil }
        let isReplacing = arguments.has("--force") || isReport(path)
        let destination = try outputPath(path, replacing: isReplacing, apart: inputs)
        return JUnitFile(file: try PendingFile.begin(destination), isReplacing: isReplacing)
    }

    /// Returns `true` if a regular file of this name is a report of an earlier run.
    private static func isReport(_ path: Path) -> Bool {
        var bytes = [UInt8](repeating: 0, count: beginning.utf8.count)
        guard let status = try? FileStatus.of(path), status.isRegular, let file = try? Descriptor.readingName(path),
            let count = try? file.read(into: &bytes)
        else { return false }
        return bytes.prefix(count).elementsEqual(beginning.utf8)
    }

    /// Writes the report and gives the file its name.
    mutating func publish(_ report: JUnitReport) throws(FileError) {
        try file.write(report.xml(time: ContinuousClock.now - began).span)
        try file.synchronize()
        try file.publish(replacing: isReplacing)
    }
}
