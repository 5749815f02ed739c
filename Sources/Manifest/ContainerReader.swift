/// One frame as it stands in the file.
public struct RawFrame: Sendable {
    /// Its number in the file, from 1; skippable frames do not count.
    public let number: Int
    /// The offset in the file at which it starts.
    public let offset: Int64
    /// The frame's header.
    public let header: FrameHeader
    /// The whole frame.
    public let bytes: [UInt8]
    /// `true` if reading continues at the same place whatever its blocks hold. If it is `false`, decode the frame and
    /// tell the reader with `resume(after:isLost:)`.
    public let hasCertainEnd: Bool
}

/// Reads bytes of a file that may be looked at anywhere.
public protocol RandomAccess {
    /// Number of bytes.
    var size: Int64 { get }
    /// Returns up to `count` bytes from `offset` on.
    mutating func read(at offset: Int64, count: Int) throws -> [UInt8]
}

/// Cuts a bundle into its frames without decoding them (`Spec/container.md`).
///
/// The format's own structure is enough for that: a frame is a header, blocks that each state their size, and a
/// checksum. So damage inside a block leaves its neighbours readable, and frames can be decoded in parallel. After
/// a frame that is lost, a seek table that fits the file says where the next one starts.
///
///     block header, 3 bytes little-endian: bit 0 last block, bits 2-1 type, bits 23-3 size
///     type: 0 raw, 1 one repeated byte, 2 compressed, 3 reserved
public struct ContainerReader<Source: RandomAccess> {
    /// A part of a file, as it is read.
    public enum Part: Sendable {
        /// A frame to decode.
        case frame(RawFrame)
        /// A frame that is lost; its number. The fault is reported.
        case lostFrame(Int)
        /// Bytes that are no frame are passed over.
        case gap
    }

    private var source: Source
    private let limits: ContainerLimits
    /// The starts of frames by a seek table that fits the file; the last is the start of the table itself.
    private let starts: [Int64]?
    private var position: Int64 = 0
    /// The offset to which the blocks of frames have led.
    private var seen: Int64 = 0
    private var isDone = false
    /// Frames so far.
    public private(set) var frameCount = 0
    /// Compressed size of each frame; nil where its end is not known.
    private var compressedSizes: [Int64?] = []
    /// `true` if the end of the file could not be read as frames.
    public private(set) var isEndLost = false
    /// The place of the seek table, once it is found to be well-formed.
    private var table: (offset: Int64, count: Int)?

    /// Reads a file.
    public init(_ source: Source, limits: ContainerLimits) throws {
        var source = source
        starts = try SeekTableReader.starts(&source)
        self.source = source
        self.limits = limits
    }

    /// Returns the next part; `nil` at the end. Faults go to `report`.
    public mutating func next(report: (ContainerFault) -> Void) throws -> Part? {
        if source.size == 0, !isDone {
            stop(.empty, at: 0, report)
            return nil
        }
        guard !isDone, position < source.size else {
            if !isDone { report(ContainerFault(.seekTableMissing, byte: source.size)) }
            isDone = true
            return nil
        }
        let magic = try source.read(at: position, count: 4)
        if magic.isFrameMagic { return try frame(report) }
        if magic.isSkippableMagic {
            try skippable(magic, report)
            return .gap
        }
        if position > 0, nextStart(after: position - 1) == position {
            // The seek table says that a frame starts here.
            let number = add(compressed: nil)
            report(ContainerFault(.frameHeader, byte: position, frame: number))
            try resume(afterLostFrameAt: position, end: nil)
            return .lostFrame(number)
        }
        return noFrame(magic, report)
    }

    /// Says that a frame without a certain end was decoded, or could not be.
    public mutating func resume(after frame: RawFrame, isLost: Bool) throws {
        guard !frame.hasCertainEnd else { return }
        let end = frame.offset + Int64(frame.bytes.count)
        if isLost { try resume(afterLostFrameAt: frame.offset, end: end) } else { position = end }
    }

    /// Compares the seek table with the frames; `textSizes` holds nil where a frame was lost. Call at the end.
    public mutating func compareTable(textSizes: [Int?], report: (ContainerFault) -> Void) throws {
        guard let table else { return }
        let fault = ContainerFault(
            .seekTableMismatch, byte: table.offset, expected: "\(frameCount) frames", found: "\(table.count)")
        guard table.count == frameCount else { return report(fault) }
        let bytes = try source.read(at: table.offset + 8, count: table.count * 8)
        for index in 0..<table.count {
            let compressed = Int64(bytes.number(at: index * 8)), text = Int(bytes.number(at: index * 8 + 4))
            guard compressedSizes[index] ?? compressed == compressed, textSizes[index] ?? text == text else {
                return report(
                    ContainerFault(
                        .seekTableMismatch, byte: table.offset + 8 + Int64(index * 8), frame: index + 1,
                        expected: "the sizes of this frame"))
            }
        }
    }

    // MARK: Frames

    private mutating func add(compressed: Int64?) -> Int {
        compressedSizes.append(compressed)
        frameCount += 1
        return frameCount
    }

    private mutating func frame(_ report: (ContainerFault) -> Void) throws -> Part {
        let start = position
        let number = add(compressed: nil)
        func lose(_ code: ContainerFault.Code) { report(ContainerFault(code, byte: start, frame: number)) }
        let head = try source.read(at: start, count: 18)
        if head.count > 4, head[4] & 0x18 != 0 {
            lose(.frameHeader)
            try resume(afterLostFrameAt: start, end: nil)
            return .lostFrame(number)
        }
        guard head.count > 4, head.count >= FrameHeader.size(descriptor: head[4]) else {
            lose(.truncated)
            try resume(afterLostFrameAt: start, end: nil)
            return .lostFrame(number)
        }
        let header = FrameHeader(head.span)
        var fault: ContainerFault.Code?
        if header.hasDictionary {
            fault = .dictionary
        } else if header.windowSize > Container.windowLimit {
            fault = .window
        }
        if fault == nil {
            if !header.hasChecksum { lose(.checksumMissing) }
            if header.contentSize == nil { lose(.contentSizeMissing) }
        }
        let (bytes, broken) = try blocks(of: header, from: start)
        if let broken {
            lose(fault ?? broken)
            try resume(afterLostFrameAt: start, end: nil)
            return .lostFrame(number)
        }
        let end = start + bytes.size
        compressedSizes[number - 1] = bytes.size
        if fault == nil, bytes.isOverLimit { fault = .frameLimit }
        if let fault {
            lose(fault)
            try resume(afterLostFrameAt: start, end: end)
            return .lostFrame(number)
        }
        let isCertain = try isCertainEnd(end, ofFrameAt: start)
        if isCertain { position = end }
        return .frame(
            RawFrame(number: number, offset: start, header: header, bytes: bytes.content, hasCertainEnd: isCertain))
    }

    /// Walks over the blocks and the checksum of a frame. Keeps the bytes as long as they can be a frame within the
    /// limits: blocks never expand to less than a 43,690th, but a frame that is larger than its text may be plus
    /// its block headers holds nothing that a reader should keep.
    private mutating func blocks(of header: FrameHeader, from start: Int64) throws -> (
        (content: [UInt8], size: Int64, isOverLimit: Bool), ContainerFault.Code?
    ) {
        let keepLimit = limits.frame + limits.frame / 32 + (1 << 20)
        let cut: ContainerFault.Code = starts == nil ? .truncated : .frameCorrupt
        // After a frame that was lost the next one may begin among its blocks, where the seek table says so. What was
        // followed once is not followed again and again: such a frame ends where the table says that the next begins.
        let limit = start < seen ? nextStart(after: start) ?? source.size : source.size
        var content: [UInt8] = []
        var window = WindowOnFile(at: start)
        var offset = start + Int64(header.size)
        var isLast = false
        defer { seen = max(seen, offset) }
        while !isLast {
            guard offset + 3 <= limit, let block = try window.number(at: offset, count: 3, &source) else {
                return ((content, 0, false), cut)
            }
            isLast = block & 1 == 1
            let type = block >> 1 & 3
            let size = Int(block >> 3)
            if type == 3 || size > 1 << 17 { return ((content, 0, false), .frameCorrupt) }
            let next = offset + 3 + Int64(type == 1 ? 1 : size)
            if next + (isLast && header.hasChecksum ? 4 : 0) > limit { return ((content, 0, false), cut) }
            offset = next
        }
        if header.hasChecksum { offset += 4 }
        let size = offset - start
        guard size <= Int64(keepLimit) else { return (([], size, true), nil) }
        content = try source.read(at: start, count: Int(size))
        return ((content, size, false), content.count == Int(size) ? nil : cut)
    }

    /// Returns `true` if the frame after this one starts at `end` by the rules for good frames and for lost ones alike.
    private mutating func isCertainEnd(_ end: Int64, ofFrameAt start: Int64) throws -> Bool {
        if starts != nil { return nextStart(after: start) == end }
        if end == source.size { return true }
        let magic = try source.read(at: end, count: 4)
        return magic.isFrameMagic || magic.isSkippableMagic
    }

    private mutating func resume(afterLostFrameAt start: Int64, end: Int64?) throws {
        if starts != nil {
            if let next = nextStart(after: start) { position = next } else { loseEnd() }
            return
        }
        guard let end else { return loseEnd() }
        let magic = end == source.size ? [] : try source.read(at: end, count: 4)
        if end == source.size || magic.isFrameMagic || magic.isSkippableMagic { position = end } else { loseEnd() }
    }

    /// Returns the first start after a position, by binary search.
    private func nextStart(after position: Int64) -> Int64? {
        guard let starts else { return nil }
        var low = 0, high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] > position { high = middle } else { low = middle + 1 }
        }
        return low < starts.count ? starts[low] : nil
    }

    private mutating func loseEnd() {
        isEndLost = true
        isDone = true
    }

    private mutating func stop(_ code: ContainerFault.Code, at byte: Int64, _ report: (ContainerFault) -> Void) {
        report(ContainerFault(code, byte: byte))
        loseEnd()
    }

    // MARK: What is no frame

    private mutating func noFrame(_ magic: [UInt8], _ report: (ContainerFault) -> Void) -> Part? {
        if magic.count < 4, [UInt8].frameMagic.starts(with: magic) || [UInt8].tableMagic.starts(with: magic) {
            stop(.truncated, at: position, report)
            return nil
        }
        guard position > 0 else {
            stop(.notZstd, at: 0, report)
            return nil
        }
        report(ContainerFault(.trailing, byte: position))
        guard let next = nextStart(after: position) else {
            loseEnd()
            return nil
        }
        position = next
        return .lostFrame(frameCount)
    }

    private mutating func skippable(_ magic: [UInt8], _ report: (ContainerFault) -> Void) throws {
        let start = position
        let head = try source.read(at: start, count: 8)
        guard head.count == 8 else { return stop(.truncated, at: start, report) }
        let end = start + 8 + Int64(head.number(at: 4))
        let isTable = magic == .tableMagic
        let endsLikeTable = try source.size >= 17 && source.read(at: source.size - 4, count: 4) == .tableEnd
        if isTable, end > source.size, !endsLikeTable { return stop(.truncated, at: start, report) }
        if let count = try SeekTableReader.count(&source, from: start, to: end) {
            table = (start, count)
            isDone = true
            if end < source.size {
                report(ContainerFault(.trailing, byte: end))
                isEndLost = true
            }
            return
        }
        let after = try source.read(at: end, count: 4)
        if (end == source.size && (isTable || endsLikeTable))
            || (isTable && !after.isFrameMagic && !after.isSkippableMagic)
        {
            report(ContainerFault(.seekTable, byte: start))
            isDone = true
            return
        }
        report(ContainerFault(.skippable, byte: start))
        if end <= source.size { position = end } else { loseEnd() }
    }
}
