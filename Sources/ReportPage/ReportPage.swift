/// A report as one page to read: the lines of a `page_report` as HTML (`Spec/report-page.md`).
///
///     lines ─► PageValue ─► PageContent: head, counts, types, windows, coverage, words ─► HTML
///                           PageText: every text of the page, in one file
///
/// The page is a function of the lines alone: no clock, locale, machine or time zone database has a part in it.
public enum ReportPage {
    /// Returns the page up to where its evidence goes.
    ///
    /// - Parameter lines: header and items of a `page_report`, each a canonical text.
    /// - Complexity: O(size of the lines).
    public static func html(of lines: [[UInt8]]) -> [UInt8] {
        let (header, items) = read(lines)
        var content = PageContent(header: header, items: items)
        content.write()
        return content.html.bytes
    }

    /// Returns a whole page to share: without names of sources, values and evidence.
    ///
    /// - Parameters:
    ///   - lines: as of a page with evidence.
    ///   - manifestHash: that of the export, which the page names.
    /// - Complexity: O(size of the lines).
    public static func sharedPage(of lines: [[UInt8]], manifestHash: String) -> [UInt8] {
        let (header, items) = read(lines)
        let kept = SharedLines.withholding(header, items)
        var content = PageContent(header: kept.header, items: kept.items, manifestHash: manifestHash)
        content.write()
        content.html.markup("</body>\n</html>\n")
        return content.html.bytes
    }

    /// Returns JSON texts as the contents of an element, which keeps every byte of them.
    public static func escaped(_ lines: [UInt8]) -> [UInt8] {
        var html: [UInt8] = []
        html.reserveCapacity(lines.count)
        for byte in lines {
            if let escape = escapes.first(where: { $0.byte == byte }) { html += escape.text } else { html.append(byte) }
        }
        return html
    }

    /// Returns the JSON texts of such contents.
    static func unescaped(_ html: ArraySlice<UInt8>) -> [UInt8] {
        var (lines, rest): ([UInt8], ArraySlice<UInt8>) = ([], html)
        while let byte = rest.first {
            let escape = byte == UInt8(ascii: "&") ? escapes.first { rest.starts(with: $0.text) } : nil
            lines.append(escape?.byte ?? byte)
            rest = rest.dropFirst(escape?.text.count ?? 1)
        }
        return lines
    }

    private static let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].map {
        (byte: Array($0.0.utf8)[0], text: Array($0.1.utf8))
    }

    private static func read(_ lines: [[UInt8]]) -> (header: PageValue, items: [PageValue]) {
        let values = lines.map { PageValue.reading($0) }
        return (values.first?["export"] ?? .null, values.dropFirst().map { $0["item"] })
    }
}

extension PageContent {
    /// Writes the parts of a page, in their order.
    fileprivate mutating func write() {
        if isOfOne { return writeOne() }
        html.begin(PageText.title)
        writeAnswer()
        html.beginFold(.evidence)
        html.element("p", PageText.skip)
        html.contents()
        writeNumbers()
        writeObservations()
        writeLimits()
        writeTypes()
        writeCalendars()
        writeStrips()
        writeWindows()
        writeRecords()
        writeFindings()
        writeCoverage()
        writeObservationsOfChain()
        writeContext()
        html.endFold()
        writeCheck()
        writeWords()
        html.markup("</main>\n")
    }
}
