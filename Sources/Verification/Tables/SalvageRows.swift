internal import Bytes
package import Codes
internal import Files
internal import Format

/// Turns rows of a damaged table back into lines. How a cell is quoted and how a row ends is not held against a row:
/// its item hash says whether it is what was written.
package struct SalvageRows: ~Copyable {
    /// The result for a row.
    package enum Reading {
        /// The lines that it may stand for, by the kinds that it may be of, and where it ends.
        case lines([[UInt8]], end: Int)
        /// The text ends in it.
        case isOpen
        /// It is a row of no kind.
        case damaged(Code)
    }

    /// The header's line and the manifest's, where the sidecar gives them.
    package let header, manifest: [UInt8]?
    /// The offset at which the rows begin.
    package let start: Int
    /// `true` if the first row names the columns of a kind.
    package var hasFirstRow: Bool { start > 0 }
    /// `true` if it is a view for people.
    let isView: Bool
    private var kinds: [KindReader]
    /// The kinds that the lines of the row that was read last are of.
    private var kindsOfLines: [KindReader] = []
    private var row: RowReader

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let longestFirstRow = 1 << 14

    init(_ source: FileSource, named path: Path, sidecar: ExportContainer.Sidecar) throws {
        var reader: SidecarReader?
        if case .bytes(let bytes) = sidecar { reader = SidecarReader(bytes, tableName: path.name, { _ in }) }
        header = reader?.header
        manifest = reader?.manifest
        isView = reader?.view != nil
        let text = try source.read(at: 0, count: Self.longestFirstRow)
        let mark = text.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        let first = Self.firstRow(of: text[mark...], reader?.kind)
        start = first.map { mark + $0.size } ?? 0
        row = RowReader(delimiter: first?.delimiter ?? UInt8(ascii: ","))
        let possible = first.map { [$0.kind] } ?? reader?.kind.map { [$0] } ?? ItemKind.allCases
        kinds = possible.compactMap { KindReader($0) }
    }

    /// Returns the kind whose column names a text begins with, however they are quoted and delimited.
    private static func firstRow(of text: ArraySlice<UInt8>, _ kind: ItemKind?)
        -> (kind: ItemKind, delimiter: UInt8, size: Int)?
    {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let row = text[..<end].filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\r") }
        for kind in kind.map({ [$0] }) ?? ItemKind.allCases {
            guard let names = TableColumns(kind)?.firstRow.dropLast(2) else { continue }
            for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
            where row == names.map({ $0 == UInt8(ascii: ",") ? delimiter : $0 }) {
                return (kind, delimiter, end + 1 - text.startIndex)
            }
        }
        return nil
    }

    /// Reads the row that begins at `start`.
    ///
    /// - Parameter isEnd: whether the file ends with the text.
    package mutating func read(_ text: Span<UInt8>, at start: Int, isEnd: Bool) -> Reading {
        row.read(text, from: start)
        guard row.isTerminated || isEnd else { return .isOpen }
        var lines: [[UInt8]] = []
        kindsOfLines.removeAll(keepingCapacity: true)
        var fault = Code.lineCells
        for kind in kinds where kind.cells.count == row.cells.count {
            if kind.cells.read(row, text) == nil {
                var line: [UInt8] = []
                kind.rebuild.write(row, kind.cells, text, to: &line)
                lines.append(line)
                kindsOfLines.append(kind)
            } else {
                fault = .lineCell
            }
        }
        return lines.isEmpty ? .damaged(fault) : .lines(lines, end: row.end)
    }

    /// Keeps the kind of the line at this index, once a row is known to stand for that line: all rows are of its kind.
    package mutating func settle(on index: Int) {
        if kinds.count > 1 { kinds = [kindsOfLines[index]] }
    }
}

/// Reads the rows of one kind.
private final class KindReader {
    var cells: CellReader
    var rebuild: ItemRebuild

    init?(_ kind: ItemKind) {
        guard let columns = TableColumns(kind) else { return nil }
        cells = CellReader(columns)
        rebuild = ItemRebuild(columns, kind)
    }
}
