internal import Codes
internal import Manifest

/// Turns the one JSON text of an envelope back into lines.
///
///     {"export":E,"items":[L1,…,Ln],"manifest_hash":"H","totals":T} LF
///     └ header ──┘└ items ─────────┘└ manifestHash ─┘└ totals ────┘
struct EnvelopeReader: PieceReader {
    private enum Place { case header, firstItem, item, manifestHash, end }

    private var feed: ByteFeed
    private let limit: Int
    private let pieceSize: Int
    private var place = Place.header
    private var lines: [UInt8] = []
    private var isTooLong = false
    private(set) var isEndLost = false

    init(_ source: FileSource, limits: ContainerLimits) {
        feed = ByteFeed(source)
        limit = limits.line
        pieceSize = source.pieceSize
    }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        while lines.count < pieceSize, !isTooLong, place != .end {
            guard try !readLine() else { continue }
            report(Finding(.containerEnvelope, byte: feed.offset))
            if !isManifestRead { isEndLost = true }
            place = .end
        }
        if !lines.isEmpty {
            defer { lines = [] }
            return .piece(.lines(lines))
        }
        guard isTooLong else { return nil }
        isTooLong = false
        return .piece(.tooLong)
    }

    private var isManifestRead = false

    /// Reads up to the end of the next line's value; false at a deviation.
    private mutating func readLine() throws -> Bool {
        var line = ValueLine(limit: limit)
        switch place {
        case .header:
            line.append("{\"export\":")
            guard try feed.pass("{\"export\":"), try feed.readValue(into: &line) else { return false }
            line.append("}")
            append(line)
            place = .firstItem
            return try feed.pass(",\"items\":[")
        case .firstItem, .item:
            if try feed.peek() == UInt8(ascii: "]") {
                place = .manifestHash
                return true
            }
            if place == .item, try !feed.pass(",") { return false }
            guard try feed.peek() == UInt8(ascii: "{"), try feed.readValue(into: &line) else { return false }
            append(line)
            place = .item
            return true
        case .manifestHash:
            line.append("{\"manifest_hash\":")
            guard try feed.pass("],\"manifest_hash\":"), try feed.readValue(into: &line), try feed.pass(",\"totals\":")
            else { return false }
            line.append(",\"totals\":")
            guard try feed.readValue(into: &line) else { return false }
            line.append("}")
            append(line)
            isManifestRead = true
            guard try feed.pass("}\n"), try feed.peek() == nil else { return false }
            place = .end
            return true
        case .end: return true
        }
    }

    private mutating func append(_ line: ValueLine) {
        if line.isTooLong {
            isTooLong = true
        } else {
            lines += line.bytes
            lines.append(UInt8(ascii: "\n"))
        }
    }
}
