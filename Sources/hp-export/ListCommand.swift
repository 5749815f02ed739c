import Archive
import CanonicalJSON
import Files
import ReportCache
import Timestamps
import Tool

/// `hp-export list`.
enum ListCommand {
    static let command = Tool.Command(
        "list", "list the archive's observations, sample types, changes, exports or context log",
        usage: ["ARCHIVE \(kinds.joined(separator: "|")) [OPTIONS]"],
        about: [
            .text(
                "Lists an archive's observations, its sample types, how many records appeared, changed or were no "
                    + "longer visible at each observation, records that could not be stored, records that are "
                    + "missing and could be one of those, its recorded exports, or the log of what happened to it.")
        ], operands: [Tool.Operand(.archive), Tool.Operand(.word(kinds))],
        options: [
            ExportArguments.wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print one JSON object instead of a table"),
        ], example: "archive.sqlite observations", exitStatus: ExitStatus.ofExports, onlyReads: { _ in true }, run: run)

    private static let kinds = Listing.Kind.allCases.map(\.rawValue)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        guard arguments.operands.count == 2 else {
            throw UsageError("name an archive, and one of \(kinds.joined(separator: ", "))")
        }
        let name = String(decoding: arguments.operands[1].bytes, as: UTF8.self)
        guard let kind = Listing.Kind(rawValue: name) else {
            let others = kinds.dropLast().joined(separator: ", ")
            throw UsageError(
                "there is no list of \(arguments.operands[1].display): \(others) or \(kinds[kinds.count - 1])",
                hint: NearestName.hint(for: arguments.operands[1].bytes, among: kinds))
        }
        let archive = try Archive.open(
            arguments.operands[0], for: .reading,
            wait: LockWait(
                seconds: Double(try arguments.integer("--wait") ?? 60),
                shouldStop: { Signals.first != nil }))
        var rows = try archive.listing(kind)
        if rows.columns.contains(where: { $0.name == "label" }),
            let labels = try Labels.read(Labels.defaultPath(of: arguments.operands[0]))
        {
            rows = Archive.labelled(rows, labels)
        }
        let head = kind == .observations ? try archive.historyHead() : nil
        var isCached: Bool?
        if kind == .observations {
            let counts = try ReportCache.counts(of: archive)
            isCached = counts.isCached
            rows.add(countNames) { id in
                counts.byObservation[id].map {
                    [$0.visible, $0.appeared, $0.disappeared, $0.representationChanged]
                }
            }
        }
        try archive.checkReading()
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? json(rows, head, isCached: isCached) : table(rows, head))
        try output.flush()
        return .good
    }

    private static let countNames = [
        "visible_record_count", "appeared_count", "disappeared_count", "representation_changed_count",
    ]

    private static func json(_ listing: Listing, _ head: HistoryHead?, isCached: Bool?) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        if let isCached { json.member("counts_from", isCached ? "cache" : "archive") }
        if let head { HeadText.write(head, to: &json) }
        json.key(Key(listing.kind.rawValue))
        json.beginArray()
        for row in listing.rows {
            json.beginObject()
            for (column, value) in zip(listing.columns, row).sorted(by: { $0.0.name < $1.0.name }) {
                switch value {
                case .absent: continue
                case .integer(let number) where number.magnitude <= 1 << 53 - 1:
                    json.key(Key(column.name))
                    json.integer(number)
                case .integer(let number):
                    json.key(Key(column.name))
                    json.string(String(number))
                case .moment(let seconds):
                    guard let text = try? TimestampText(seconds) else { continue }
                    json.key(Key(column.name))
                    json.string(text.string)
                case .text(let text):
                    json.key(Key(column.name))
                    json.string(text)
                }
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// An aligned table of the columns that fit a terminal, and the head of the history.
    private static func table(_ listing: Listing, _ head: HistoryHead?) -> [UInt8] {
        let shown = listing.columns.indices.filter { listing.columns[$0].isInTable }
        // Of a hash a table shows what names it among all.
        let hashes = Set(
            listing.columns.indices.filter {
                ["source_name_hash", "device_hash"].contains(listing.columns[$0].name)
            })
        var table = TextTable(shown.map { (listing.columns[$0].name, listing.columns[$0].isNumber) })
        for row in listing.rows { table.add(shown.map { hashes.contains($0) ? shortHash(row[$0]) : text(row[$0]) }) }
        return Array((table.text + (head.map { "\n\($0.text)" } ?? "")).utf8)
    }

    private static func shortHash(_ value: Listing.Value) -> String {
        guard case .text(let hash) = value, Labels.isHash(hash) else { return text(value) }
        return String(hash.prefix(16))
    }

    private static func text(_ value: Listing.Value) -> String {
        switch value {
        case .absent: "-"
        case .integer(let number): String(number)
        case .moment(let seconds): (try? TimestampText(seconds))?.string ?? "-"
        case .text(let text): printable(text.utf8, limit: 80)
        }
    }
}
