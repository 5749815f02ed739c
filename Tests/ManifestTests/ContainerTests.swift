import Scratch
import Testing

@testable import Manifest

@Suite struct `Containers that are read` {
    private static let two = [bytes("{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n"), bytes("{\"b\":[1,2,3]}\n")]

    @Test func `what is written is read back without a fault`() throws {
        let reading = try ContainerReading(container(Self.two))
        #expect(reading.codes.isEmpty)
        #expect(reading.texts == Self.two)
    }

    @Test func `frames of the zstd program are read as well`() throws {
        let folder = try TemporaryFolder()
        let text = sampleText(50_000)
        let path = try folder.write(text, as: "text").text
        for level in ["-1", "-19"] {
            let frame = try Program.run("zstd", ["-c", "--check", level, path])
            let reading = try ContainerReading(container(frames: [(frame, text.count)]), frameLimit: 1 << 20)
            #expect(reading.codes.isEmpty)
            #expect(reading.texts == [text])
        }
    }

    @Test func `a frame of many blocks is put together from many reads`() throws {
        // Blocks hold up to 128 KiB, and block headers are read 4 KiB at a time.
        let texts = [sampleText(3), sampleText(1_000_000), sampleText(5000), sampleText(131_073)]
        for level in [1, 19] {
            let reading = try ContainerReading(container(texts, level: level), frameLimit: 1 << 20)
            #expect(reading.codes.isEmpty)
            #expect(reading.texts == texts)
        }
    }

    @Test func `a block header on the border of two reads is found`() throws {
        // Raw blocks of one byte each: headers of 3 bytes fall on every place of a border.
        for count in 1020...1030 {
            let blocks = (0..<count).flatMap { [$0 == count - 1 ? 0x09 : 0x08, 0, 0, 0x61] as [UInt8] }
            let frame = bytes(hex: "28b52ffd 00 50") + blocks
            let reading = try ContainerReading(container(frames: [(frame, count)]))
            #expect(reading.texts == [[UInt8](repeating: 0x61, count: count)])
            #expect(reading.codes == ["checksum_missing", "content_size_missing"])
        }
    }

    @Test func `a file that is cut anywhere is reported, and no text is made up`() throws {
        let whole = container(Self.two)
        for count in 0..<whole.count {
            let reading = try ContainerReading(Array(whole.prefix(count)))
            #expect(!reading.codes.isEmpty, "cut to \(count) bytes")
            for (index, text) in reading.texts.enumerated() {
                #expect(text == nil || text == Self.two[index], "cut to \(count) bytes")
            }
        }
    }

    @Test(arguments: [1, 2, 4, 8, 16, 32, 64, 128, 255] as [UInt8])
    func `a byte that is changed anywhere is reported, or the text is the same`(mask: UInt8) throws {
        let whole = container(Self.two)
        for index in whole.indices {
            var changed = whole
            changed[index] ^= mask
            let reading = try ContainerReading(changed)
            #expect(!reading.codes.isEmpty || reading.texts == Self.two, "byte \(index)")
        }
    }

    @Test(arguments: [0x01, 0x80] as [UInt8])
    func `a change in one frame leaves the other readable`(mask: UInt8) throws {
        let whole = container(Self.two)
        let first = container([Self.two[0]]).count - 25
        for index in 12..<first {
            var changed = whole
            changed[index] ^= mask
            let reading = try ContainerReading(changed)
            #expect(reading.texts.count == 2 && reading.texts[1] == Self.two[1], "byte \(index)")
        }
    }

    @Test func `bytes of another kind are never a text`() throws {
        #expect(try ContainerReading([]).codes == ["empty"])
        #expect(try ContainerReading(bytes("{\"export\":{}}\n")).codes == ["not_zstd"])
        #expect(try ContainerReading(bytes(hex: "1f8b0800")).codes == ["not_zstd"])
        #expect(try ContainerReading(bytes(hex: "28b52f")).codes == ["truncated"])
    }
}

@Suite struct `Limits of a container` {
    @Test(arguments: [(99, true), (100, true), (101, false), (102, false), (5000, false)])
    func `a frame's text may be as long as the limit and no longer`(count: Int, isAccepted: Bool) throws {
        let reading = try ContainerReading(container([sampleText(count)]), frameLimit: 100)
        #expect(reading.codes == (isAccepted ? [] : ["frame_limit"]))
        #expect(reading.texts == [isAccepted ? sampleText(count) : nil])
    }

    @Test(arguments: [("00", true), ("50", true), ("68", true), ("69", false), ("70", false), ("ff", false)])
    func `a window may be 8 MiB and no more`(window: String, isAccepted: Bool) throws {
        let frame = rawFrame(bytes("text\n"), windowByte: bytes(hex: window)[0])
        let reading = try ContainerReading(container(frames: [(frame, 5)]))
        #expect(reading.codes.contains("window") == !isAccepted)
        #expect(reading.texts == [isAccepted ? bytes("text\n") : nil])
    }

    @Test func `70 MiB of zeros stay within the limit`() throws {
        let limit = 1 << 20
        var compressor = FrameCompressor(level: 1)
        let bomb = compressor.frame(of: [UInt8](repeating: 0, count: 70 << 20).span)
        #expect(bomb.count < 20_000)
        var reader = try ContainerReader(MemoryFile(bytes: bomb), limits: ContainerLimits(frame: limit))
        var codes: [ContainerFault.Code] = []
        guard case .frame(let frame) = try reader.next(report: { codes.append($0.code) }) else {
            // A header that states more than the limit may be enough to refuse.
            return #expect(codes == [.frameLimit])
        }
        var decoder = FrameDecompressor(limit: limit)
        switch decoder.decode(frame) {
        case .lost(let code): #expect(code == .frameLimit)
        default: Issue.record("the bomb was decoded")
        }
        #expect(decoder.text.count <= limit + 1)
    }

    @Test func `a bomb behind a small stated size is found out`() throws {
        // RLE blocks by hand: 600 blocks that repeat one byte 128 KiB times (75 MiB), behind a stated content size
        // of 1,280.
        let block = bytes(hex: "02 00 10 00"), last = bytes(hex: "03 00 10 00")
        let frame = bytes(hex: "28b52ffd 40 68 0004") + (0..<599).flatMap { _ in block } + last
        let reading = try ContainerReading(frame, frameLimit: 1 << 20)
        #expect(reading.codes.contains("frame_limit"))
        #expect(reading.texts == [nil])
    }

    @Test func `a decoder goes on after what it refused`() throws {
        var compressor = FrameCompressor(level: 1)
        let good = sampleText(90), large = sampleText(3000)
        let frames = [good, large, good].map { (bytes: compressor.frame(of: $0.span), textSize: $0.count) }
        let reading = try ContainerReading(container(frames: frames), frameLimit: 100)
        #expect(reading.codes == ["frame_limit"])
        #expect(reading.texts == [good, nil, good])
    }
}
