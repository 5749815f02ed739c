/// The bytes of a page, and the one way in which text gets into it.
struct HTML {
    private(set) var bytes: [UInt8] = []

    /// Appends markup of our own.
    mutating func markup(_ text: String) { bytes += Array(text.utf8) }

    /// Appends text, as the text of an element.
    ///
    /// No attribute and no script holds a stored text, so that this is the only escaper. Control characters, which
    /// HTML cannot hold, are shown as U+FFFD.
    mutating func text(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case 0..<0x20, 0x7F: bytes += [0xEF, 0xBF, 0xBD]
            default: bytes.append(byte)
            }
        }
    }

    /// Appends the beginning of a document, up to where its content begins.
    mutating func begin(_ title: String) {
        markup("<!DOCTYPE html>\n<html lang=\"\(PageText.language)\">\n<head>\n<meta charset=\"utf-8\">\n")
        markup("<meta http-equiv=\"Content-Security-Policy\" content=\"\(PageStyle.policy)\">\n")
        markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        element("title", title)
        markup("<style>\(PageStyle.sheet)</style>\n</head>\n<body>\n<main>\n")
    }

    /// Appends the heading of a section, with the anchor that the list of contents has.
    mutating func heading(_ section: PageSection) {
        markup("<h2 id=\"\(section.rawValue)\">")
        text(PageText.heading(section))
        markup("</h2>\n")
    }

    /// Appends the list of contents.
    mutating func contents() {
        markup("<nav aria-label=\"")
        text(PageText.contents)
        markup("\"><ul>\n")
        for section in PageSection.allCases {
            markup("<li><a href=\"#\(section.rawValue)\">")
            text(PageText.heading(section))
            markup("</a></li>\n")
        }
        markup("</ul></nav>\n")
    }

    /// Appends the summary of a part that can be folded; `endFold` ends it.
    ///
    /// - Parameter subject: a text that the summary begins with.
    mutating func beginFold(isOpen: Bool, of subject: Cell? = nil, _ words: String) {
        markup(isOpen ? "<details open><summary>" : "<details><summary>")
        if let subject {
            contents(of: subject)
            text(": ")
        }
        text(words)
        markup("</summary>\n")
    }

    mutating func endFold() { markup("</details>\n") }

    /// Appends a command as it is typed.
    mutating func command(_ text: String) {
        markup("<p><code>")
        self.text(text)
        markup("</code></p>\n")
    }

    /// Appends an element with a text.
    mutating func element(_ name: String, _ text: String) {
        markup("<\(name)>")
        self.text(text)
        markup("</\(name)>\n")
    }

    /// The longest stored text that is shown whole, in Unicode scalars.
    private static let shown = 200

    /// Appends a stored text, whose direction does not reach beyond it. A long one is cut, with its length.
    mutating func stored(_ text: String) {
        markup("<bdi>")
        let scalars = text.unicodeScalars
        if scalars.count > Self.shown {
            self.text(String(String.UnicodeScalarView(scalars.prefix(Self.shown))))
            markup("</bdi>")
            self.text(PageText.cut(scalars.count))
        } else {
            self.text(text)
            markup("</bdi>")
        }
    }
}

/// A cell of a table.
enum Cell {
    /// A text of our own.
    case words(String)
    /// A name of our own, and the stored text that it is a name of.
    case named(String, String)
    /// A stored text.
    case stored(String)
    /// A number, right-aligned.
    case number(String)
    /// A link to a page beside this one, whose name has digits, a dash and `.html` alone.
    case page(String, String)
    /// Counts with signs; the kind repeats them as a colour.
    case counts(String, Kind)

    /// Whether there are more or fewer records than before.
    enum Kind: String { case fewer, more, again, condensed, other, none }

    /// Whether it is right-aligned.
    var isNumber: Bool {
        switch self {
        case .number, .counts: true
        case .words, .named, .stored, .page: false
        }
    }
}

extension HTML {
    /// Appends a table: its caption, the heads of its columns, and rows whose first cell is their head.
    ///
    /// - Parameter subject: a text that the caption begins with.
    mutating func table(_ caption: String, of subject: Cell? = nil, _ heads: [String], _ rows: [[Cell]]) {
        // What is wider than a small screen scrolls by itself, by keyboard too.
        markup("<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"")
        text(caption)
        markup("\">\n<table>\n<caption>")
        if let subject {
            contents(of: subject)
            text(", ")
        }
        text(caption)
        markup("</caption>\n<thead><tr>")
        for (index, head) in heads.enumerated() {
            let isOfNumbers = rows.first.map { index < $0.count && $0[index].isNumber } ?? false
            markup(isOfNumbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">")
            text(head)
            markup("</th>")
        }
        markup("</tr></thead>\n<tbody>\n")
        for row in rows {
            markup("<tr>")
            for (index, cell) in row.enumerated() { self.cell(cell, isHead: index == 0) }
            markup("</tr>\n")
        }
        markup("</tbody>\n</table>\n</div>\n")
    }

    private mutating func cell(_ cell: Cell, isHead: Bool) {
        let name = isHead ? "th" : "td"
        let scope = isHead ? " scope=\"row\"" : ""
        switch cell {
        case .counts(_, .none), .number: markup("<\(name)\(scope) class=\"n\">")
        case .counts(_, let kind): markup("<\(name)\(scope) class=\"n \(kind.rawValue)\">")
        case .words, .named, .stored, .page: markup("<\(name)\(scope)>")
        }
        contents(of: cell)
        markup("</\(name)>")
    }

    /// Appends what a cell says.
    mutating func contents(of cell: Cell) {
        switch cell {
        case .words(let words), .number(let words), .counts(let words, _): text(words)
        case .stored(let stored): self.stored(stored)
        case .named(let name, let stored):
            text(name + " ")
            markup("<span class=\"id\">")
            self.stored(stored)
            markup("</span>")
        case .page(let file, let words):
            markup("<a href=\"\(file)\">")
            text(words)
            markup("</a>")
        }
    }
}
