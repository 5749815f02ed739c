import Archive
import CanonicalJSON
import Files
import Tool

/// `hp-export history`.
enum HistoryCommand {
    static let command = Tool.Command(
        "history", "write the entries of the history, to show that it was only extended",
        usage: ["ARCHIVE [--since N] [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes the entries of the archive's history, one a line. With them, and with two exports or heads "
                    + "of different times, hp-verify history shows without the archive whether the later history "
                    + "extends the earlier one."),
            .text(
                "An entry has counts of rows, times, ids, the version of the tool, and salted commitments: no values. "
                    + "It shows when captures were made and how many records each brought."),
        ],
        options: [
            Tool.Option("--since", .number("N", in: 0...(1 << 53 - 1)), "only entries after the entry N (default 0)"),
            Tool.Option("-o", .output(), "write to FILE, not to standard output"),
            Tool.Option("--force", "replace an existing file"), .wait, Tool.Option("--quiet", "no notes"),
        ], example: "archive.sqlite --since 12 -o entries.jsonl", access: { _ in .reading }
    ) { arguments, call in
        let since = Int64(try arguments.integer("--since") ?? 0)
        let isReplacing = arguments.has("--force")
        let output = try arguments.path("-o").flatMap { $0 == Path("-") ? nil : $0 }.map {
            try outputPath($0, replacing: isReplacing, apart: Archive.ownFiles(of: call.archive))
        }
        let archive = try call.open()
        var (lines, count): ([UInt8], Int64) = ([], 0)
        let head = try archive.historyEntries(after: since) { text in
            lines += text
            lines.append(UInt8(ascii: "\n"))
            count += 1
        }
        try archive.checkReading()
        if Signals.first != nil { throw CancellationError() }
        if let output {
            try PendingFile.write(lines, to: output, replacing: isReplacing)
        } else {
            try Call.print(lines)
        }
        call.note("\(count) \(count == 1 ? "entry" : "entries") up to this head of the history:")
        head.show(call)
        return .good
    }
}
