import Answer
import Archive
import Changes
import Files
import Measures
import Timestamps
import Tool

/// The names that the answer uses: of types, sources, observations and commands.
struct AnswerWords {
    let names: AnswerNames
    /// How the archive is named in commands.
    let archive: String

    /// The names beside the archive of a call.
    init(_ call: Call) throws {
        let labels = try Labels.read(Labels.defaultPath(of: call.archive))?.shown ?? [:]
        names = AnswerNames(labels: labels, stored: Self.shown)
        archive = Self.quoted(call.archive)
    }

    private static let shown: @Sendable (String) -> String = { printable($0.utf8, limit: 40) }
    private static let plain = AnswerNames(stored: shown)

    /// What people call a type, in the middle of a sentence, and at its beginning.
    static func type(_ identifier: String) -> String { plain.type(identifier) }
    static func title(_ identifier: String) -> String { plain.title(identifier) }

    /// What people call a source.
    func source(_ source: Answer.Source) -> String { names.source(source) }

    /// A command of this tool on the archive, as one word that no line ends in.
    func command(_ name: String, _ rest: String, options: String? = nil) -> String {
        func text(_ archive: String) -> String {
            let parts = ["hp-export", name, archive, options ?? "", rest].filter { !$0.isEmpty }
            return parts.joined(separator: " ")
        }
        let whole = text(archive)
        let shown = TextWidth.columns(whole) > AnswerLines.width - AnswerLines.indent ? text("ARCHIVE") : whole
        return shown.replacing(" ", with: "\u{0}")
    }

    /// A path as a shell reads it; `ARCHIVE` if it cannot be shown so.
    static func quoted(_ path: Path) -> String {
        guard let text = String(validating: path.bytes, as: UTF8.self), !text.hasPrefix("-"),
            printable(text.utf8, limit: 1000) == text
        else { return "ARCHIVE" }
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "._-/+=@:%,".utf8.contains(byte)
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

/// Lines of a text in two columns: a word, and sentences that are wrapped.
struct AnswerLines {
    /// Columns of a line, and of its first word.
    static let (width, indent) = (80, 11)

    private(set) var text = ""

    /// A line of its own.
    mutating func add(_ sentence: String) {
        for line in TextWidth.lines(sentence, width: Self.width) { text += line + "\n" }
    }

    /// A word, and what it stands for; later rows of a word have none.
    mutating func add(_ word: String, _ rows: [String]) {
        var word = word
        for row in rows {
            for line in TextWidth.lines(row, width: Self.width - Self.indent) {
                text += word + String(repeating: " ", count: Self.indent - word.count) + line + "\n"
                word = ""
            }
        }
    }

    /// The first of these that fits into a line, else the last.
    static func fitting(_ candidates: [String]) -> String {
        candidates.first { TextWidth.columns($0) <= width } ?? candidates[candidates.count - 1]
    }
}
