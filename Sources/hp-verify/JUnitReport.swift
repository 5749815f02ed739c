import Archive
import Codes
import Exports
import Files
import Inspection
import Tool

/// What was verified, as build servers read it: a test case for each file or check, in the form of JUnit
/// (`Spec/command-line.md`, "For build servers").
struct JUnitReport {
    /// How a test case ended.
    enum Outcome {
        /// It is valid; one line for people, where something of it was compared with nothing.
        case passed(String?)
        /// What is invalid: the codes with how often each was found, and one line for people.
        case failed(counts: [Code: Int], verdict: String)
        /// It could not be looked at.
        case error(String)
        /// It was not looked at.
        case skipped(String)
    }

    private let suite: String
    private var cases = ""
    private var counts = (tests: 0, failures: 0, errors: 0, skipped: 0)

    /// A report of a command.
    init(suite: String) { self.suite = suite }

    /// Adds a test case; its name is printable text.
    mutating func add(_ name: String, _ outcome: Outcome) {
        counts.tests += 1
        cases += "    <testcase classname=\"\(Self.escaped(suite))\" name=\"\(Self.escaped(name))\""
        switch outcome {
        case .passed(nil): cases += "/>\n"
        case .passed(let verdict?):
            cases += ">\n      <system-out>\(Self.escaped(verdict))</system-out>\n    </testcase>\n"
        case .failed(let codes, let verdict):
            counts.failures += 1
            let first = codes.keys.min()?.rawValue ?? "findings"
            add("failure", type: first, message: verdict, text: Self.text(codes))
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

    /// A line for each code: how often, and what it means.
    private static func text(_ counts: [Code: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { code, count in
            "\n\(count) \(code.rawValue): \(code.entry.sentence)"
        }.joined() + "\n"
    }

    /// The whole file.
    var xml: [UInt8] {
        let totals =
            "tests=\"\(counts.tests)\" failures=\"\(counts.failures)\" errors=\"\(counts.errors)\" "
            + "skipped=\"\(counts.skipped)\""
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="hp-verify" \(totals)>
              <testsuite name="\(Self.escaped(suite))" \(totals)>
            \(cases)  </testsuite>
            </testsuites>

            """.utf8)
    }

    /// Text that has been made printable, for an attribute or an element.
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
                add(name, .failed(counts: check.counts, verdict: verdict))
            case .notChecked:
                add(name, .skipped(check.reason.map { printable($0.utf8, limit: 300) } ?? "not checked"))
            }
        }
        if report.isChanged {
            let code = ArchiveFinding.changed.code
            add("\(path.display): unchanged", .failed(counts: [code: 1], verdict: "changed while it was read"))
        }
    }

    /// The exports that were recomputed.
    init(_ reproduced: ReproductionOutput) {
        self.init(suite: "reproduce")
        for result in reproduced.results {
            let (outcome, count) = (result.reproduction.outcome, result.reproduction.differenceCount)
            let isSame = outcome == .same
            let differ = count == 1 ? "1 item differs" : "\(count) items differ"
            let verdict = "\(outcome.rawValue): \(differ)"
            add(
                "\(reproduced.path.display): \(printable(result.record.exportID.utf8))",
                isSame ? .passed(nil) : .failed(counts: [:], verdict: verdict))
        }
        if reproduced.results.isEmpty { add(reproduced.path.display, .error("no export is recorded")) }
        if !reproduced.isUnchanged {
            add("\(reproduced.path.display): unchanged", .failed(counts: [:], verdict: "changed while it was read"))
        }
    }
}

/// Where a report for build servers goes: the file that `--junit` names. It is begun before anything is verified, so
/// that a place that takes no file is known then, and gets its name when it is complete.
struct JUnitFile: ~Copyable {
    private var file: PendingFile
    private let isReplacing: Bool

    /// Begins the file that the arguments name; nil where they name none.
    static func begin(_ arguments: Arguments, apart inputs: [Path]) throws -> JUnitFile? {
        guard let path = try arguments.path("--junit") else { return nil }
        let isReplacing = arguments.has("--force")
        let destination = try outputPath(path, replacing: isReplacing, apart: inputs)
        return JUnitFile(
            file: try PendingFile(destination: destination, token: PendingFile.token(of: 0)), isReplacing: isReplacing)
    }

    /// Writes the report and gives the file its name.
    mutating func publish(_ report: JUnitReport) throws(FileError) {
        try file.write(report.xml.span)
        try file.synchronize()
        try file.publish(replacing: isReplacing)
    }
}
