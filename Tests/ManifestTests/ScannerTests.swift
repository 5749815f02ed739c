import Scratch
import Testing

@testable import Manifest

/// What scanning a damaged file gives.
struct ContainerScan: Equatable {
    /// The text of each frame that gave any.
    var texts: [[UInt8]] = []
    /// What could not be read, and why.
    var unread: [String] = []
    /// Where the seek table is, if there is one.
    var tables: [Range<Int64>] = []

    init(_ bytes: [UInt8], limit: Int = 1 << 20) throws {
        let file = CountingFile(bytes)
        var scanner = try FrameScanner(file, limits: ContainerLimits(frame: limit))
        var decoder = FrameDecompressor(limit: limit)
        var covered: Int64 = 0
        while let part = try scanner.next() {
            switch part {
            case .frame(let found):
                let partial = decoder.decodeAsFarAsPossible(found)
                if partial.textSize > 0 { texts.append(Self.front(decoder, partial.textSize)) }
                let end = found.raw.offset + Int64(partial.frameSize)
                scanner.resume(after: found, textSize: partial.textSize, decodedEnd: end, isWhole: partial.fault == nil)
            case .unread(let range, let code):
                // Bytes are told once, in order.
                #expect(range.lowerBound >= covered && range.upperBound <= file.size && !range.isEmpty)
                covered = range.upperBound
                unread.append("\(range.lowerBound)-\(range.upperBound) \(code?.rawValue ?? "rest")")
            case .seekTable(let range): tables.append(range)
            }
        }
        // Work is bounded by the size of the file, whatever is in it.
        #expect(file.log.bytes < 40 * bytes.count + (96 << 20))
    }

    private static func front(_ decoder: borrowing FrameDecompressor, _ count: Int) -> [UInt8] {
        let text = decoder.text
        return (0..<count).map { text[$0] }
    }
}

/// A file in memory that counts what is read of it.
struct CountingFile: RandomAccess {
    final class Log { var bytes = 0 }

    private var file: MemoryFile
    let log = Log()
    var size: Int64 { file.size }

    init(_ bytes: [UInt8]) { file = MemoryFile(bytes: bytes) }

    mutating func read(at offset: Int64, count: Int) -> [UInt8] {
        let bytes = file.read(at: offset, count: count)
        log.bytes += bytes.count
        return bytes
    }
}

@Suite struct `Frames of damaged files` {
    private static let texts = [sampleText(3000), sampleText(200_000), bytes("{\"b\":[1,2,3]}\n")]
    private static let frames = { () -> [(bytes: [UInt8], textSize: Int)] in
        var compressor = FrameCompressor(level: 1)
        return texts.map { (compressor.frame(of: $0.span), $0.count) }
    }()

    @Test func `an undamaged file gives its frames and its table`() throws {
        let whole = container(frames: Self.frames)
        let scan = try ContainerScan(whole)
        #expect(scan.texts == Self.texts)
        #expect(scan.unread.isEmpty)
        #expect(scan.tables.count == 1)
    }

    @Test(arguments: [
        [], [0, 1, 2, 3], bytes(hex: "28b52ffd"), bytes(hex: "28b52ffd 00 50 ff ff ff"),
        [UInt8](repeating: 0, count: 100_000), [UInt8](repeating: 0x28, count: 3),
    ])
    func `bytes between frames are passed over and told`(garbage: [UInt8]) throws {
        let scan = try ContainerScan(
            Self.frames[0].bytes + garbage + Self.frames[1].bytes + garbage + Self.frames[2].bytes)
        #expect(scan.texts == Self.texts)
        #expect(scan.unread.count == (garbage.isEmpty ? 0 : 2))
    }

    @Test(arguments: 0...4)
    func `a frame begins where a piece that is searched at once ends`(before: Int) throws {
        // Pieces have 256 KiB; the next one begins with the last three bytes of the one before.
        for end in [262_144, 2 * 262_144 - 3] {
            let garbage = [UInt8](repeating: 0x28, count: end - before)
            let scan = try ContainerScan(garbage + Self.frames[0].bytes + Self.frames[2].bytes)
            #expect(scan.texts == [Self.texts[0], Self.texts[2]], "\(garbage.count) bytes before")
            #expect(scan.unread == ["0-\(garbage.count) trailing"])
        }
    }

    @Test func `a frame that is cut leaves the frames after it`() throws {
        for count in stride(from: 1, to: Self.frames[1].bytes.count, by: 331) {
            let scan = try ContainerScan(
                Self.frames[0].bytes + Self.frames[1].bytes.prefix(count) + Self.frames[2].bytes)
            #expect(scan.texts.first == Self.texts[0], "cut to \(count) bytes")
            #expect(scan.texts.last == Self.texts[2], "cut to \(count) bytes")
            for text in scan.texts.dropFirst().dropLast() {
                #expect(Self.texts[1].starts(with: text), "cut to \(count) bytes")
            }
        }
    }

    @Test func `a byte that changes harms no other frame`() throws {
        let whole = container(frames: Self.frames)
        let ends = Self.frames.map(\.bytes.count)
        for index in Array(stride(from: 0, to: whole.count, by: 977)) + Array(0..<20)
            + Array(ends[0] - 8..<ends[0] + 20)
        {
            var changed = whole
            changed[index] ^= 0xFF
            let scan = try ContainerScan(changed)
            if index >= ends[0] { #expect(scan.texts.contains(Self.texts[0]), "byte \(index)") }
            if index < ends[0] || index >= ends[0] + ends[1] {
                #expect(scan.texts.contains(Self.texts[1]), "byte \(index)")
            }
            if index < ends[0] + ends[1] { #expect(scan.texts.contains(Self.texts[2]), "byte \(index)") }
        }
    }

    @Test func `the checksum's frame gives all of its text`() throws {
        var changed = Self.frames[1].bytes
        changed[changed.count - 1] ^= 1
        #expect(try ContainerScan(changed + Self.frames[2].bytes).texts == Array(Self.texts[1...]))
    }

    @Test func `a frame inside a block is text, not a frame`() throws {
        // Level 1 leaves it as it is; the outer frame is whole.
        let outer = rawFrame(Self.frames[2].bytes)
        #expect(try ContainerScan(outer + Self.frames[0].bytes).texts == [Self.frames[2].bytes, Self.texts[0]])
    }

    @Test func `false starts cost no more than the file is long`() throws {
        // Each leads over all the rest, in raw blocks that never end.
        let start = bytes(hex: "28b52ffd 00 50 00 00 08") + [UInt8](repeating: 0x61, count: 50)
        let hostile = [[UInt8]](repeating: start, count: 20_000).flatMap { $0 }
        let scan = try ContainerScan(
            hostile + [UInt8](repeating: 0, count: 1_000_000) + Self.frames[0].bytes, limit: 1 << 16)
        #expect(scan.texts.count <= 20_001)
        let magics = [[UInt8]](repeating: bytes(hex: "28b52ffd"), count: 200_000).flatMap { $0 }
        #expect(try ContainerScan(magics + Self.frames[0].bytes).texts.last == Self.texts[0])
    }

    @Test func `text beyond the limit is not kept`() throws {
        var compressor = FrameCompressor(level: 1)
        let bomb = compressor.frame(of: [UInt8](repeating: 0x61, count: 40 << 20).span)
        let scan = try ContainerScan(bomb + Self.frames[2].bytes)
        #expect(scan.texts.map(\.count) == [1 << 20, Self.texts[2].count])
    }
}
