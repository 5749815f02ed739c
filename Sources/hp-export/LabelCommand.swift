import Archive
import CanonicalJSON
import Capture
import Files
import Tool

/// `hp-export label`.
enum LabelCommand {
    static let command = Tool.Command(
        "label", "say what tables for people call a source or a device",
        usage: ["ARCHIVE HASH NAME", "ARCHIVE HASH --remove", "ARCHIVE --list [--json]"],
        about: [
            .text(
                "Says what tables for people call a source or a device. An archive holds no names of them, only "
                    + "hashes; the labels are in ARCHIVE.labels beside it, and in no other file of these tools."),
            .text(
                "HASH is that of a source or a device of the archive (hp-export list ARCHIVE sources), or its first "
                    + "digits, at least 8, where no other begins with them."),
        ], operands: [Tool.Operand(.archive), Tool.Operand(.word([]), isRepeatable: true, isOptional: true)],
        options: [
            Tool.Option("--remove", "forget the label of HASH"), Tool.Option("--list", "list all labels"),
            ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done, or the list, as one JSON object"),
        ], example: "archive.sqlite 5d0f3a1c \"My watch\"", exitStatus: ExitStatus.ofExports,
        onlyReads: { $0.has("--list") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        var voice = voice
        voice.isQuiet = arguments.has("--quiet")
        let (isList, isRemoval) = (arguments.has("--list"), arguments.has("--remove"))
        let count = isList ? 1 : isRemoval ? 2 : 3
        guard arguments.operands.count == count, !isList || !isRemoval else {
            throw UsageError("name an archive, a hash and a name; with --remove no name, with --list the archive alone")
        }
        let path = arguments.operands[0]
        let seconds = Double(try arguments.integer("--wait") ?? 60)
        let speaker = voice
        let wait = LockWait(
            seconds: seconds, shouldStop: { Signals.first != nil },
            onWait: { speaker.note("\(path.display): locked by another process, waiting") })
        if isList {
            let labels = try Labels.read(Labels.defaultPath(of: path)) ?? Labels()
            try show(labels, asJSON: arguments.has("--json"))
            return .good
        }
        var name: String?
        if !isRemoval {
            guard let text = String(validating: arguments.operands[2].bytes, as: UTF8.self), Labels.isName(text) else {
                throw UsageError("a name is UTF-8 text of 1 to \(Labels.nameLimit) bytes")
            }
            name = text
        }
        guard let digits = String(validating: arguments.operands[1].bytes, as: UTF8.self) else {
            throw UsageError("a hash is hexadecimal digits")
        }
        let report = try change(path, digits, name, wait)
        let file = Labels.defaultPath(of: path)
        voice.note("\(file.display): the label of \(report.hash.prefix(8)) is \(name == nil ? "removed" : "set")")
        if arguments.has("--json") { try write(report, file) }
        return .good
    }

    private struct Report {
        let hash: String
        let count: Int
    }

    /// Sets a label, or removes it where there is no name.
    private static func change(_ path: Path, _ digits: String, _ name: String?, _ wait: LockWait) throws -> Report {
        // Two that write at once would lose what one of them wrote; a capture writes labels too.
        let lock = try CaptureLock.take(for: path, wait)
        defer { keep(lock) }
        let file = Labels.defaultPath(of: path)
        var labels = try Labels.read(file) ?? Labels()
        let archive = try Archive.open(path, for: .reading, wait: wait)
        var known = try archive.hashesOfNames()
        try archive.checkReading()
        if name == nil { known += labels.names.keys }
        let hash = try hash(digits, among: Set(known))
        if let name {
            try labels.set(hash, name)
        } else {
            guard labels.forget(hash) else {
                throw UsageError("\(file.display): the hash \(hash.prefix(8)) has no label")
            }
        }
        try labels.write(file)
        return Report(hash: hash, count: labels.names.count)
    }

    /// The one that the digits begin.
    private static func hash(_ digits: String, among known: Set<String>) throws(UsageError) -> String {
        switch HashPrefix.find(digits, among: known) {
        case .one(let hash): return hash
        case .malformed:
            throw UsageError("\(printable(digits.utf8)): not a hash of 8 to 64 lower-case hex digits")
        case .several(let count):
            throw UsageError("\(printable(digits.utf8)): \(count) sources or devices have a hash that begins so")
        case .none(let nearest):
            throw UsageError(
                "\(printable(digits.utf8)): the archive has no source and no device of this hash"
                    + (nearest.map { "; the nearest is \($0.prefix(max(8, digits.utf8.count)))" } ?? ""))
        }
    }

    /// Holds a lock up to here.
    private static func keep(_ lock: borrowing CaptureLock) {}

    // MARK: What is said

    private static func show(_ labels: Labels, asJSON: Bool) throws {
        let sorted = labels.names.sorted { $0.key < $1.key }
        var output = try StandardOutput()
        if asJSON {
            var json = Writer()
            json.beginObject()
            json.key("labels")
            json.beginArray()
            for (hash, name) in sorted {
                json.beginObject()
                json.member("hash", hash)
                json.member("label", name)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            json.append(UInt8(ascii: "\n"))
            try output.write(json.bytes)
        } else {
            var table = TextTable([("hash", false), ("label", false)])
            for (hash, name) in sorted { table.add([String(hash.prefix(16)), printable(name.utf8, limit: 80)]) }
            try output.write(Array(table.text.utf8))
        }
        try output.flush()
    }

    private static func write(_ report: Report, _ file: Path) throws {
        var json = Writer()
        json.beginObject()
        json.member("file", file.display)
        json.member("hash", report.hash)
        json.member("label_count", report.count)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        var output = try StandardOutput()
        try output.write(json.bytes)
        try output.flush()
    }
}
