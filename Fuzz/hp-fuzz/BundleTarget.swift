import CanonicalJSON
import Codes
import Files
import Manifest
import Verification

/// The container's reader and the verifier on any file.
enum BundleTarget {
    private static let file = InputFile("bundle")

    static func check(_ bytes: [UInt8]) {
        guard let report = verify(bytes, limits: 1 << 20), let again = verify(bytes, limits: 1 << 20) else { return }
        requireSame(facts(report), facts(again), "verifying twice gives the same report")
        require(report.isGood == (report.total == 0 && report.status(.manifest) == .ok), "a good report has no finding")
        _ = verify(bytes, limits: 300)
        guard report.isGood, let text = text(of: bytes) else { return }
        checkLines(text, report)
        // Cut and compressed in another way it is the same bundle.
        guard let other = verify(reframed(text), limits: 1 << 20) else { return require(false, "a good file is read") }
        requireSame(facts(other), facts(report), "frames carry no meaning")
    }

    /// Verifies a file; nil where it is of a version that nothing reads any more.
    private static func verify(_ bytes: [UInt8], limits: Int) -> Report? {
        file.write(bytes)
        var options = VerificationOptions()
        (options.frameLimit, options.lineLimit) = (limits, limits)
        options.findingLimit = 100_000
        let path = file.path, chosen = options
        return waiting {
            do {
                return try await BundleVerifier.verify(Descriptor.reading(path), options: chosen)
            } catch is UnreleasedFormat {
                return nil
            } catch {
                fatalError("a regular file can be verified")
            }
        }
    }

    private static func facts(_ report: Report) -> [String] {
        let lines = report.findings.map {
            "\($0.code.rawValue) \($0.line ?? 0) \($0.frame ?? 0) \($0.byte ?? 0) \($0.pointer ?? "")"
        }
        return lines + Layer.allCases.map { report.status($0).rawValue } + ["\(report.itemCount)", report.verdict]
    }

    /// The text of a valid bundle.
    private static func text(of bytes: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        var decoder = FrameDecompressor(limit: 1 << 20)
        guard var reader = try? ContainerReader(MemoryFile(bytes: bytes), limits: ContainerLimits(frame: 1 << 20))
        else { return nil }
        while case .frame(let frame)? = try? reader.next(report: { _ in }) {
            guard case .text(let count) = decoder.decode(frame) else { return nil }
            for index in 0..<count { text.append(decoder.text[index]) }
        }
        return text
    }

    /// Of a valid bundle every line is canonical, and every item has the hash that is declared.
    private static func checkLines(_ text: [UInt8], _ report: Report) {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        require(lines.last?.isEmpty == true && lines.count == report.itemCount + 3, "header, items and manifest")
        for line in lines.dropLast() {
            let bytes = Array(line)
            require((try? canonicalize(bytes.span)) == bytes, "every line is its own canonical form")
        }
        var hasher = ItemHasher()
        for line in lines.dropFirst().dropLast(2) {
            let start = "{\"item\":".utf8.count, end = line.count - ",\"item_hash\":\"\"}".utf8.count - 64
            require(end > start, "an item line has an item")
            let item = Array(line.dropFirst(start).prefix(end - start)), hash = Array(line.suffix(66).prefix(64))
            require(Array(hasher.hash(ofItem: item.span).hex.utf8) == hash, "every item has its hash")
        }
    }

    /// The text again, a frame for every third line.
    private static func reframed(_ text: [UInt8]) -> [UInt8] {
        var compressor = FrameCompressor(level: 1)
        var table = SeekTable()
        var bytes: [UInt8] = [], piece: [UInt8] = []
        var lines = 0
        for byte in text {
            piece.append(byte)
            if byte == 0x0A { lines += 1 }
            guard byte == 0x0A, lines.isMultiple(of: 3) else { continue }
            append(&piece)
        }
        func append(_ piece: inout [UInt8]) {
            guard !piece.isEmpty else { return }
            let frame = compressor.frame(of: piece.span)
            table.add(compressedSize: frame.count, textSize: piece.count)
            bytes += frame
            piece = []
        }
        append(&piece)
        return bytes + table.frame()
    }
}

/// A file that is held in memory.
private struct MemoryFile: RandomAccess {
    let bytes: [UInt8]
    var size: Int64 { Int64(bytes.count) }

    mutating func read(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < size else { return [] }
        return Array(bytes[Int(offset)..<min(Int(offset) + count, bytes.count)])
    }
}
