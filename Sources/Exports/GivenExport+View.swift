package import Archive

/// A view for people, as a verifier has read it.
package struct StatedView: Sendable {
    /// As the sidecar names it.
    package let dialect: String
    /// The columns that it has, and those of them that are not compared.
    package let columns, unvouched: [String]

    package init(dialect: String, columns: [String], unvouched: [String]) {
        (self.dialect, self.columns, self.unvouched) = (dialect, columns, unvouched)
    }
}

extension GivenExport {
    /// Renders a view for people again, and compares its text with a file.
    ///
    /// - Parameter next: the next bytes of the file; empty at its end.
    /// - Returns: the first row that differs, from 1 on, which has the names of the columns; `nil` if none does.
    /// - Complexity: as `of`.
    package static func differingRow(
        of view: StatedView, _ question: ExportQuestion, _ archive: borrowing Archive, shouldStop: () -> Bool,
        next: @escaping () throws -> [UInt8]
    ) throws(ExportError) -> Int? {
        try asExportError {
            // A kind that has no view has no row of one.
            guard let all = PeopleColumn.columns(of: question.kind),
                let dialect = PeopleView.Dialect(rawValue: view.dialect)
            else { return 1 }
            try archive.beginSideBySide()
            defer { archive.rollBack() }
            let context = try archive.context(of: question.scope)
            // Names that somebody gave are in columns that are not compared.
            let rendered = try PeopleView(dialect, zone: archive.timeZone(of: question.scope.observationID))
                .reading(archive, question.scope, of: question.kind)
            var rows = PeopleRows(rendered, of: archive.path)
            try pieces(of: question, context, archive, shouldStop, view: rendered) { try rows.add($0) }
            let compared = all.map { !view.unvouched.contains($0.rawValue) }
            let made = all.enumerated().filter { rows.has($0.offset) && compared[$0.offset] }.map(\.element.rawValue)
            let stated = view.columns.map { !view.unvouched.contains($0) }
            var text = ViewText(ColumnCutter(stated, delimiter: rendered.delimiter), next)
            guard made == zip(view.columns, stated).filter(\.1).map(\.0) else { return 1 }
            try text.expect(rendered.firstRow(of: made))
            try rows.finish(keeping: compared) { try text.expect($0) }
            return try text.differingRow()
        }
    }
}

/// The compared columns of a file, next to what they should be.
private struct ViewText {
    private var cutter: ColumnCutter
    private let next: () throws -> [UInt8]
    /// The text that was read, and how much of it was compared.
    private var (text, start): ([UInt8], Int) = ([], 0)
    /// Rows that agree.
    private var count = 0
    private var differs = false

    init(_ cutter: ColumnCutter, _ next: @escaping () throws -> [UInt8]) { (self.cutter, self.next) = (cutter, next) }

    /// Compares the next whole rows.
    mutating func expect(_ rows: [UInt8]) throws {
        guard !differs else { return }
        while text.count - start < rows.count, try read() {}
        let same = zip(text[start...], rows).prefix { $0 == $1 }.count
        differs = same < rows.count
        var isQuoted = false
        for byte in rows.prefix(same) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { count += 1 }
        }
        start += same
    }

    /// Returns the first row that differs, after the last that was expected; `nil` if none does.
    mutating func differingRow() throws -> Int? {
        while !differs, start == text.count, try read() {}
        return differs || start < text.count ? count + 1 : nil
    }

    /// Reads the next part of the file; returns `false` at its end.
    private mutating func read() throws -> Bool {
        text.removeFirst(start)
        start = 0
        let more = try next()
        cutter.cut(more.span, into: &text)
        return !more.isEmpty
    }
}
