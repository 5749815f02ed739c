import Archive
import CanonicalJSON
import Files
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
        ],
        operands: [
            .archive,
            Tool.Operand(
                .word(kinds),
                unknown: {
                    "there is no list of \($0): \(kinds.dropLast().joined(separator: ", ")) or \(kinds.last!)"
                }),
        ], wanted: "name an archive, and one of \(kinds.joined(separator: ", "))",
        options: [
            .wait, Tool.Option("--quiet", "no notes"),
            Tool.Option("--json", "print one JSON object instead of a table"),
        ], example: "archive.sqlite observations", access: { _ in .reading }, run: run)

    private static let kinds = Listing.Kind.allCases.map(\.rawValue)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        guard let kind = Listing.Kind(rawValue: arguments.operands[1].display) else { throw UsageError("no such list") }
        let archive = try call.open(isSilent: true)
        var rows = try archive.listing(kind)
        if rows.columns.contains(where: { $0.name == "label" }),
            let labels = try Labels.read(Labels.defaultPath(of: call.archive))
        {
            rows = Archive.labelled(rows, labels)
        }
        let head = kind == .observations ? try archive.historyHead() : nil
        if kind == .observations {
            let totals = try archive.observationTotals()
            rows.add(countNames) { id in
                totals[id].map { [$0.visible, $0.appeared, $0.disappeared, $0.representationChanged, $0.unknownTypes] }
            }
        }
        try archive.checkReading()
        return try call.show(
            table(rows, head),
            json: [
                "head": head,
                kind.rawValue: rows.rows.lazy.map { row in
                    JSONObject(
                        zip(rows.columns, row).compactMap { column, value in json(value).map { (column.name, $0) } })
                },
            ])
    }

    private static let countNames = [
        "visible_record_count", "appeared_count", "disappeared_count", "representation_changed_count",
        "unknown_type_count",
    ]

    private static func json(_ value: Listing.Value) -> (any JSONValue)? {
        switch value {
        case .absent: nil
        case .integer(let number): number.magnitude <= 1 << 53 - 1 ? number : String(number)
        case .moment(let seconds): (try? TimestampText(seconds))?.string
        case .text(let text): text
        }
    }

    /// Returns an aligned table of the columns that fit a terminal, and the head of the history.
    private static func table(_ listing: Listing, _ head: HistoryHead?) -> String {
        let shown = listing.columns.indices.filter { listing.columns[$0].isInTable }
        // Of a hash a table shows what names it among all.
        let hashes = Set(
            listing.columns.indices.filter {
                ["source_name_hash", "device_hash"].contains(listing.columns[$0].name)
            })
        var table = TextTable(shown.map { (listing.columns[$0].name, listing.columns[$0].isNumber) })
        for row in listing.rows { table.add(shown.map { hashes.contains($0) ? shortHash(row[$0]) : text(row[$0]) }) }
        return table.text + (head.map { "\n\($0.text)" } ?? "")
    }

    private static func shortHash(_ value: Listing.Value) -> String {
        guard case .text(let hash) = value, Labels.isHash(hash) else { return text(value) }
        return String(hash.prefix(16))
    }

    private static func text(_ value: Listing.Value) -> String {
        switch value {
        case .absent: "-"
        case .integer(let number): String(number)
        case .moment(let seconds): TimestampText.shown(seconds)
        case .text(let text): printable(text.utf8, limit: 80)
        }
    }
}
