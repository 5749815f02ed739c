internal import Archive
internal import Files
internal import Manifest

/// Where the pieces of an export go: a file that is published, with a sidecar where it is a table, or standard output.
struct ExportOutput: ~Copyable {
    private var publication: Publication?
    private var sidecar: Publication?
    private let stream: Descriptor?
    /// What standard output may show, where it is a terminal.
    private var terminal: TerminalText?
    private let container: ExportContainer
    private var frames = SeekTable()
    private var hash: SHA256
    /// The name that the table is going to have; nil where there is no sidecar.
    private let tableName: [UInt8]?
    private var byteCount = 0
    private var isFirstItem = true
    private let view: PeopleView?
    /// Rows of a view, until it is known which of its columns are empty.
    private var spool: RowSpool?

    /// A file, and beside it the sidecar of a table.
    init(
        publication: consuming Publication, sidecar: consuming Publication?, container: ExportContainer,
        view: PeopleView? = nil
    ) throws(FileError) {
        let spool = try Self.spool(view)
        tableName = container == .table ? publication.name : nil
        self.publication = consume publication
        self.sidecar = consume sidecar
        self.container = container
        hash = SHA256()
        stream = nil
        self.view = view
        self.spool = spool
    }

    /// Standard output, which has no place for a sidecar.
    init(standardOutput container: ExportContainer, view: PeopleView? = nil) throws(FileError) {
        let spool = try Self.spool(view)
        let output = try Descriptor.standardOutput()
        terminal = output.isTerminal ? TerminalText() : nil
        stream = consume output
        publication = nil
        sidecar = nil
        hash = SHA256()
        tableName = nil
        self.container = container
        self.view = view
        self.spool = spool
    }

    private static func spool(_ view: PeopleView?) throws(FileError) -> RowSpool? {
        guard let view else { return nil }
        return try RowSpool(delimiter: UInt8(ascii: view.dialect == .excel ? ";" : ","))
    }

    /// Appends what stands before or behind the items.
    mutating func write(_ piece: (bytes: [UInt8], textSize: Int)) throws(FileError) {
        try write(piece.bytes.span)
        if case .bundle = container { frames.add(compressedSize: piece.bytes.count, textSize: piece.textSize) }
    }

    /// Appends items. Each item of an envelope begins with a comma, which the first one does not need.
    mutating func write(_ chunk: BuiltChunk) throws(FileError) {
        guard view == nil else { return try spool!.write(chunk.bytes.span, present: chunk.present) }
        let isShortened = container == .envelope && isFirstItem && !chunk.bytes.isEmpty
        isFirstItem = false
        try write(isShortened ? chunk.bytes.span.extracting(droppingFirst: 1) : chunk.bytes.span)
        if case .bundle = container { frames.add(compressedSize: chunk.bytes.count, textSize: chunk.textSize) }
    }

    /// Writes the table of a view, which was kept until now; what its sidecar says of it. Nil where there is no view.
    mutating func finishRows(of kind: ExportKind) throws(FileError) -> TableContent? {
        guard let view, let spool = spool.take(), let all = PeopleColumn.columns(of: kind) else { return nil }
        let present = spool.present
        let kept = present == 0 ? all : all.enumerated().filter { present & 1 << UInt32($0.0) != 0 }.map(\.1)
        let separator = view.dialect == .excel ? ";" : ","
        var first = Array((kept.map(\.rawValue).joined(separator: separator) + "\r\n").utf8)
        if view.dialect == .excel { first = [0xEF, 0xBB, 0xBF] + first }
        try write(first.span)
        try spool.read { rows throws(FileError) in try self.write(rows.span) }
        return TableContent(view, kept)
    }

    /// Ends the export: a bundle's seek table, a table's sidecar.
    mutating func finish(sidecar text: (TableFile) -> [UInt8]) throws(FileError) {
        if case .bundle = container {
            let bytes = frames.frame()
            try write(bytes.span)
        }
        if let rest = terminal?.text(of: [UInt8]().span, isEnd: true) { try stream!.write(rest.span) }
        guard let tableName else { return }
        let bytes = text(TableFile(name: tableName, byteCount: byteCount, digest: hash.finish().hex))
        try sidecar!.write(bytes.span)
    }

    /// Makes everything durable under its temporary name.
    func synchronize() throws(FileError) {
        try publication?.synchronize()
        try sidecar?.synchronize()
    }

    /// What is left to do after the commit.
    func intents(exportID: String) -> [PublishIntent] {
        var intents: [PublishIntent] = []
        if let intent = sidecar?.intent(exportID: exportID) { intents.append(intent) }
        if let intent = publication?.intent(exportID: exportID) { intents.append(intent) }
        return intents
    }

    /// Keeps the files under their temporary names, whatever happens from here on.
    mutating func keep() {
        sidecar?.keep()
        publication?.keep()
    }

    /// Gives the files their names, a sidecar first: no table stands without one.
    mutating func publish() throws(FileError) {
        try sidecar?.publish()
        try publication?.publish()
    }

    private mutating func write(_ bytes: Span<UInt8>) throws(FileError) {
        byteCount += bytes.count
        if tableName != nil { hash.update(bytes) }
        if let shown = terminal?.text(of: bytes, isEnd: false) { return try stream!.write(shown.span) }
        if stream != nil { try stream!.write(bytes) } else { try publication!.write(bytes) }
    }
}
