/// The bytes of a page, and the one way in which text gets into it.
struct HTML {
    private(set) var bytes: [UInt8] = []

    /// Appends markup of our own.
    mutating func markup(_ text: String) { bytes += Array(text.utf8) }

    /// Appends bytes of HTML.
    mutating func append(_ html: [UInt8]) { bytes += html }

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
    ///
    /// - Parameter rest: what a section says that has nothing else.
    mutating func heading(_ section: PageSection, _ rest: String = "") {
        markup("<h2 id=\"\(section.rawValue)\"\(rest.isEmpty ? "" : " class=\"none\"")>")
        text(PageText.heading(section) + rest)
        markup("</h2>\n")
    }

    /// Appends the list of contents.
    mutating func contents() {
        markup("<nav aria-label=\"")
        text(PageText.contents)
        markup("\"><ul>\n")
        for section in PageSection.ofEvidence {
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

    /// Begins a section that is folded; `endFold` ends it.
    mutating func beginFold(_ section: PageSection) {
        markup("<details class=\"part\"><summary><h2 id=\"\(section.rawValue)\">")
        text(PageText.heading(section))
        markup("</h2></summary>\n")
    }

    mutating func endFold() { markup("</details>\n") }

    /// Begins a box: what it is about, and of when. `endCard` ends it.
    mutating func beginCard(_ subject: String, _ dates: String?) {
        markup("<div class=\"card\">\n<div class=\"fact\">\n")
        sentence("h3", subject)
        if let dates { sentence("p", dates) }
        markup("</div>\n")
    }

    mutating func endCard() { markup("</div>\n") }

    /// The characters between which stored texts in a sentence are put.
    static let isolates: [Unicode.Scalar] = ["\u{2068}", "\u{2069}"]

    /// Appends an element with a sentence.
    mutating func sentence(_ name: String, _ text: String) {
        markup("<\(name)>")
        sentence(text)
        markup("</\(name)>\n")
    }

    /// Appends a sentence of our own. Stored texts in it stand between two signs, and get an element of their own; a
    /// comma within a number is a thin space.
    mutating func sentence(_ sentence: String) {
        var rest = sentence.unicodeScalars[...]
        while let begin = rest.firstIndex(of: Self.isolates[0]) {
            text(Self.thin(rest[..<begin]))
            let end = rest[begin...].firstIndex(of: Self.isolates[1]) ?? rest.endIndex
            stored(String(rest[rest.index(after: begin)..<end]))
            rest = rest[end...].dropFirst()
        }
        text(Self.thin(rest))
    }

    private static func thin(_ text: String.UnicodeScalarView.SubSequence) -> String {
        let scalars = Array(text)
        func isDigit(_ place: Int) -> Bool {
            scalars.indices.contains(place) && ("0"..."9").contains(scalars[place])
        }
        var found = String.UnicodeScalarView()
        for place in scalars.indices {
            let isWithin = scalars[place] == "," && isDigit(place - 1) && isDigit(place + 1)
            found.append(isWithin ? "\u{202F}" : scalars[place])
        }
        return String(found)
    }

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
    /// Texts of our own, a line each.
    case lines([String])

    /// The kind of difference in the number of records.
    enum Kind: String { case fewer, more, again, condensed, other, none }

    /// `true` if it says that there is nothing.
    var isNothing: Bool {
        switch self {
        case .words(let words), .number(let words): words == PageText.none
        case .named, .stored, .page, .counts, .lines: false
        }
    }

    /// `true` if it is right-aligned.
    var isNumber: Bool {
        switch self {
        case .number, .counts: true
        case .words, .named, .stored, .page, .lines: false
        }
    }
}

extension HTML {
    /// Appends a table: its caption, the heads of its columns, and rows whose first cell is their head.
    ///
    /// A column after the first one in which no row has anything is left out.
    ///
    /// - Parameter subject: a text that the caption begins with.
    mutating func table(_ caption: String, of subject: Cell? = nil, _ heads: [String], _ rows: [[Cell]]) {
        let kept = heads.indices.filter { column in column == 0 || rows.contains { !$0[column].isNothing } }
        let heads = kept.map { heads[$0] }, rows = rows.map { row in kept.map { row[$0] } }
        beginTable(caption, subject, heads, numbers: rows.first?.map(\.isNumber) ?? [])
        markup("<tbody>\n")
        for row in rows {
            markup("<tr>")
            for (index, cell) in row.enumerated() { self.cell(cell, isHead: index == 0) }
            markup("</tr>\n")
        }
        markup("</tbody>\n</table>\n</div>\n")
    }

    /// Appends a table of weeks, each of them a row of its own under its name.
    mutating func weeks(_ caption: String, of subject: Cell, _ heads: [String], _ weeks: [(name: String, [Cell])]) {
        beginTable(caption, subject, heads, numbers: heads.map { _ in true }, isOfWeeks: true)
        for (name, cells) in weeks {
            markup("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"\(heads.count)\">")
            text(name)
            markup("</th></tr>\n<tr>")
            for cell in cells { self.cell(cell, isHead: false) }
            markup("</tr>\n</tbody>\n")
        }
        markup("</table>\n</div>\n")
    }

    private mutating func beginTable(
        _ caption: String, _ subject: Cell?, _ heads: [String], numbers: [Bool], isOfWeeks: Bool = false
    ) {
        // What is wider than a small screen scrolls by itself, by keyboard too.
        markup("<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"")
        text(caption)
        markup(isOfWeeks ? "\">\n<table class=\"weeks\">\n<caption>" : "\">\n<table>\n<caption>")
        if let subject {
            contents(of: subject)
            text(", ")
        }
        text(caption)
        markup("</caption>\n<thead><tr>")
        for (index, head) in heads.enumerated() {
            let isOfNumbers = index < numbers.count && numbers[index]
            markup(isOfNumbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">")
            text(head)
            markup("</th>")
        }
        markup("</tr></thead>\n")
    }

    private mutating func cell(_ cell: Cell, isHead: Bool) {
        let name = isHead ? "th" : "td"
        let scope = isHead ? " scope=\"row\"" : ""
        switch cell {
        case .counts(_, .none), .number: markup("<\(name)\(scope) class=\"n\">")
        case .counts(_, let kind): markup("<\(name)\(scope) class=\"n \(kind.rawValue)\">")
        case .words, .named, .stored, .page, .lines: markup("<\(name)\(scope)>")
        }
        contents(of: cell)
        markup("</\(name)>")
    }

    /// Appends what a cell says.
    mutating func contents(of cell: Cell) {
        switch cell {
        case .words(let words), .number(let words), .counts(let words, _): text(words)
        case .lines(let lines):
            for line in lines {
                markup("<div>")
                text(line)
                markup("</div>")
            }
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

/// Charts. A table has the numbers of each; what is drawn is a function of them in whole units.
extension HTML {
    /// Appends bars from zero, of which a table behind them has the numbers. Numbers are drawn in the order given; the
    /// greatest fills the height.
    mutating func bars(_ label: String, _ counts: [Int]) {
        let greatest = max(1, counts.max() ?? 1)
        markup("<figure>\n")
        element("figcaption", label)
        let (width, height) = (20, 100)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(counts.count * width) \(height)\" width=\"\(counts.count * width)\" ")
        markup("height=\"\(height)\">\n")
        for (place, count) in counts.enumerated() {
            // A bar is whole units high, rounded down but for a number that would leave none.
            let (quotient, _) = greatest.dividingFullWidth(count.multipliedFullWidth(by: height))
            let size = count == 0 ? 0 : max(1, quotient)
            markup("<rect class=\"bar\" x=\"\(place * width + 2)\" y=\"\(height - size)\" ")
            markup("width=\"\(width - 4)\" height=\"\(size)\"></rect>\n")
        }
        markup("</svg>\n</figure>\n")
    }

    /// Appends two bars for each month over each other, from zero: an outline for before, a narrower filled one for
    /// after. A month that is not given is a gap.
    mutating func strip(_ label: String, _ scale: String, _ months: [(number: Int, before: Double?, after: Double?)]) {
        guard let first = months.first?.number, let last = months.last?.number else { return }
        let values = months.flatMap { [$0.before, $0.after] }.compactMap { $0 }
        let (lowest, highest) = (min(0, values.min() ?? 0), max(0, values.max() ?? 0))
        guard highest > lowest else { return }
        let (step, height) = (28, 120.0)
        /// Returns the distance of a value from the top, in whole units.
        func place(_ value: Double) -> Int { Int(((highest - value) / (highest - lowest) * height).rounded()) }
        let width = (last - first + 1) * step
        markup("<figure>\n")
        element("figcaption", scale)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(width) 122\" width=\"\(width)\" height=\"122\">\n")
        for month in months {
            let x = (month.number - first) * step
            for (value, name, edge) in [(month.before, "was", 2), (month.after, "bar", 8)] {
                guard let value else { continue }
                let (top, bottom) = (min(place(value), place(0)), max(place(value), place(0)))
                markup("<rect class=\"\(name)\" x=\"\(x + edge)\" y=\"\(top + 1)\" ")
                markup("width=\"\(step - 2 * edge)\" height=\"\(max(1, bottom - top))\"></rect>\n")
            }
        }
        markup("</svg>\n</figure>\n")
    }
}

extension HTML {
    /// A day or a month as it is drawn.
    struct ChartBar {
        /// `whole` if the later observation has all of it.
        enum State { case whole, partial, unknown }

        /// A value, and of a mean the least and the greatest one.
        struct Side {
            let value: Double
            let range: ClosedRange<Double>?
        }

        /// `nil` without a value.
        let before, after: Side?
        /// `true` if there is a record after.
        let hasRecords: Bool
        let state: State

        /// Returns the values that a chart of bars reaches from and to: 0, and all that is drawn; `nil` if that is all.
        static func scale(_ bars: [ChartBar]) -> ClosedRange<Double>? {
            var values = [0.0]
            for side in bars.flatMap({ [$0.before, $0.after] }).compactMap({ $0 }) {
                values += [side.value] + (side.range.map { [$0.lowerBound, $0.upperBound] } ?? [])
            }
            guard let low = values.min(), let high = values.max(), low < high, (high - low).isFinite else { return nil }
            return low...high
        }
    }

    /// Appends a chart: before as outlines, after as filled bars, from zero; means as dots on lines from least to most,
    /// the two sides beside each other; a sign under each bar, and the first and the last day.
    mutating func chart(
        _ label: String, _ bars: [ChartBar], step: Int, _ scale: ClosedRange<Double>, _ edges: (String, String)
    ) {
        let height = 72.0
        /// Returns the distance of a value from the top, in whole units.
        func place(_ value: Double) -> Int {
            Int(((scale.upperBound - value) / (scale.upperBound - scale.lowerBound) * height).rounded()) + 4
        }
        let (width, zero, bottom) = (bars.count * step, place(0), Int(height) + 4)
        markup("<div class=\"chart\">\n")
        sentence("p", label)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(width) 106\" width=\"\(width)\" height=\"106\">\n")
        for (number, bar) in bars.enumerated() {
            let x = number * step
            for (side, name, isBefore) in [(bar.before, "was", true), (bar.after, "now", false)] {
                guard let side else { continue }
                if let range = side.range {
                    let middle = x + (isBefore ? step / 4 : step - step / 4)
                    let ends = "\(place(range.upperBound))V\(place(range.lowerBound))"
                    markup("<path class=\"range\" d=\"M\(middle) \(ends)\"></path>")
                    markup("<circle class=\"\(name)\" cx=\"\(middle)\" cy=\"\(place(side.value))\" r=\"2\"></circle>\n")
                } else if side.value != 0 {
                    let (left, right) = isBefore ? (x, x + step - 1) : (x + 1, x + step - 2)
                    let end = place(side.value)
                    markup("<path class=\"\(name)\" d=\"M\(left) \(zero)V\(end)H\(right)V\(zero)Z\"></path>\n")
                }
            }
            let sign =
                switch bar.state {
                case .unknown: "?"
                case .partial: "½"
                case .whole: !bar.hasRecords ? "–" : bar.after?.value == 0 ? "0" : ""
                }
            if !sign.isEmpty {
                markup("<text x=\"\(x + step / 2)\" y=\"\(bottom + 14)\">\(sign)</text>\n")
            }
        }
        markup("<path class=\"base\" d=\"M0 \(zero)H\(width)\"></path>\n")
        for (edge, name, x) in [(edges.0, "first", 0), (edges.1, "last", width)] {
            markup("<text class=\"\(name)\" x=\"\(x)\" y=\"\(bottom + 28)\">")
            text(edge)
            markup("</text>\n")
        }
        markup("</svg>\n</div>\n")
    }
}
