/// A list of pages of one archive, to be put beside them. It is no evidence: each page is, by itself.
public enum PageIndex {
    /// A page of the list.
    public struct Entry: Sendable {
        /// The observations that it compares.
        public let from, to: Int64
        /// Their local times.
        public let observedBefore, observedAfter: String
        /// Records that appeared, are no longer visible, and have a changed representation.
        public let appeared, disappeared, changed: Int
        /// The export's id.
        public let exportID: String

        public init(
            from: Int64, to: Int64, observedBefore: String, observedAfter: String, appeared: Int, disappeared: Int,
            changed: Int, exportID: String
        ) {
            (self.from, self.to, self.exportID) = (from, to, exportID)
            (self.observedBefore, self.observedAfter) = (observedBefore, observedAfter)
            (self.appeared, self.disappeared, self.changed) = (appeared, disappeared, changed)
        }

        /// The page's name.
        public var name: String { "\(from)-\(to).html" }
    }

    /// The list, the newest page first.
    public static func html(of entries: [Entry]) -> [UInt8] {
        var html = HTML()
        html.begin(PageText.indexTitle)
        html.element("h1", PageText.indexTitle)
        html.element("p", PageText.skip)
        if entries.isEmpty {
            html.element("p", PageText.indexEmpty)
        } else {
            let rows = entries.reversed().map { entry -> [Cell] in
                [
                    .page(entry.name, PageText.indexPage(entry.from, entry.to)), .words(entry.observedBefore),
                    .words(entry.observedAfter), .number("\(entry.appeared)"), .number("\(entry.disappeared)"),
                    .number("\(entry.changed)"), .words(entry.exportID),
                ]
            }
            html.table(PageText.indexCaption, PageText.indexHeads, rows)
        }
        html.element("p", PageText.indexCheck)
        html.markup("</main>\n</body>\n</html>\n")
        return html.bytes
    }
}
