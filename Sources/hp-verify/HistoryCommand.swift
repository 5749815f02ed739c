import Archive
import CanonicalJSON
import Files
import Tool
import Verification

/// `hp-verify history`.
enum HistoryCommand {
    static let command = Tool.Command(
        "history", "compare exports of different times by the history of the archive that they carry",
        usage: ["FILE FILE... [OPTIONS]", "FILE... --archive ARCHIVE [OPTIONS]"],
        about: [
            .text(
                "Verifies exports and compares what their headers carry of the archive's history (Spec/history.md): "
                    + "whether they can be of one archive that only grew. Two exports show that an entry was replaced, "
                    + "or that the same question was answered otherwise; whether a later entry goes back to an earlier "
                    + "one, the archive alone shows.")
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: wanted,
        options: [
            Tool.Option("--archive", .file("ARCHIVE"), "hold each entry against ARCHIVE, which is only read")
        ] + VerifyOptions.reading, example: "march.jsonl.zst april.jsonl.zst",
        exitStatus: Tool.Term.statuses(
            "all are valid, and nothing contradicts that they are of one archive that only grew",
            findings: "something does, or nothing could be compared"), run: run)

    private static let wanted = "name at least two exports, or one and --archive"

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (path, files) = (try arguments.path("--archive"), try VerifyOptions.files(arguments))
        guard files.count >= (path == nil ? 2 : 1) else { throw UsageError(wanted) }
        let options = try VerificationOptions(arguments)
        var exports: [CarriedEntry] = []
        for file in files {
            let progress = try call.begin("items")
            let (report, facts) = try await ExportFacts.of(
                FileVerification.open(file), options: options, progress: { progress.update($0) },
                shouldStop: Signals.shouldStop)
            progress.end()
            exports.append(CarriedEntry(file: file, report: report, facts: facts))
        }
        if let path {
            let archive = try call.open(path)
            for index in exports.indices { try exports[index].hold(against: archive) }
        } else {
            CarriedEntry.compare(&exports)
        }
        let compared = ComparedHistories(exports: exports, isAgainstArchive: path != nil)
        return try call.show(compared.text, json: compared.json, isGood: compared.isGood)
    }
}

/// An export, and how the entry that it carries stands beside others.
private struct CarriedEntry {
    let file: Path
    let report: Report
    /// Nil where the header is lost.
    let facts: ExportFacts?
    var state = State.noEntry

    enum State: String {
        case agrees, changed, forked, rewound, withdrawn
        case first, noEntry = "no_entry", notSealed = "not_sealed", anotherArchive = "another_archive"

        /// What it means, in words.
        var words: String {
            switch self {
            case .first: "the first entry"
            case .agrees: "nothing contradicts it"
            case .noEntry: "it carries no entry"
            case .changed: "the same question has another answer: the archive's evidence changed"
            case .forked: "another entry stands in its place: the history was written anew"
            case .rewound: "the archive has fewer entries: it is an older copy, or its end was removed"
            case .withdrawn: "the archive withdrew its observation"
            case .anotherArchive: "it is of another archive"
            case .notSealed: "the archive has no history"
            }
        }

        var isContradiction: Bool { ![.first, .agrees, .noEntry].contains(self) }
    }

    /// Looks for the entry in an archive.
    mutating func hold(against archive: borrowing Archive) throws {
        guard let entry = facts?.history else { return }
        state =
            switch try archive.answer(to: entry) {
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
            let (left, right) = ($0.element.facts?.history?.length ?? 0, $1.element.facts?.history?.length ?? 0)
            return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
        for index in exports.indices {
            guard let facts = exports[index].facts, let entry = facts.history else { continue }
            let others = exports[..<index].compactMap(\.facts).filter { $0.history != nil }
            guard let first = others.first?.history else {
                exports[index].state = .first
                continue
            }
            if entry.archive != first.archive {
                exports[index].state = .anotherArchive
            } else if others.contains(where: { $0.history!.length == entry.length && $0.history!.link != entry.link }) {
                exports[index].state = .forked
            } else if others.contains(where: { $0.exportID == facts.exportID && $0.manifestHash != facts.manifestHash })
            {
                exports[index].state = .changed
            } else {
                exports[index].state = .agrees
            }
        }
    }
}

/// Exports beside each other.
private struct ComparedHistories {
    let exports: [CarriedEntry]
    let isAgainstArchive: Bool

    /// Entries that were held against something.
    private var comparedCount: Int {
        exports.count { ![.noEntry, .first].contains($0.state) }
    }

    var isGood: Bool {
        exports.allSatisfy { $0.report.isGood && !$0.state.isContradiction } && comparedCount > 0
    }

    /// A line for each export, in the order of the entries, and what could not be compared.
    var text: String {
        var text = ""
        for export in exports {
            text += "\(export.file.display): \(export.report.verdict)\n"
            if let facts = export.facts, let entry = facts.history {
                text += "  observation \(facts.observationID), entry \(entry.length), link "
                text += "\(entry.linkPrefix): \(export.state.words)\n"
            } else {
                text += "  \(export.facts == nil ? "its header is lost" : export.state.words)\n"
            }
        }
        if comparedCount == 0 { text += "nothing was compared: fewer than two entries\n" }
        if !isAgainstArchive {
            text += "whether later entries go back to earlier ones is not known: name the archive with --archive\n"
        }
        return text
    }

    /// One object (`Spec/schemas/history-result.json`).
    var json: JSONObject {
        [
            "compared_count": comparedCount,
            "files": exports.map { export -> JSONObject in
                [
                    "export_id": export.facts?.exportID, "file": export.file.display, "history": export.facts?.history,
                    "observation_id": export.facts?.observationID,
                    "result": export.report.isGood ? "ok" : "findings",
                    "state": export.facts == nil ? "header_lost" : export.state.rawValue,
                    "verdict": export.report.verdict,
                ]
            },
            "result": isGood ? "ok" : "findings",
        ]
    }
}
