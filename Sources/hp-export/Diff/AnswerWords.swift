import Answer
import Archive
import Changes
import Files
import Measures
import Timestamps
import Tool

/// The names that the answer uses: of types, sources, observations and commands.
struct AnswerWords {
    let labels: [String: String]
    /// How the archive is named in commands.
    let archive: String

    /// The names beside the archive of a call.
    init(_ call: Call) throws {
        labels = try Labels.read(Labels.defaultPath(of: call.archive))?.shown ?? [:]
        archive = Self.quoted(call.archive)
    }

    /// What people call a type, in the middle of a sentence.
    static func type(_ identifier: String) -> String {
        guard !identifier.isEmpty else { return "types without a name" }
        guard let name = SampleTypeNames.name(of: identifier) else {
            return printable((SampleTypeNames.shortName(of: identifier) ?? identifier).utf8, limit: 40)
        }
        // An abbreviation, such as "VO2 max", stays.
        let first = name.prefix { $0 != " " }
        let isWord = first.dropFirst().allSatisfy { $0.isLowercase || $0 == "-" }
        return isWord && first.count > 1 ? first.lowercased() + name.dropFirst(first.count) : name
    }

    /// What people call a type, at the beginning of a sentence. An identifier stays as it is.
    static func title(_ identifier: String) -> String {
        SampleTypeNames.name(of: identifier) ?? type(identifier)
    }

    /// The first letter as a capital.
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// What people call a source: its label, else its bundle identifier, else the beginning of the hash of its name.
    func source(_ source: Answer.Source) -> String {
        let hash = source.nameHash.map { String(decoding: $0, as: UTF8.self) }
        if let hash, let label = labels[hash] { return label }
        if let bundle = source.bundle { return printable(bundle, limit: 60) }
        return hash.map { "source \(printable($0.utf8.prefix(12)))" } ?? "a source without a name"
    }

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

    /// What a measure is called.
    static func measure(_ measure: String) -> String {
        switch measure {
        case "cumulative": "total"
        case "discrete": "mean"
        case "category", "workout": "duration"
        default: "number"
        }
    }

    /// What became of records that were replaced.
    static func outcome(_ pair: String, _ outcome: String?, _ measure: String) -> String {
        let measure = Self.measure(measure)
        switch (pair, outcome) {
        case ("ambiguous", _): return "which of them replaced which is not clear"
        case (_, "changed"): return "same time, another \(measure)"
        case (_, "days_changed"): return "same \(measure) over all, other \(measure)s of single days"
        case (_, "source_changed"): return "the same from another source"
        case (_, "not_provable"): return "same source and time; that the value is theirs cannot be proved"
        case ("re_identified", _): return "the same time and value under another identity"
        case ("condensed_into", _): return "same source, time and \(measure); the single values are gone"
        default: return "same source, time and \(measure)"
        }
    }

    /// What became of records that changed.
    static func change(_ label: String) -> String {
        switch label {
        case "aggregateChanged": "with other values or dates"
        case "consolidationLikely", "representationChanged": "with the same values and dates, in another form"
        default: "in another version"
        }
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
