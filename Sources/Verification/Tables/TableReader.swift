internal import Codes
internal import Files
internal import Format
internal import Manifest

/// Turns a table and its sidecar back into lines: the header, pieces of rows, the manifest.
struct TableReader: PieceReader {
    private enum Place { case header, columns, rows, manifest, end }

    private let source: FileSource
    private let limit: Int
    private let name: [UInt8]
    private let file: ExportContainer.Sidecar
    private var sidecar: SidecarReader?
    private var cutter: TextCutter
    private var kind = ItemKind.record
    /// The columns of a view, once the first row is read.
    private var columns: PeopleColumns?
    private var place = Place.header
    private let hash = SharedHash()
    /// `true` if the sidecar describes a view for people.
    private(set) var isView = false
    var view: ViewFacts? {
        guard let columns, let renderer = sidecar?.renderer, let unvouched = sidecar?.unvouched else { return nil }
        return ViewFacts(
            dialect: columns.dialect.rawValue, renderer: renderer, columns: columns.columns.map(\.name),
            unvouched: unvouched)
    }
    private var byteCount: Int64 = 0

    init(_ source: FileSource, named path: Path, sidecar: ExportContainer.Sidecar, limits: ContainerLimits) {
        self.source = source
        limit = limits.line
        name = path.name
        file = sidecar
        cutter = TextCutter(source, limit: limit, rows: UInt8(ascii: ","))
        if case .bytes(let bytes) = sidecar { isView = SidecarReader(bytes, tableName: name, { _ in })?.view != nil }
    }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        switch place {
        case .header:
            place = .columns
            readSidecar(report)
            return part(sidecar?.header)
        case .columns:
            place = .rows
            guard try !readColumns(report) else { return .gap }
            place = .manifest
            while try cut() != nil {}
            return .lostFrame(0)
        case .rows:
            switch try cut() {
            case .text(let text):
                return .piece(columns.map { .peopleRows(text, $0) } ?? .rows(text, kind))
            case .tooLong: return .piece(.tooLong)
            case nil:
                place = .manifest
                return .gap
            }
        case .manifest:
            place = .end
            compareFile(report)
            return part(sidecar?.manifest)
        case .end: return nil
        }
    }

    private func part(_ line: [UInt8]?) -> Part { line.map { .piece(.lines($0 + [UInt8(ascii: "\n")])) } ?? .lostLine }

    private mutating func readSidecar(_ report: (Finding) -> Void) {
        switch file {
        case .missing: report(Finding(.containerSidecarMissing))
        case .tooLong: report(Finding(.containerSidecar, found: "more bytes than a sidecar can have"))
        case .bytes(let bytes): sidecar = SidecarReader(bytes, tableName: name, report)
        }
    }

    /// Reads the first row; returns `true` if it is that of the item kind; of any kind, if the sidecar does not state
    /// one.
    private mutating func readColumns(_ report: (Finding) -> Void) throws -> Bool {
        if let view = sidecar?.view, try readColumns(of: view) { return true }
        for kind in isView ? [] : sidecar?.kind.map({ [$0] }) ?? ItemKind.allCases {
            guard let row = TableColumns(kind)?.firstRow, try source.read(at: 0, count: row.count) == row else {
                continue
            }
            self.kind = kind
            append(row.span)
            cutter = TextCutter(source, from: Int64(row.count), limit: limit, rows: UInt8(ascii: ","))
            return true
        }
        report(Finding(.containerColumns, line: 1))
        isColumnsRight = false
        return false
    }

    /// Reads the first row; returns `true` if it is that of a view: the one that the sidecar states, otherwise any.
    private mutating func readColumns(of view: PeopleColumns.Dialect) throws -> Bool {
        let start = try source.read(at: 0, count: PeopleColumns.longestFirstRow)
        guard let columns = sidecar?.columns ?? PeopleColumns(firstRow: start, view, of: sidecar?.kind),
            start.starts(with: columns.firstRow)
        else { return false }
        let row = columns.firstRow
        self.columns = columns
        append(row.span)
        cutter = TextCutter(source, from: Int64(row.count), limit: limit, rows: view.delimiter)
        return true
    }

    private var isColumnsRight = true

    private mutating func cut() throws -> TextCutter.Cut? {
        let hash = hash
        var count: Int64 = 0
        let cut = try cutter.next { bytes in
            hash.update(bytes)
            count += Int64(bytes.count)
        }
        byteCount += count
        return cut
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        hash.update(bytes)
        byteCount += Int64(bytes.count)
    }

    private mutating func compareFile(_ report: (Finding) -> Void) {
        guard let sidecar else { return }
        let digest = hash.finish().hex
        if let stated = sidecar.byteCount, stated != byteCount {
            report(Finding(.containerFileHash, expected: "\(stated) bytes", found: "\(byteCount) bytes"))
        } else if let stated = sidecar.sha256, stated != digest {
            report(Finding(.containerFileHash, expected: stated, found: digest))
        } else if isColumnsRight, let stated = sidecar.rowCount, stated != cutter.rowCount {
            report(
                Finding(
                    .containerSidecar, pointer: SidecarReader.reportPointer + "/row_count",
                    expected: "\(cutter.rowCount)", found: "\(stated)"))
        }
    }
}

/// A hash that a reader, which is copied about, goes on with.
private final class SharedHash {
    private var hash = SHA256()
    func update(_ bytes: Span<UInt8>) { hash.update(bytes) }
    func finish() -> Digest { hash.finish() }
}
