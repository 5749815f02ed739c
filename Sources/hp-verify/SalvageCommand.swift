import Archive
import Build
import CanonicalJSON
import Codes
import Files
import Salvage
import Tool

/// `hp-verify salvage`.
enum SalvageCommand {
    static let command = Tool.Command(
        "salvage", "recover the intact lines of a damaged bundle", usage: ["FILE… -o FILE [OPTIONS]"],
        about: [
            .text(
                "Recovers the intact items of a damaged bundle or report into a new file, which says what it is and "
                    + "what is missing. Works without header, manifest and seek table, with holes in the middle, and "
                    + "on what a decompressor or an editor left: lines, JSON or a table, cut anywhere. Of several "
                    + "damaged copies of one export it takes what they hold together. Files are only read.")
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: "name a bundle",
        options: [
            Tool.Option("-o", .output(), "the new file; it appears complete or not at all"),
            Tool.Option(
                "--archive", .file("ARCHIVE"),
                "say which items of the recorded export are missing; ARCHIVE is only read"),
            Tool.Option("--force", "replace an existing file"), VerifyOptions.findings("identities of each kind"),
        ] + VerifyOptions.reading, example: "damaged.jsonl.zst -o recovered.jsonl.zst --archive archive.sqlite",
        exitStatus: Tool.Term.statuses("nothing is missing or damaged", findings: "something is"), run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        guard let output = try arguments.path("-o") else { throw UsageError("-o FILE is missing") }
        guard output.bytes != Array("-".utf8) else {
            throw UsageError(
                "a salvage goes to a file, not to standard output")
        }
        var options = SalvageOptions(generator: ("hp-verify", Build.version))
        options.isReplacing = arguments.has("--force")
        if let limit = try arguments.integer("--max-findings") { options.identityLimit = limit }
        if let limit = try arguments.integer("--max-line") { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame") { options.frameLimit = limit }
        let progress = try call.begin("items")
        options.progress = { progress.update($0) }
        options.shouldStop = Signals.shouldStop
        let (files, archive) = (arguments.operands, try arguments.path("--archive"))
        let result =
            if let archive {
                try await Salvager.run(files, to: output, archive: call.open(archive), options: options)
            } else {
                try await Salvager.run(files, to: output, options: options)
            }
        let salvaged = Salvaged(output: output, archive: archive, result: result)
        return try call.show(SalvageOutput.text(salvaged), json: SalvageOutput.json(salvaged), isGood: result.isWhole)
    }
}

/// The files that were read, and the result.
struct Salvaged {
    let output: Path
    let archive: Path?
    let result: SalvageResult
}

/// The printed account of a salvage, for people and for machines (`Spec/schemas/salvage-result.json`).
enum SalvageOutput {
    // MARK: Text

    /// Returns the recovered, intact, damaged (one a line) and missing parts.
    static func text(_ salvaged: Salvaged) -> String {
        let result = salvaged.result
        let names = result.files.map(\.path.display).joined(separator: ", ")
        var text = "\(names): \(verdict(result)): \(recovered(result)) recovered to \(salvaged.output.display)\n"
        func fate(_ isIntact: Bool) -> String { isIntact ? "intact" : "lost" }
        text += "  header \(fate(result.hasHeader))  manifest \(fate(result.hasManifest))"
        text += result.hasSeekTable.map { "  seek table \(fate($0))\n" } ?? "\n"
        if result.files.count > 1 {
            for (index, file) in result.files.enumerated() {
                let said = file.exportID == nil ? ", no header: whether it is a copy is not known" : ""
                text += "  file \(index + 1), \(file.path.display): \(file.itemCount) items\(said)\n"
            }
        }
        for entry in result.account { text += "  \(line(entry))\n" }
        if result.accountCount > result.account.count {
            text += "  \(result.accountCount - result.account.count) more\n"
        }
        for (name, count) in result.missing?.types ?? [] {
            text += "  missing: \(count) of \(name.map { printable($0.utf8) } ?? "no sample type")\n"
        }
        if result.missing == nil { text += "  missing: not known without the manifest\n" }
        if let match = result.archive { text += self.text(match) }
        return text
    }

    private static func verdict(_ result: SalvageResult) -> String { result.isWhole ? "whole" : "damaged" }

    private static func recovered(_ result: SalvageResult) -> String {
        let missing = result.missing.map { $0.itemCount }
        let all = missing.map { " of \(Int64(result.itemCount - result.repeatedCount) + $0)" } ?? ""
        let repeated = result.repeatedCount > 0 ? " and \(result.repeatedCount) repeated" : ""
        return "\(result.itemCount - result.repeatedCount)\(all) items\(repeated)"
    }

    private static func line(_ entry: AccountEntry) -> String {
        var places: [String] = entry.source.map { ["file \($0)"] } ?? []
        if let bytes = entry.bytes {
            places.append(
                bytes.isEmpty ? "byte \(bytes.lowerBound)" : "bytes \(bytes.lowerBound) to \(bytes.upperBound - 1)")
        }
        if let frames = entry.frames {
            places.append(
                frames.count == 1 ? "frame \(frames.lowerBound)" : "frames \(frames.lowerBound) to \(frames.upperBound)"
            )
        }
        if let line = entry.frameLine {
            let last = entry.lineCount.map { line + $0 - 1 } ?? line
            places.append(last == line ? "line \(line) of the frame" : "lines \(line) to \(last) of the frame")
        } else if let count = entry.lineCount {
            places.append("\(count) line\(count == 1 ? "" : "s")")
        }
        places.append("after \(entry.afterItems) recovered")
        return "\(entry.code.rawValue): \(places.joined(separator: ", "))"
    }

    private static func text(_ match: ArchiveMatch) -> String {
        var text =
            match.isPrivateCopy
            ? "  archive read from a private copy: a log or a journal lies beside the archive\n" : ""
        guard match.exportID != nil else { return text + "  archive has no record of this export\n" }
        text += "  archive: \(match.absentCount) recorded items were not recovered, "
        text += "\(match.unknownCount) recovered items are not recorded\n"
        let lists = [
            ("not recovered", match.absent, match.absentCount), ("not recorded", match.unknown, match.unknownCount),
        ]
        for (what, list, count) in lists {
            for item in list {
                let names = [item.sampleType, item.identityHash, item.payloadHash].map {
                    $0.map { printable($0.utf8) } ?? "-"
                }
                text += "  \(what): \(names.joined(separator: " "))\n"
            }
            if count > list.count { text += "  \(what): \(count - list.count) more\n" }
        }
        return text
    }

    // MARK: JSON

    /// Returns one object.
    static func json(_ salvaged: Salvaged) -> JSONObject {
        let result = salvaged.result
        let copies = result.files.dropFirst().map(json)
        let archive = salvaged.archive.flatMap { path in result.archive.map { json($0, of: path) } }
        return [
            "account": result.account, "account_count": result.accountCount, "archive": archive,
            "export_id": result.exportID, "file": result.files[0].path.display, "has_header": result.hasHeader,
            "has_manifest": result.hasManifest, "has_seek_table": result.hasSeekTable, "item_count": result.itemCount,
            "missing": result.missing, "other_files": copies.isEmpty ? nil : copies,
            "output": salvaged.output.display, "repeated_count": result.repeatedCount, "result": verdict(result),
            "salvage_hash": result.salvageHash, "source": result.files[0].source,
        ]
    }

    /// Returns a copy next to the first file.
    private static func json(_ copy: SalvagedFile) -> JSONObject {
        [
            "account_count": copy.accountCount, "export_id": copy.exportID, "file": copy.path.display,
            "has_header": copy.hasHeader, "has_manifest": copy.hasManifest, "item_count": copy.itemCount,
            "source": copy.source,
        ]
    }

    private static func json(_ match: ArchiveMatch, of archive: Path) -> JSONObject {
        [
            "absent": match.absent.map(json), "absent_count": match.absentCount, "export_id": match.exportID,
            "file": archive.display, "private_copy": match.isPrivateCopy, "unknown": match.unknown.map(json),
            "unknown_count": match.unknownCount,
        ]
    }

    private static func json(_ item: ArchiveMatch.Identity) -> JSONObject {
        ["identity_hash": item.identityHash, "payload_hash": item.payloadHash, "sample_type": item.sampleType]
    }
}
