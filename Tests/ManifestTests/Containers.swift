@testable import Manifest

/// A file in memory.
struct MemoryFile: RandomAccess {
    let bytes: [UInt8]
    var size: Int64 { Int64(bytes.count) }

    mutating func read(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < size else { return [] }
        return Array(bytes[Int(offset)..<min(Int(offset) + count, bytes.count)])
    }
}

/// What reading a whole container gives.
struct ContainerReading: Equatable {
    /// Codes of the faults, in order.
    var codes: [String] = []
    /// The text of each frame; nil where it is lost.
    var texts: [[UInt8]?] = []

    init(_ bytes: [UInt8], frameLimit: Int = 4096) throws {
        var reader = try ContainerReader(MemoryFile(bytes: bytes), limits: ContainerLimits(frame: frameLimit))
        var decoder = FrameDecompressor(limit: frameLimit)
        var found: [String] = []
        func report(_ fault: ContainerFault) { found.append(fault.code.rawValue) }
        while let part = try reader.next(report: report) {
            switch part {
            case .frame(let frame):
                switch decoder.decode(frame) {
                case .text(let count): texts.append(Self.front(decoder, count))
                case .textOfOtherSize(let count):
                    found.append("content_size")
                    texts.append(Self.front(decoder, count))
                case .lost(let code):
                    found.append(code.rawValue)
                    texts.append(nil)
                }
                try reader.resume(after: frame, isLost: texts.last == .some(nil))
            case .lostFrame(let number):
                while texts.count < number { texts.append(nil) }
            case .gap: break
            }
        }
        try reader.compareTable(textSizes: texts.map { $0?.count }, report: report)
        codes = found
    }

    private static func front(_ decoder: borrowing FrameDecompressor, _ count: Int) -> [UInt8] {
        let text = decoder.text
        return (0..<count).map { text[$0] }
    }
}

/// A container of these texts, a frame each, with its seek table.
func container(_ texts: [[UInt8]], level: Int = 1) -> [UInt8] {
    var compressor = FrameCompressor(level: level)
    return container(frames: texts.map { (compressor.frame(of: $0.span), $0.count) })
}

/// A container of frames that are there already.
func container(frames: [(bytes: [UInt8], textSize: Int)]) -> [UInt8] {
    var table = SeekTable()
    for frame in frames { table.add(compressedSize: frame.bytes.count, textSize: frame.textSize) }
    return frames.flatMap(\.bytes) + table.frame()
}

/// A frame of one raw block, written by hand from RFC 8878: no checksum, no content size.
func rawFrame(_ text: [UInt8], windowByte: UInt8 = 0x50, descriptor: UInt8 = 0) -> [UInt8] {
    let block = UInt32(text.count) << 3 | 1
    return bytes(hex: "28b52ffd") + [
        descriptor, windowByte, UInt8(block & 255), UInt8(block >> 8 & 255), UInt8(block >> 16),
    ] + text
}
