/// A report as one page to read: the lines of a `page_report` as HTML (`Spec/report-page.md`).
///
///     lines ─► PageValue ─► PageContent: head, counts, types, windows, coverage, words ─► HTML
///                           PageText: every text of the page, in one file
///
/// The page is a function of the lines alone: no clock, locale, machine or time zone database has a part in it.
public enum ReportPage {
    /// The page up to where its evidence goes.
    ///
    /// - Parameter lines: header and items of a `page_report`, each a canonical text.
    /// - Complexity: O(size of the lines).
    public static func html(of lines: [[UInt8]]) -> [UInt8] {
        let values = lines.map { PageValue.reading($0) }
        var content = PageContent(
            header: values.first?["export"] ?? .null, items: values.dropFirst().map { $0["item"] })
        content.write()
        return content.html.bytes
    }
}

extension PageContent {
    /// The parts of a page, in their order.
    fileprivate mutating func write() {
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
