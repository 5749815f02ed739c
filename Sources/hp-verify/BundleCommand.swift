import Archive
import CanonicalJSON
import Codes
import Files
import Pipeline
import Tool
import Verification

/// `hp-verify bundle`.
enum BundleCommand {
    static let command = Tool.Command(
        "bundle", "verify recovery bundles and reports, alone or against an archive", usage: ["FILE... [OPTIONS]"],
        about: [
            .text(
                "Verifies recovery bundles and reports: container, lines, canonical form, members, item hashes, "
                    + "order and manifest. A report may be a bundle, lines, an envelope or a table; a table needs "
                    + "its sidecar FILE-metadata.json beside it. Every layer is checked; verification does not stop "
                    + "at the first finding."),
            .text("FILE - is standard input."),
            .text(
                "With --allowed-signers it also checks who signed the file: FILE.sig is an SSH signature of what "
                    + "hp-verify statement prints. It tells which key signed, and not that the records are true."),
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: "name at least one bundle or report",
        options: [
            Tool.Option(
                "--archive", .file("ARCHIVE"),
                "compare with what ARCHIVE recorded of the export, and with what it gives for it now; it is only read"),
            Tool.Option("--recorded-only", "compare with the record alone"),
        ] + SignatureQuestion.options + [
            Tool.Option(
                "--jobs", .number("N", in: 1...64),
                "verify N files at a time (default 1); each uses two processors at most"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("findings a file"),
        ] + VerifyOptions.reading, example: "march.jsonl.zst --archive archive.sqlite",
        exitStatus: VerifyOptions.exitStatus, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let files = try VerifyOptions.files(arguments)
        var options = try VerificationOptions(arguments)
        if let limit = try arguments.integer("--max-findings") { options.findingLimit = limit }
        let jobs = try arguments.integer("--jobs") ?? 1
        let signature = try SignatureQuestion(arguments)
        let archive = try arguments.path("--archive")
        let isRecordedOnly = arguments.has("--recorded-only")
        if isRecordedOnly, archive == nil { throw UsageError("--recorded-only needs --archive") }
        let verification = FileVerification(
            call: call, archive: archive, isRecordedOnly: isRecordedOnly, signature: signature, options: options,
            progress: try Progress.Form(arguments, isAlone: jobs == 1))
        var junit = try JUnitFile.begin(arguments, apart: files + (archive.map { Archive.ownFiles(of: $0) } ?? []))
        var output = try VerificationOutput(isJSON: arguments.has("--json"), suite: "bundle")
        try await verify(files, verification, jobs: jobs) { result in
            switch result.outcome {
            case .unreadable(let text, let hint): call.voice.error(text, hint: hint)
            case .verified(let signed) where signed.counts[.containerNotZstd] != nil && isDatabase(result.file):
                call.voice.note("\(result.file.display) is an archive: hp-verify archive \(result.file.display)")
            case .verified: break
            }
            try output.add(result)
        }
        if let signal = Signals.first { return .stopped(by: signal) }
        try output.finish()
        try junit?.publish(output.report)
        return output.status
    }

    /// Returns `true` if a regular file begins like a database of SQLite.
    private static func isDatabase(_ path: Path) -> Bool {
        let magic = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: magic.count)
        guard let status = try? FileStatus.of(path), status.isRegular, let file = try? Descriptor.reading(path),
            let count = try? file.read(into: &bytes)
        else { return false }
        return count == magic.count && bytes == magic
    }

    /// Verifies so many files at a time, and gives the results in the order of the files.
    private static func verify(
        _ files: [Path], _ verification: FileVerification, jobs: Int, _ body: (VerifiedFile) throws -> Void
    ) async throws {
        try await OrderedTasks<VerifiedFile>.run { tasks in
            for file in files {
                if Signals.first != nil { return }
                tasks.start { try await verification.verify(file) }
                while let result = try await tasks.next(leaving: jobs - 1) { try body(result) }
            }
            while let result = try await tasks.next(leaving: 0) { try body(result) }
        }
    }
}

/// The printed reports, for people and for machines (`Spec/schemas/verify-result.json`): each file's when it is there.
struct VerificationOutput: ~Copyable {
    private var output: StandardOutput
    private let isJSON: Bool
    private var count = 0
    /// The worst status of a file.
    private(set) var status = ExitStatus.good
    /// The same for build servers.
    private(set) var report: JUnitReport

    /// Begins on standard output.
    init(isJSON: Bool, suite: String) throws(FileError) {
        output = try StandardOutput()
        self.isJSON = isJSON
        report = JUnitReport(suite: suite)
    }

    /// Prints what was found of a file.
    mutating func add(_ result: VerifiedFile) throws(FileError) {
        if isJSON {
            try output.write(count == 0 ? "{\"files\":[" : ",")
            try output.write(Self.json(result).bytes)
        } else if case .verified(let report) = result.outcome {
            try output.write(Self.text(report, of: result.file))
            try output.flush()
        }
        count += 1
        if result.status.number > status.number { status = result.status }
        report.add(result.file.display, Self.outcome(result), time: result.time)
    }

    private static func outcome(_ result: VerifiedFile) -> JUnitReport.Outcome {
        switch result.outcome {
        case .verified(let signed) where signed.isGood:
            let isNoted = !signed.report.notVerified.isEmpty || signed.signature != nil
            return .passed(isNoted ? signed.verdict : nil)
        case .verified(let signed):
            return .failed(counts: signed.counts, verdict: signed.verdict, lines: signed.findings.map(line))
        case .unreadable(let text, _): return .error(text)
        }
    }

    /// Ends it: everything has arrived.
    mutating func finish() throws(FileError) {
        if isJSON { try output.write("]}\n") }
        try output.flush()
    }

    /// Returns the verdict, layers, findings one a line, and what their codes mean.
    private static func text(_ signed: SignedReport, of file: Path) -> String {
        let report = signed.report
        var text = "\(file.display): \(signed.verdict)\n"
        text += "  " + Layer.allCases.map { "\($0.rawValue) \(word(report.status($0)))" }.joined(separator: "  ") + "\n"
        if let record = report.record {
            let evidence = report.evidence.map { "  evidence \(words($0.rawValue))" } ?? ""
            text += "  archive record \(words(record.rawValue))\(evidence)\n"
        }
        if let note = report.archiveNote { text += "  archive \(note)\n" }
        if let signature = signed.signature { text += "  signature \(signature.text)\n" }
        for finding in signed.findings { text += "  \(line(finding))\n" }
        text += Explanations.rest(signed.total, listed: signed.findings.count, signed.counts)
        text += Explanations.text(of: signed.findings.map(\.code) + signed.counts.keys.sorted())
        return text
    }

    private static func word(_ status: Report.Status) -> String {
        status == .unknown ? "unknown" : StatusWord.verdict(isGood: status == .ok)
    }

    private static func words(_ name: String) -> String { name.replacing("_", with: " ") }

    private static func line(_ finding: Finding) -> String {
        var places: [String] = []
        if let line = finding.line { places.append("line \(line)") }
        if let frame = finding.frame { places.append("frame \(frame)") }
        if let byte = finding.byte { places.append("byte \(byte)") }
        if let pointer = finding.pointer { places.append(printable(pointer.utf8, limit: 200)) }
        if let expected = finding.expected { places.append("expected \(printable(expected.utf8))") }
        if let found = finding.found { places.append("found \(printable(found.utf8))") }
        return places.isEmpty ? finding.code.rawValue : "\(finding.code.rawValue): \(places.joined(separator: ", "))"
    }

    private static func json(_ result: VerifiedFile) -> JSONObject {
        switch result.outcome {
        case .verified(let signed): json(result, signed)
        case .unreadable(let text, _): ["error": text, "file": result.file.display, "result": "failed"]
        }
    }

    private static func json(_ result: VerifiedFile, _ signed: SignedReport) -> JSONObject {
        let (report, counts) = (signed.report, signed.counts.map { ($0.key.rawValue, $0.value) })
        return [
            "archive": result.archive?.display, "archive_note": report.archiveNote,
            "counts": signed.total > 0 ? JSONObject(counts) : nil, "evidence": report.evidence?.rawValue,
            "file": result.file.display, "findings": signed.findings.lazy.map(json), "item_count": report.itemCount,
            "layers": JSONObject(Layer.allCases.map { ($0.rawValue, report.status($0).rawValue) }),
            "not_verified": report.notVerified.map(\.rawValue), "record": report.record?.rawValue,
            "result": signed.isGood ? "ok" : "findings", "signature": signed.signature?.json,
            "verdict": signed.verdict,
        ]
    }

    private static func json(_ finding: Finding) -> JSONObject {
        [
            "byte": finding.byte, "code": finding.code.rawValue, "expected": finding.expected, "found": finding.found,
            "frame": finding.frame, "line": finding.line, "pointer": finding.pointer,
        ]
    }
}
