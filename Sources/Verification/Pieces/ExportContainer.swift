internal import Files
internal import Manifest

/// The packing of the lines of an export (`Spec/reports.md`, Containers).
enum ExportContainer {
    case bundle, lines, envelope
    /// A page to read, which carries the lines.
    case page
    /// With the bytes of its sidecar; nil where there is none.
    case table(sidecar: Sidecar)

    /// The sidecar next to a table.
    enum Sidecar {
        case missing
        /// Longer than what could be read as one.
        case tooLong
        case bytes([UInt8])
    }

    /// Returns the container of a file, by its first bytes, its name and what lies beside it.
    static func of(_ source: FileSource, named path: Path) throws -> ExportContainer {
        let start = try source.read(at: 0, count: 4)
        if isFrame(start) { return .bundle }
        let sidecar = try sidecar(of: path)
        if path.bytes.suffix(4).elementsEqual(".csv".utf8) { return .table(sidecar: sidecar) }
        if case .missing = sidecar {} else { return .table(sidecar: sidecar) }
        if try PageReader.begins(source) { return .page }
        guard start.first == UInt8(ascii: "{") else { return .bundle }
        return try isEnvelope(source, start) ? .envelope : .lines
    }

    /// Returns `true` if bytes are the magic of a frame, or what a cut left of it.
    private static func isFrame(_ start: [UInt8]) -> Bool {
        !start.isEmpty && [0x28, 0xB5, 0x2F, 0xFD].starts(with: start)
    }

    /// The longest sidecar: two lines, and what else stands in one.
    private static let sidecarLimit = 130 << 20

    private static func sidecar(of path: Path) throws -> Sidecar {
        let file: Descriptor
        do throws(FileError) {
            file = try Descriptor.reading(path.withSuffix("-metadata.json"))
        } catch {
            guard error.isMissing || error.isNameTooLong else { throw error }
            return .missing
        }
        guard try file.status().isRegular else { return .missing }
        let source = try FileSource(file, pieceSize: 1 << 20)
        guard source.size <= sidecarLimit else { return .tooLong }
        return .bytes(try source.read(at: 0, count: sidecarLimit))
    }

    /// Returns `true` if white space follows the first bracket, or a comma the value of `export`.
    private static func isEnvelope(_ source: FileSource, _ start: [UInt8]) throws -> Bool {
        if start.count > 1,
            [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(start[1])
        {
            return true
        }
        let opening = Array("{\"export\":".utf8)
        guard try source.read(at: 0, count: opening.count) == opening else { return false }
        var feed = ByteFeed(source, from: Int64(opening.count))
        guard try feed.passValue() else { return false }
        return try feed.peek() == UInt8(ascii: ",")
    }
}
