internal import CanonicalJSON
internal import Format
internal import Manifest

/// Packs items into the pieces of a container (`Spec/reports.md`, Containers). A piece is written to its builder's
/// text, each item in its place. A page is written whole, when it is closed.
///
///     bundle, lines   {"export":E}⏎            {"item":…,"item_hash":"…"}⏎      {"manifest_hash":"…","totals":T}⏎
///     envelope        {"export":E,"items":[    ,{"item":…,"item_hash":"…"}      ],"manifest_hash":"…","totals":T}⏎
///     table           column names             a row per item                   (the rest is in the sidecar)
struct Packing: ~Copyable {
    private let container: ExportContainer
    private let columns: [TableColumn]
    private let keys = KeyList(["item", "item_hash"])
    private var table: TableWriter?
    private var people: PeopleWriter?
    private var compressor: FrameCompressor?
    private var page = PageFile()

    /// - Parameter people: of a view for people, how and of what kind of export.
    init(_ container: ExportContainer, columns: [TableColumn], people: (view: PeopleView, kind: ExportKind)? = nil) {
        self.container = container
        self.columns = columns
        table = container == .table && people == nil ? .some(TableWriter(columns: columns)) : .none
        self.people = if let people { .some(PeopleWriter(people.view, of: people.kind)) } else { .none }
        compressor = if case .bundle(let level) = container { .some(FrameCompressor(level: level)) } else { .none }
    }

    /// Begins a piece.
    mutating func start(_ text: inout Writer) {
        text.removeAll()
        table?.removeAll()
        people?.removeAll()
    }

    /// Prepares for an item, which is to be the next value of the text.
    func beginItem(_ text: inout Writer) {
        guard container != .table else { return text.removeAll() }
        if container == .envelope { text.append(UInt8(ascii: ",")) }
        text.beginObject()
        text.key(keys, 0)
    }

    /// Ends the item; `hash` is the text of its hash, `sample` the row id of its sample.
    mutating func endItem(hash: Span<UInt8>, sample: Int64?, _ text: inout Writer) {
        guard container != .table else {
            table?.write(text.span, hash: hash)
            people?.write(text.span, hash: hash, sample: sample)
            return
        }
        text.key(keys, 1)
        text.string(plain: hash)
        text.endObject()
        if container != .envelope { text.append(UInt8(ascii: "\n")) }
    }

    /// Returns the piece since `start`, as the file has it.
    mutating func finish(_ text: borrowing Writer) -> (bytes: [UInt8], textSize: Int) {
        guard container != .table else { return (tableBytes(), 0) }
        guard !container.isPage else {
            page.add(text.bytes)
            return ([], 0)
        }
        return (Self.compress(text, with: &compressor), text.count)
    }

    private func tableBytes() -> [UInt8] {
        switch table {
        case .some(let rows): return rows.bytes
        case nil: break
        }
        switch people {
        case .some(let rows): return rows.bytes
        case nil: return []
        }
    }

    /// The rows of a view in this piece.
    var peopleRows: [PeopleRow] {
        switch people {
        case .some(let rows): rows.rows
        case nil: []
        }
    }

    /// Columns of a view that hold something in this piece, by their place.
    var present: UInt32 {
        switch people {
        case .some(let rows): rows.present
        case nil: 0
        }
    }

    mutating func opening(header: [UInt8]) -> (bytes: [UInt8], textSize: Int) {
        switch container {
        case .table: (table == nil ? [] : TableWriter.header(columns), 0)
        case .envelope: (Array("{\"export\":".utf8) + header + Array(",\"items\":[".utf8), 0)
        case .bundle, .lines: piece(Array("{\"export\":".utf8) + header + Array("}\n".utf8))
        case .page: (kept(Array("{\"export\":".utf8) + header + Array("}\n".utf8)), 0)
        }
    }

    mutating func closing(totals: [UInt8], manifestHash: String) -> (bytes: [UInt8], textSize: Int) {
        let rest = Array("\"manifest_hash\":\"\(manifestHash)\",\"totals\":".utf8) + totals + Array("}\n".utf8)
        return switch container {
        case .table: ([], 0)
        case .envelope: (Array("],".utf8) + rest, 0)
        case .bundle, .lines: piece(Array("{".utf8) + rest)
        case .page(isShared: false): (kept(Array("{".utf8) + rest, isLast: true), 0)
        case .page(isShared: true): (page.shared(manifestHash: manifestHash), 0)
        }
    }

    /// Keeps a line of a page; the page, where it is the last.
    private mutating func kept(_ line: [UInt8], isLast: Bool = false) -> [UInt8] {
        page.add(line)
        return isLast ? page.finish() : []
    }

    /// Returns the SHA-256 of what is read in a page; `nil` in other containers.
    mutating func pageHash() -> String? { container.isPage ? page.hash() : nil }

    private mutating func piece(_ line: [UInt8]) -> (bytes: [UInt8], textSize: Int) {
        guard isCompressed else { return (line, line.count) }
        return (compressor!.frame(of: line.span), line.count)
    }

    private static func compress(_ text: borrowing Writer, with compressor: inout FrameCompressor?) -> [UInt8] {
        compressor?.frame(of: text.span) ?? text.bytes
    }

    private var isCompressed: Bool { if case .bundle = container { true } else { false } }
}
