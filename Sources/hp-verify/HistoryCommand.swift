import Archive
import CanonicalJSON
import Codes
import Files
import Signatures
import Tool
import Verification

/// `hp-verify history`.
enum HistoryCommand {
    static let command = Tool.Command(
        "history", "check that exports of different times belong to one history",
        usage: ["FILE FILE... [OPTIONS]", "FILE... --archive ARCHIVE [OPTIONS]", "OLD NEW --entries FILE [OPTIONS]"],
        about: [
            .text(
                "Verifies exports and compares what their headers carry of the archive's history (Spec/history.md): "
                    + "whether they can be of one archive that only grew. A FILE may also be the statement of a "
                    + "history (hp-verify statement --archive), or a head that somebody kept."),
            .text(
                "Two exports show that an entry was replaced, or that the same question was answered otherwise. With "
                    + "the entries between them, which hp-export history writes, --entries shows without the "
                    + "archive whether the history of NEW extends the history of OLD."),
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: wanted,
        options: [
            Tool.Option("--archive", .file("ARCHIVE"), "hold each entry against ARCHIVE, which is only read"),
            Tool.Option("--entries", .file(), "the entries between OLD and NEW, or more"),
            Tool.Option(
                "--allowed-signers", .file(),
                "check the signature FILE.sig of each statement or head with the keys of this file"),
        ] + SignatureQuestion.shared + VerifyOptions.reading,
        example: "march.jsonl.zst april.jsonl.zst --entries entries.jsonl",
        exitStatus: Tool.Term.statuses(
            "all are valid, and nothing contradicts that they are of one archive that only grew",
            findings: "something does, or nothing could be compared"), run: run)

    private static let wanted = "name at least two exports, or one and --archive"

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, files) = (try arguments.path("--archive"), try VerifyOptions.files(arguments))
        let entries = try arguments.path("--entries")
        guard files.count >= (path == nil ? 2 : 1) else { throw UsageError(wanted) }
        guard entries == nil || (path == nil && files.count == 2) else {
            throw UsageError("--entries is of two files, OLD and NEW, and without --archive")
        }
        guard entries != Path("-") || !files.contains(Path("-")) else {
            throw UsageError("standard input (-) can be named once")
        }
        let question = try SignatureQuestion(arguments)
        let options = try VerificationOptions(arguments)
        var exports: [CarriedEntry] = []
        for file in files { exports.append(try await CarriedEntry.read(file, options, question, call)) }
        var between: EntriesBetween?
        if let path {
            let archive = try call.open(path)
            for index in exports.indices { try exports[index].hold(against: archive) }
        } else if let entries {
            between = try EntriesBetween.read(entries, &exports)
        } else {
            CarriedEntry.compare(&exports)
        }
        let compared = ComparedHistories(exports: exports, isAgainstArchive: path != nil, entries: between)
        return try call.show(compared.text, json: compared.json, isGood: compared.isGood)
    }
}

/// An export or a head, and how the entry that it carries stands to others.
struct CarriedEntry {
    let file: Path
    let isGood: Bool
    let verdict: String
    /// `nil` if the header is lost.
    let export: ExportFacts?
    /// `nil` if there is none.
    let head: HistoryHead?
    /// `nil` if nobody asked who signed it, or it is an export.
    let signature: SignatureResult?
    var state = State.noEntry

    enum State: String {
        case agrees, changed, forked, rewound, withdrawn, extends, unproven
        case first, noEntry = "no_entry", notSealed = "not_sealed", anotherArchive = "another_archive"

        /// The meaning, in words.
        var words: String {
            switch self {
            case .first: "the first entry"
            case .agrees: "nothing contradicts it"
            case .extends: "its history extends the first"
            case .unproven: "nothing shows that its history extends the first"
            case .noEntry: "it carries no entry"
            case .changed: "the same question has another answer: the archive's evidence changed"
            case .forked: "another entry stands in its place: the history was written anew"
            case .rewound: "the archive has fewer entries: it is an older copy, or its end was removed"
            case .withdrawn: "the archive withdrew its observation"
            case .anotherArchive: "it is of another archive"
            case .notSealed: "the archive has no history"
            }
        }

        var isContradiction: Bool { ![.first, .agrees, .extends, .noEntry].contains(self) }
    }

    private init(_ file: Path, _ report: Report, _ facts: ExportFacts?) {
        (self.file, isGood, verdict) = (file, report.isGood, report.verdict)
        (export, head, signature) = (facts, facts?.history, nil)
    }

    private init(_ file: Path, _ head: HistoryHead, _ signature: SignatureResult?) {
        (self.file, export, self.head, self.signature) = (file, nil, head, signature)
        isGood = signature?.finding == nil
        verdict =
            switch (signature, signature?.finding?.code) {
            case (nil, _): "a head"
            case (let signature?, nil): "a head, \(signature.words)"
            case (_, .signatureUnsigned): "not signed; else a head"
            case (_, let code?) where code.group == "timestamp": "time not shown; else a head"
            default: "signature invalid; else a head"
            }
    }

    /// Reads a file: verifies an export, or takes a head as it is.
    static func read(
        _ file: Path, _ options: VerificationOptions, _ question: SignatureQuestion?, _ call: Call
    ) async throws -> CarriedEntry {
        let descriptor = try FileVerification.open(file)
        var bytes = [UInt8](repeating: 0, count: 4097)
        bytes.removeLast(bytes.count - (try descriptor.read(into: &bytes, at: 0, count: bytes.count)))
        if let head = HistoryHead(bytes) {
            let statement = SignedStatement(historyHead: head.text)
            return CarriedEntry(file, head, try question?.result(of: file, statement))
        }
        guard !bytes.starts(with: "healthprobe-history".utf8) else {
            throw NotReadable(description: "\(file.display): not a statement of a history")
        }
        let progress = try call.begin("items")
        let (report, facts) = try await ExportFacts.of(
            descriptor, options: options, progress: { progress.update($0) }, shouldStop: Signals.shouldStop)
        progress.end()
        return CarriedEntry(file, report, facts)
    }

    /// Its head, if the file is valid.
    var carried: CarriedHead? {
        guard isGood else { return nil }
        return head.map { CarriedHead($0, observationID: export?.observationID) }
    }

    /// Looks for the entry in an archive.
    mutating func hold(against archive: borrowing Archive) throws {
        guard let head else { return }
        state =
            switch try archive.answer(to: head) {
            case .extends: .agrees
            case .withdrawnSince: .withdrawn
            case .forked: .forked
            case .rewound: .rewound
            case .anotherArchive: .anotherArchive
            case .notSealed: .notSealed
            }
    }

    /// Puts exports in the order of their entries, and holds each against those before it.
    static func compare(_ exports: inout [CarriedEntry]) {
        exports = exports.enumerated().sorted {
            let (left, right) = ($0.element.head?.length ?? 0, $1.element.head?.length ?? 0)
            return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
        for index in exports.indices {
            guard let entry = exports[index].head else { continue }
            let others = exports[..<index].filter { $0.head != nil }
            guard let first = others.first?.head else {
                exports[index].state = .first
                continue
            }
            if entry.archive != first.archive {
                exports[index].state = .anotherArchive
            } else if others.contains(where: { $0.head!.length == entry.length && $0.head!.link != entry.link }) {
                exports[index].state = .forked
            } else if others.contains(where: { exports[index].isAnotherAnswer(than: $0) }) {
                exports[index].state = .changed
            } else {
                exports[index].state = .agrees
            }
        }
    }

    private func isAnotherAnswer(than other: CarriedEntry) -> Bool {
        guard let export, let other = other.export else { return false }
        return export.exportID == other.exportID && export.manifestHash != other.manifestHash
    }
}

/// Exports next to each other.
private struct ComparedHistories {
    let exports: [CarriedEntry]
    let isAgainstArchive: Bool
    /// `nil` if none were given.
    let entries: EntriesBetween?

    /// Entries that were held against something.
    private var comparedCount: Int {
        exports.count { ![.noEntry, .first].contains($0.state) }
    }

    var isGood: Bool {
        exports.allSatisfy { $0.isGood && !$0.state.isContradiction } && comparedCount > 0
    }

    /// A line for each export, in the order of the entries, and what could not be compared.
    var text: String {
        var text = ""
        for export in exports {
            text += "\(export.file.display): \(export.verdict)\n"
            if let signature = export.signature { text += "  signature \(signature.text)\n" }
            if let entry = export.head {
                let observation = export.export.map { "observation \($0.observationID), " } ?? ""
                text += "  \(observation)entry \(entry.length), link \(entry.linkPrefix): \(export.state.words)\n"
            } else {
                text += "  \(export.export == nil ? "its header is lost" : export.state.words)\n"
            }
        }
        if let entries { text += entries.text }
        text += Explanations.text(
            of: (exports.compactMap { $0.signature?.finding?.code }) + (entries?.code.map { [$0] } ?? []))
        if comparedCount == 0 { text += "nothing was compared: fewer than two entries\n" }
        if !isAgainstArchive, entries == nil {
            text += "whether later entries go back to earlier ones is not known: "
            text += "give the entries with --entries, or the archive with --archive\n"
        }
        return text
    }

    /// One object (`Spec/schemas/history-result.json`).
    var json: JSONObject {
        [
            "compared_count": comparedCount, "entries": entries?.json,
            "files": exports.map { export -> JSONObject in
                let isExport = export.export != nil || export.head == nil
                return [
                    "export_id": export.export?.exportID, "file": export.file.display,
                    "history": export.head, "observation_id": export.export?.observationID,
                    "result": export.isGood ? "ok" : "findings",
                    "signature": export.signature?.json, "signature_code": export.signature?.finding?.code.rawValue,
                    "state": isExport && export.export == nil ? "header_lost" : export.state.rawValue,
                    "verdict": export.verdict,
                ]
            },
            "result": isGood ? "ok" : "findings",
        ]
    }
}
