import CanonicalJSON
import Codes
import Files
import Salvage

/// How the account of a salvage is printed, for people and for machines (`Spec/schemas/salvage-result.json`).
enum SalvageOutput {
    // MARK: Text

    /// What was recovered, what is intact, what was damaged one a line, what is missing.
    static func text(_ salvaged: Salvaged) -> [UInt8] {
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
            text +=
                "  \(result.accountCount - result.account.count) more\n"
        }
        for (name, count) in result.missing?.types ?? [] {
            text +=
                "  missing: \(count) of \(name.map { printable($0.utf8) } ?? "no sample type")\n"
        }
        if result.missing == nil { text += "  missing: not known without the manifest\n" }
        if let match = result.archive { text += self.text(match) }
        return Array(text.utf8)
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

    /// One object.
    static func json(_ salvaged: Salvaged) -> [UInt8] {
        let result = salvaged.result
        var json = Writer()
        json.beginObject()
        json.key("account")
        json.beginArray()
        for entry in result.account { entry.write(to: &json) }
        json.endArray()
        json.member("account_count", Int64(result.accountCount))
        if let archive = salvaged.archive, let match = result.archive { write(match, of: archive, to: &json) }
        json.member("export_id", result.exportID)
        json.member("file", result.files[0].path.display)
        json.member("has_header", result.hasHeader)
        json.member("has_manifest", result.hasManifest)
        if let hasSeekTable = result.hasSeekTable { json.member("has_seek_table", hasSeekTable) }
        json.member("item_count", Int64(result.itemCount))
        if let missing = result.missing {
            json.key("missing")
            missing.write(to: &json)
        }
        if result.files.count > 1 { write(result.files.dropFirst(), to: &json) }
        json.member("output", salvaged.output.display)
        json.member("repeated_count", Int64(result.repeatedCount))
        json.member("result", verdict(result))
        json.member("salvage_hash", result.salvageHash)
        json.key("source")
        result.files[0].source.write(to: &json)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// The copies beside the first file.
    private static func write(_ copies: ArraySlice<SalvagedFile>, to json: inout Writer) {
        json.key("other_files")
        json.beginArray()
        for copy in copies {
            json.beginObject()
            json.member("account_count", Int64(copy.accountCount))
            json.member("export_id", copy.exportID)
            json.member("file", copy.path.display)
            json.member("has_header", copy.hasHeader)
            json.member("has_manifest", copy.hasManifest)
            json.member("item_count", Int64(copy.itemCount))
            json.key("source")
            copy.source.write(to: &json)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ match: ArchiveMatch, of archive: Path, to json: inout Writer) {
        json.key("archive")
        json.beginObject()
        write("absent", match.absent, to: &json)
        json.member("absent_count", Int64(match.absentCount))
        json.member("export_id", match.exportID)
        json.member("file", archive.display)
        json.member("private_copy", match.isPrivateCopy)
        write("unknown", match.unknown, to: &json)
        json.member("unknown_count", Int64(match.unknownCount))
        json.endObject()
    }

    private static func write(_ key: Key, _ items: [ArchiveMatch.Identity], to json: inout Writer) {
        json.key(key)
        json.beginArray()
        for item in items {
            json.beginObject()
            json.member("identity_hash", item.identityHash)
            json.member("payload_hash", item.payloadHash)
            json.member("sample_type", item.sampleType)
            json.endObject()
        }
        json.endArray()
    }
}
