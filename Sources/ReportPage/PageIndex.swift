internal import Answer
internal import Manifest

/// The files beside the pages of one archive: the list of its observations, and a page for each type. They are no
/// evidence: each page of two observations is, by itself.
public struct PageIndex {
    /// An observation in the list.
    public struct Entry: Sendable {
        /// The observation that it is compared with; `nil` for the first of its chain.
        public let from: Int64?
        public let to: Int64
        /// The observation's day.
        public let day: Int64?
        /// The facts of the comparison; `nil` for the first observation.
        public var facts: Facts?
        /// The id of its page's export; `nil` if nobody needs it.
        public let exportID: String?
        /// `true` if its page is in the folder.
        public var hasPage: Bool

        public init(from: Int64?, to: Int64, day: Int64?, facts: Facts?, exportID: String?, hasPage: Bool) {
            (self.from, self.to, self.day) = (from, to, day)
            (self.facts, self.exportID, self.hasPage) = (facts, exportID, hasPage)
        }

        /// The page's name.
        public var name: String { "\(from ?? to)-\(to).html" }

        /// `true` if something is gone, replaced, changed or not known.
        public var isNotable: Bool {
            facts.map { $0.gone + $0.replaced + $0.changed + $0.unknown > 0 } ?? false
        }
    }

    /// A recorded export.
    public struct Recorded: Sendable {
        public let kind, id, time: String

        public init(kind: String, id: String, time: String) { (self.kind, self.id, self.time) = (kind, id, time) }
    }

    /// The newest logged check of the archive.
    public struct Check: Sendable {
        public let time: String
        public let isGood: Bool

        public init(time: String, isGood: Bool) { (self.time, self.isGood) = (time, isGood) }
    }

    /// Stands for a moment that is not stated.
    public static let noTime = "an unknown time"

    /// Recorded exports that are listed.
    private static let mostExports = 12

    let entries: [Entry]
    private let exports: [Recorded]
    private let check: Check?

    /// - Parameters:
    ///   - entries: by observation.
    ///   - exports: the newest last.
    public init(_ entries: [Entry], exports: [Recorded], check: Check? = nil) {
        (self.entries, self.exports, self.check) = (entries, exports, check)
    }

    private func name(_ entry: Entry) -> String {
        guard let day = entry.day else { return PageText.observation(entry.to) }
        let isAlone = entries.count { $0.day == day } == 1
        return AnswerDates.text(day) + (isAlone ? "" : " (\(PageText.observation(entry.to)))")
    }

    private func link(_ entry: Entry) -> Cell {
        entry.hasPage ? .page(entry.name, name(entry)) : .words(name(entry))
    }

    private static func number(_ count: Int?) -> Cell {
        .number(count.map { AnswerNumbers.text($0) } ?? PageText.none)
    }

    /// Records of an observation: those that the next comparison had before, if it has none itself.
    private func records(_ entry: Entry, of type: String? = nil) -> Int? {
        func sum(_ facts: Facts, _ side: (Facts.TypeCounts) -> Int) -> Int {
            facts.types.filter { type == nil || $0.identifier == type }.reduce(0) { $0 + side($1) }
        }
        if let facts = entry.facts { return sum(facts) { $0.after } }
        return entries.first { $0.from == entry.to }?.facts.map { sum($0) { $0.before } }
    }

    private static func end(_ html: consuming HTML) -> [UInt8] {
        html.markup("</main>\n</body>\n</html>\n")
        return html.bytes
    }

    // MARK: The list

    /// Returns the list, the newest observation first.
    public func html() -> [UInt8] {
        var html = HTML()
        html.begin(PageText.indexTitle)
        html.element("p", PageText.contains)
        let notable = entries.count { $0.isNotable }
        html.sentence("h1", PageText.indexHeading(entries.count, compared: entries.count { $0.facts != nil }, notable))
        if notable > 0 { html.element("p", PageText.noCause) }
        let counts = entries.map { records($0) ?? 0 }
        if counts.contains(where: { $0 > 0 }) {
            html.bars(PageText.indexChart(counts.count, AnswerNumbers.text(counts.max() ?? 0)), counts)
        }
        html.table(
            PageText.indexCaption, PageText.indexHeads,
            entries.reversed().map { entry in
                let facts = entry.facts
                return [
                    link(entry), Self.number(records(entry)), Self.number(facts?.gone), Self.number(facts?.replaced),
                    Self.number(facts?.changed), Self.number(facts?.new), Self.number(facts?.unknown),
                ]
            })
        html.element("p", PageText.indexRows)
        writeTypes(&html)
        writeExports(&html)
        html.element("h2", PageText.indexHealth)
        html.element("p", check.map { PageText.lastCheck($0.time, isGood: $0.isGood) } ?? PageText.noCheck)
        html.command(PageText.logCheck)
        html.element("p", PageText.indexCheck)
        for line in PageText.indexCommands { html.command(line) }
        writeComparisons(&html)
        return Self.end(html)
    }

    private func writeTypes(_ html: inout HTML) {
        html.element("h2", PageText.heading(.types))
        guard !types.isEmpty else { return html.element("p", PageText.noTypes) }
        html.table(
            PageText.indexTypesCaption, PageText.indexTypesHeads,
            types.map { type in
                let facts = entries.compactMap { $0.facts?.types.first { $0.identifier == type } }
                return [
                    .page(Self.name(of: type), Self.title(of: type)), Self.number(facts.last?.after),
                    Self.number(facts.reduce(0) { $0 + $1.disappeared }),
                    Self.number(facts.reduce(0) { $0 + $1.changed }),
                    Self.number(facts.reduce(0) { $0 + $1.appeared }),
                ]
            })
    }

    private func writeExports(_ html: inout HTML) {
        html.element("h2", PageText.indexExports(exports.count))
        let shown = exports.suffix(Self.mostExports)
        guard !shown.isEmpty else { return html.element("p", PageText.noExports) }
        html.table(
            PageText.exportsCaption, PageText.exportsHeads,
            shown.reversed().map { [.stored($0.kind), .words($0.time), .stored($0.id)] })
        let rest = exports.count - shown.count
        if rest > 0 { html.element("p", PageText.moreExports(rest)) }
    }

    // MARK: Types

    /// The types of all comparisons, by identifier.
    public var types: [String] {
        Set(entries.flatMap { $0.facts?.types.map(\.identifier) ?? [] })
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the name of a type's page: letters and digits alone; an identifier with others is hashed.
    public static func name(of type: String) -> String {
        let bytes = Array(type.utf8)
        let isPlain =
            !bytes.isEmpty && bytes.count <= 100
            && type.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }
        return "type-\(isPlain ? type : String(SHA256.digest(of: bytes.span).hex.prefix(16))).html"
    }

    private static func title(of type: String) -> String {
        let name = PageContent.names.title(type).unicodeScalars.filter { !HTML.isolates.contains($0) }
        return String(String.UnicodeScalarView(name))
    }

    /// Returns the page of a type, across all observations.
    public func html(of type: String) -> [UInt8] {
        var html = HTML()
        html.begin(Self.title(of: type))
        html.element("p", PageText.contains)
        html.element("h1", Self.title(of: type))
        html.markup("<p>")
        html.contents(of: .page("index.html", PageText.backToIndex))
        html.markup("</p>\n")
        let counts = entries.map { records($0, of: type) ?? 0 }
        if counts.contains(where: { $0 > 0 }) {
            html.bars(PageText.indexChart(counts.count, AnswerNumbers.text(counts.max() ?? 0)), counts)
        }
        html.table(
            PageText.typeCaption, PageText.typePageHeads,
            entries.reversed().map { entry in
                let facts = entry.facts?.types.first { $0.identifier == type }
                return [
                    link(entry), Self.number(records(entry, of: type)), Self.number(facts?.disappeared),
                    Self.number(facts?.changed), Self.number(facts?.appeared),
                    .words(facts.map { PageText.truth($0.isKnown) } ?? PageText.none),
                ]
            })
        html.element("p", PageText.typeNote)
        return Self.end(html)
    }
}

extension ReportPage {
    /// Returns `true` if a file begins as every page of these tools.
    public static func isPage(_ file: [UInt8]) -> Bool {
        let head = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-"
        return file.starts(with: head.utf8)
    }
}
