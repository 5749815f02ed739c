internal import Manifest
internal import ReportPage

/// A page that carries its evidence (`Spec/report-page.md`).
///
///     <!DOCTYPE html> … what is read …     ← its SHA-256 is in the totals
///     <template id="healthprobe-evidence">⏎
///     header, items, manifest, a line each, with & < > escaped
///     </template>⏎ </body>⏎ </html>⏎
///
/// The page comes first, and needs the items: all lines are kept until the last is there.
struct PageFile {
    private var lines: [[UInt8]] = []
    /// The readable part of the page, once all items are there.
    private(set) var page: [UInt8] = []

    init() {}

    /// A page of which only the hash is wanted.
    init(header: [UInt8]) { add(Array("{\"export\":".utf8) + header + Array("}".utf8)) }

    /// Keeps whole lines.
    mutating func add(_ text: [UInt8]) {
        lines += text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// Keeps an item of a page of which only the hash is wanted.
    mutating func add(item: [UInt8]) { lines.append(Array("{\"item\":".utf8) + item + Array("}".utf8)) }

    /// Returns the SHA-256 of what is read, after the last item and before the manifest.
    mutating func hash() -> String {
        page = ReportPage.html(of: lines)
        return SHA256.digest(of: page.span).hex
    }

    /// Returns the file to share, after the last item: what is read of the items but names and values, and no lines.
    func shared(manifestHash: String) -> [UInt8] { ReportPage.sharedPage(of: lines, manifestHash: manifestHash) }

    /// Returns the file, after the manifest.
    func finish() -> [UInt8] {
        precondition(!page.isEmpty, "the manifest states the hash of the page")
        var file = page + Array("<template id=\"healthprobe-evidence\">\n".utf8)
        for line in lines {
            file += ReportPage.escaped(line)
            file.append(UInt8(ascii: "\n"))
        }
        return file + Array("</template>\n</body>\n</html>\n".utf8)
    }
}
