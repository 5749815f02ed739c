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
    /// The name of the archive in commands.
    let archive: String

    /// The names beside the archive of a call.
    init(_ call: Call) throws {
        let labels = try Labels.read(Labels.defaultPath(of: call.archive))?.shown ?? [:]
        names = AnswerNames(labels: labels, stored: Self.shown)
        archive = Self.quoted(call.archive)
    }

    private static let shown: @Sendable (String) -> String = { printable($0.utf8, limit: 40) }
    private static let plain = AnswerNames(stored: shown)

    /// Returns the plain name of a type, in the middle of a sentence; `title` returns it for the beginning.
    static func type(_ identifier: String) -> String { plain.type(identifier) }
    static func title(_ identifier: String) -> String { plain.title(identifier) }

    /// Returns the plain name of a source.
    func source(_ source: Answer.Source) -> String { names.source(source) }

    /// Returns a command of this tool on the archive, as one word; `AnswerLines` breaks it only where a shell reads on.
    func command(_ name: String, _ rest: String, options: String? = nil) -> String {
        ["hp-export \(name)", archive, options ?? "", rest].filter { !$0.isEmpty }
            .map { $0.replacing(" ", with: "\u{0}") }.joined(separator: AnswerLines.joint)
    }

    /// Counts rejected records, and names the command that lists them.
    func rejected(_ count: Int) -> String {
        let what = count == 1 ? "which cannot be stored as it is" : "which cannot be stored as they are"
        return "\(AnswerNumbers.records(count)), \(what): \(command("list", "rejected"))"
    }

    /// Returns a path as a shell reads it, and no command as an option; `ARCHIVE` if it cannot be shown so.
    static func quoted(_ path: Path) -> String {
        guard var text = String(validating: path.bytes, as: UTF8.self), printable(text.utf8, limit: 5000) == text
        else { return "ARCHIVE" }
        if text.hasPrefix("-") { text = "./" + text }
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
    /// Separates the parts of a command, between which a shell reads on in the next line after a `\\`.
    static let joint = "\u{1}"

    private(set) var text = ""

    /// Adds a sentence as a line of its own.
    mutating func add(_ sentence: String) {
        let (sentence, command) = Self.split(sentence, width: Self.width)
        for line in TextWidth.lines(sentence, width: Self.width) + command { text += line + "\n" }
    }

    /// Adds a word, and what it stands for; later rows of a word have none.
    mutating func add(_ word: String, _ rows: [String]) {
        var word = word
        for row in rows {
            let (row, command) = Self.split(row, width: Self.width - Self.indent)
            for line in TextWidth.lines(row, width: Self.width - Self.indent) {
                text += word + String(repeating: " ", count: Self.indent - word.count) + line + "\n"
                word = ""
            }
            for line in command { text += line + "\n" }
        }
    }

    /// Returns a sentence as one line.
    static func plain(_ sentence: String) -> String {
        sentence.replacing(joint, with: " ").replacing("\u{0}", with: " ")
    }

    /// Returns a sentence without the command at its end, and the lines of the command, if it is wider than a line. A
    /// shell reads the lines as one. Only a path can be wider than a line then.
    private static func split(_ sentence: String, width: Int) -> (sentence: String, command: [String]) {
        guard let word = sentence.split(separator: " ").last, word.contains(joint), TextWidth.columns(word) > width
        else {
            return (sentence.replacing(joint, with: "\u{0}"), [])
        }
        var lines = [""]
        for part in word.split(separator: joint).map({ plain(String($0)) }) {
            let last = lines[lines.count - 1]
            if TextWidth.columns(last) + TextWidth.columns(part) + 3 > Self.width, !last.isEmpty {
                lines[lines.count - 1] += " \\"
                lines.append("  " + part)
            } else {
                lines[lines.count - 1] += last.isEmpty ? part : " " + part
            }
        }
        return (String(sentence.dropLast(word.count)), lines)
    }

    /// Returns the first of these that fits into a line, else the last.
    static func fitting(_ candidates: [String]) -> String {
        candidates.first { TextWidth.columns($0) <= width } ?? candidates[candidates.count - 1]
    }
}
