/// One frame as it stands in the file.
public struct RawFrame: Sendable {
    /// Its number in the file, from 1; skippable frames do not count.
    public let number: Int
    /// Where it starts in the file.
    public let offset: Int64
    /// What its header says.
    public let header: FrameHeader
    /// The whole frame.
    public let bytes: [UInt8]
}

/// Cuts a bundle into its frames without decoding them.
///
/// The format's own structure is enough for that: a frame is a header, blocks that each state their size, and a checksum. So damage inside a block
/// leaves its neighbours readable, and frames can be decoded in parallel.
///
///     block header, 3 bytes little-endian: bit 0 last block, bits 2-1 type (0 raw, 1 one repeated byte, 2 compressed, 3 reserved), bits 23-3 size
public struct ContainerReader: ~Copyable {
    private var input: ByteSource
    private let limits: ContainerLimits
    private var frames = 0
    private var sizes: [(compressed: Int, text: UInt64)] = []
    private var hasSeekTable = false
    private var isDone = false

    /// Reads from `read`, which fills the front of a buffer and returns the count of bytes, 0 at the end.
    public init(limits: ContainerLimits = ContainerLimits(), read: @escaping (inout [UInt8]) throws -> Int) {
        input = ByteSource(read: read)
        self.limits = limits
    }

    /// The next frame, or nil at the end. Faults go to `report`; those that leave no way on end the reading.
    ///
    /// - Throws: what `read` throws.
    public mutating func next(report: (ContainerFault) -> Void) throws -> RawFrame? {
        while !isDone {
            let offset = input.offset
            guard try input.require(1) else {
                isDone = true
                if offset == 0 { report(ContainerFault(.empty, byte: 0)) } else if !hasSeekTable { report(ContainerFault(.seekTableMissing, byte: offset)) }
                return nil
            }
            do throws(ContainerStop) {
                if hasSeekTable { throw .fault(ContainerFault(.trailing, byte: offset, expected: "the end of the file after the seek table")) }
                if let frame = try frame(at: offset, report: report) { return frame }
            } catch {
                isDone = true
                switch error {
                case .fault(let fault): report(fault)
                case .source(let error): throw error
                }
            }
        }
        return nil
    }

    /// Why reading cannot go on.
    private enum ContainerStop: Error {
        case fault(ContainerFault)
        case source(any Error)
    }

    private mutating func require(_ count: Int, truncatedAt offset: Int64) throws(ContainerStop) {
        let isThere: Bool
        do { isThere = try input.require(count) } catch { throw .source(error) }
        guard isThere else { throw .fault(ContainerFault(.truncated, byte: offset, found: "\(input.available) of \(count) bytes")) }
    }

    private mutating func frame(at offset: Int64, report: (ContainerFault) -> Void) throws(ContainerStop) -> RawFrame? {
        let isFirst = offset == 0
        do { _ = try input.require(4) } catch { throw .source(error) }
        guard input.available >= 4 else { throw .fault(ContainerFault(isFirst ? .notZstd : .trailing, byte: offset)) }
        let magic = input.number(at: 0, bytes: 4)
        if Container.skippableMagics.contains(magic) {
            try skippable(magic: magic, at: offset, report: report)
            return nil
        }
        guard magic == Container.frameMagic else { throw .fault(ContainerFault(isFirst ? .notZstd : .trailing, byte: offset)) }
        try require(5, truncatedAt: offset)
        let headerSize = FrameHeader.size(descriptor: input[4])
        try require(headerSize, truncatedAt: offset)
        let header = FrameHeader(input.span(headerSize))
        frames += 1
        if header.hasReservedBit { throw .fault(ContainerFault(.frameHeader, byte: offset, expected: "reserved bit 0")) }
        var frame = input.take(headerSize)
        try blocks(of: header, at: offset, into: &frame)
        sizes.append((frame.count, header.contentSize ?? .max))
        if let fault = Self.fault(in: header, limits: limits) {
            report(ContainerFault(fault, byte: offset))
            if fault == .window || fault == .frameLimit || fault == .dictionary { return RawFrame(number: frames, offset: offset, header: header, bytes: []) }
        }
        return RawFrame(number: frames, offset: offset, header: header, bytes: frame)
    }

    private static func fault(in header: FrameHeader, limits: ContainerLimits) -> ContainerFault.Code? {
        if header.hasDictionary { return .dictionary }
        if let size = header.contentSize, size > UInt64(limits.frame) { return .frameLimit }
        if header.windowSize > max(Container.windowLimit, header.contentSize == header.windowSize ? UInt64(limits.frame) : 0) { return .window }
        if !header.hasChecksum { return .checksumMissing }
        if header.contentSize == nil { return .contentSizeMissing }
        return nil
    }

    /// Takes the blocks and the checksum of a frame.
    private mutating func blocks(of header: FrameHeader, at offset: Int64, into frame: inout [UInt8]) throws(ContainerStop) {
        var isLast = false
        while !isLast {
            try require(3, truncatedAt: offset)
            let block = input.number(at: 0, bytes: 3)
            isLast = block & 1 == 1
            let type = block >> 1 & 3
            let size = type == 1 ? 1 : Int(block >> 3)
            guard type != 3 else { throw .fault(ContainerFault(.frameCorrupt, byte: input.offset, expected: "block type 0, 1 or 2")) }
            guard frame.count + size < limits.frame + limits.frame / 64 + 65_536 else { throw .fault(ContainerFault(.frameLimit, byte: offset)) }
            try require(3 + size, truncatedAt: offset)
            input.take(3 + size, into: &frame)
        }
        guard header.hasChecksum else { return }
        try require(4, truncatedAt: offset)
        input.take(4, into: &frame)
    }

    /// Looks at a skippable frame: the seek table, or something that does not belong here.
    private mutating func skippable(magic: UInt32, at offset: Int64, report: (ContainerFault) -> Void) throws(ContainerStop) {
        try require(8, truncatedAt: offset)
        let size = Int(input.number(at: 4, bytes: 4))
        guard magic == Container.seekTableMagic, size == sizes.count * 8 + Container.seekTableFooter || (size >= Container.seekTableFooter && size <= limits.frame) else {
            report(ContainerFault(.skippable, byte: offset))
            do { try input.skip(8 + size) } catch { throw .source(error) }
            if input.isShort { throw .fault(ContainerFault(.truncated, byte: offset)) }
            return
        }
        try require(8 + size, truncatedAt: offset)
        let table = input.take(8 + size)
        hasSeekTable = true
        if let fault = SeekTableCheck.fault(in: table.span, frames: sizes, offset: offset) { report(fault) }
    }
}
