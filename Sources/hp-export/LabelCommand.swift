import Archive
import CanonicalJSON
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
        ], operands: [.archive, Tool.Operand(.word([]), isRepeatable: true, isOptional: true)], wanted: wanted,
        options: [
            Tool.Option("--remove", "forget the label of HASH"), Tool.Option("--list", "list all labels"),
            .wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print what was done, or the list, as one JSON object"),
        ], example: "archive.sqlite 5d0f3a1c \"My watch\"",
        // Two that write at once would lose what one of them wrote; a capture writes labels too.
        access: { $0.has("--list") ? .reading : .beside.locked }, run: run)

    private static let wanted =
        "name an archive, a hash and a name; with --remove no name, with --list the archive alone"

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (isList, isRemoval) = (arguments.has("--list"), arguments.has("--remove"))
        let count = isList ? 1 : isRemoval ? 2 : 3
        guard arguments.operands.count == count, !isList || !isRemoval else { throw UsageError(wanted) }
        let file = Labels.defaultPath(of: call.archive)
        if isList { return try list(try Labels.read(file) ?? Labels(), call) }
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
        try call.takeLock()
        var labels = try Labels.read(file) ?? Labels()
        let archive = try call.open()
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
        call.note("\(file.display): the label of \(hash.prefix(8)) is \(name == nil ? "removed" : "set")")
        return try call.show(json: ["file": file.display, "hash": hash, "label_count": labels.names.count])
    }

    /// Returns the hash that the digits begin.
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

    private static func list(_ labels: Labels, _ call: Call) throws -> ExitStatus {
        let sorted = labels.names.sorted { $0.key < $1.key }
        var table = TextTable([("hash", false), ("label", false)])
        for (hash, name) in sorted { table.add([String(hash.prefix(16)), printable(name.utf8, limit: 80)]) }
        return try call.show(
            table.text, json: ["labels": sorted.map { ["hash": $0.key, "label": $0.value] as JSONObject }])
    }
}
