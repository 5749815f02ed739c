import Scratch
import Testing

@testable import Manifest

/// Text that compresses neither well nor badly.
func sampleText(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { index in
        state = state &* 1_664_525 &+ 1_013_904_223
        return index % 60 == 59 ? 0x0A : 0x61 + UInt8(state >> 28)
    }
}

@Suite struct `Frames that are written` {
    @Test(arguments: [1, 2, 255, 256, 257, 65_791, 65_792, 3_000_000], [1, 19])
    func `the zstd program gives the text back`(count: Int, level: Int) throws {
        let text = sampleText(count)
        var compressor = FrameCompressor(level: level)
        let folder = try TemporaryFolder()
        let file = try folder.write(compressor.frame(of: text.span), as: "frame.zst")
        #expect(try Program.run("zstd", ["-dc", file.text]) == text)
    }

    @Test(arguments: [1, 2, 255, 256, 257, 65_791, 65_792, 3_000_000], [1, 3, 19])
    func `the header states content size and checksum, no dictionary, and a window within the limit`(
        count: Int, level: Int
    ) {
        var compressor = FrameCompressor(level: level)
        let frame = compressor.frame(of: sampleText(count).span)
        #expect(Array(frame.prefix(4)) == bytes(hex: "28b52ffd"))
        let descriptor = frame[4]
        #expect(descriptor & 0x04 != 0, "checksum")
        #expect(descriptor & 0x1B == 0, "no reserved bit, no dictionary")
        let isSingle = descriptor & 0x20 != 0
        // RFC 8878, 3.1.1.1.4: the size field has 1 (single segment only), 2 (less 256), 4 or 8 bytes.
        let start = isSingle ? 5 : 6
        let width = [isSingle ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let stated = frame[start..<start + width].reversed().reduce(0) { $0 << 8 | Int($1) } + (width == 2 ? 256 : 0)
        #expect(width > 0 && stated == count)
        #expect(isSingle ? count <= 1 << 23 : frame[5] >> 3 <= 13)
    }

    @Test func `a frame depends on its text and the level alone`() {
        let text = sampleText(100_000), other = sampleText(70_000)
        var fresh = FrameCompressor(level: 3), used = FrameCompressor(level: 3)
        for size in [1, 70_000] { _ = used.frame(of: other.span.extracting(first: size)) }
        #expect(fresh.frame(of: text.span) == used.frame(of: text.span))
    }

    @Test func `a level beyond the limit stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = FrameCompressor(level: 20) }
        await #expect(processExitsWith: .failure) { _ = FrameCompressor(level: 0) }
    }
}

@Suite struct `Seek tables` {
    @Test func `an empty table has its 17 bytes`() {
        #expect(SeekTable().frame() == bytes(hex: "5e2a4d18 09000000 00000000 00 b1ea928f"))
    }

    @Test func `a table of two frames is the one worked out by hand`() {
        var table = SeekTable()
        table.add(compressedSize: 0x0102, textSize: 0x0304_0506)
        table.add(compressedSize: 7, textSize: 0xFFFF_FFFF)
        // 2 entries of 8 bytes and a footer of 9: 25 = 0x19.
        #expect(
            table.frame() == bytes(hex: "5e2a4d18 19000000 02010000 06050403 07000000 ffffffff 02000000 00 b1ea928f"))
    }

    @Test func `the zstd program passes over a table`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(container([bytes("one\n"), bytes("two\n")]), as: "two.zst")
        #expect(try Program.run("zstd", ["-dc", file.text]) == bytes("one\ntwo\n"))
    }
}

@Suite struct `Frame headers` {
    // Worked out by hand from RFC 8878, 3.1.1.1.
    @Test(
        arguments: [
            ("28b52ffd 24 05", 6, 5, 5, true, false),
            ("28b52ffd 20 00", 6, 0, 0, false, false),
            ("28b52ffd 04 58", 6, nil, 2_097_152, true, false),
            ("28b52ffd 00 69", 6, nil, 9_437_184, false, false),
            ("28b52ffd 44 50 0001", 8, 512, 1_048_576, true, false),
            ("28b52ffd 84 50 00000100", 10, 65_536, 1_048_576, true, false),
            ("28b52ffd c4 00 0000000000000001", 14, 72_057_594_037_927_936, 1024, true, false),
            ("28b52ffd 25 00 07", 7, 7, 7, true, false),
            ("28b52ffd 25 2a 07", 7, 7, 7, true, true),
            ("28b52ffd 26 0001 07", 8, 7, 7, true, true),
            ("28b52ffd 07 50 00000001", 10, nil, 1_048_576, true, true),
            ("28b52ffd 00 ff", 6, nil, 4_123_168_604_160, false, false),
        ] as [(String, Int, UInt64?, UInt64, Bool, Bool)])
    func `a header is read field by field`(
        hex: String, size: Int, content: UInt64?, window: UInt64, hasChecksum: Bool, hasDictionary: Bool
    ) {
        let bytes = bytes(hex: hex)
        #expect(FrameHeader.size(descriptor: bytes[4]) == size)
        let header = FrameHeader(bytes.span)
        #expect(header.size == size)
        #expect(header.contentSize == content)
        #expect(header.windowSize == window)
        #expect(header.hasChecksum == hasChecksum)
        #expect(header.hasDictionary == hasDictionary)
    }
}
