internal import CZstd

/// The content of a frame's blocks.
public enum DecodedFrame: ~Copyable {
    /// Text of this many bytes, in the decoder's buffer.
    case text(Int)
    /// Text whose size is another than the header states.
    case textOfOtherSize(Int)
    /// Nothing that can be trusted.
    case lost(ContainerFault.Code)
}

/// Decodes frames that `ContainerReader` cut out, one after the other, into one reused buffer.
@safe public struct FrameDecompressor: ~Copyable {
    private let context: OpaquePointer
    private let limit: Int
    private var buffer: [UInt8] = []

    /// Creates a decoder that accepts up to `limit` bytes of text a frame.
    public init(limit: Int) {
        guard let context = unsafe ZSTD_createDCtx() else {
            preconditionFailure(
                "no memory for a decompression context")
        }
        unsafe self.context = context
        self.limit = limit
        // Window limit 2^23: Spec/bundle.md, Container.
        precondition(unsafe ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)) == 0)
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// The text of the last frame.
    public var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { buffer.span }
    }

    /// Decodes a frame; its text is then the front of `text`.
    public mutating func decode(_ frame: RawFrame) -> DecodedFrame {
        let isUsual = frame.header.blockLimit == Self.usualBlockLimit
        if isUsual, let size = frame.header.contentSize, size <= UInt64(min(limit, Self.usualSize)),
            let count = decodedAtOnce(frame.bytes.span, size: Int(size))
        {
            return hasUnclearBlock(frame) ? .lost(.frameCorrupt) : .text(count)
        }
        // Whatever is wrong, is found behind a header that states no size, so that a wrong size is told apart from
        // wrong blocks.
        let anonymous =
            Self.magic + [frame.header.hasChecksum ? 4 : 0, frame.header.windowByte] + frame.bytes[frame.header.size...]
        switch decodedAsStream(anonymous.span, blockLimit: isUsual ? nil : frame.header.blockLimit) {
        case .success(let count):
            guard !hasUnclearBlock(frame) else { return .lost(.frameCorrupt) }
            return frame.header.contentSize.map { $0 == UInt64(count) } ?? true ? .text(count) : .textOfOtherSize(count)
        case .failure(let failure):
            return .lost(failure.code == .checksum && hasUnclearBlock(frame) ? .frameCorrupt : failure.code)
        }
    }

    private func hasUnclearBlock(_ frame: RawFrame) -> Bool {
        SymbolModes.areUnclear(inBlocksOf: frame.bytes.span, from: frame.header.size)
    }

    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    private static let usualSize = 8 << 20
    private static let usualBlockLimit = 1 << 17
    private static let anonymousHeaderSize = 6

    private struct Failure: Error { let code: ContainerFault.Code }

    /// Decodes the usual frame: everything is as its header states.
    private mutating func decodedAtOnce(_ frame: Span<UInt8>, size: Int) -> Int? {
        if buffer.count < size {
            // Nothing of the frame before is needed, and frames are of about one size.
            buffer = []
            buffer = [UInt8](repeating: 0, count: size + size / 8)
        }
        let capacity = buffer.count
        let count = unsafe buffer.withUnsafeMutableBytes { target in
            unsafe frame.withUnsafeBytes {
                unsafe ZSTD_decompressDCtx(context, target.baseAddress, capacity, $0.baseAddress, $0.count)
            }
        }
        return ZSTD_isError(count) == 0 && count == size ? count : nil
    }

    /// Decodes into the buffer, which grows as text comes out and never beyond the limit.
    ///
    /// With a limit for blocks they are given one by one, and none may hold more text: releases of the library
    /// differ in whether they see to that.
    private mutating func decodedAsStream(_ frame: Span<UInt8>, blockLimit: Int?) -> Swift.Result<Int, Failure> {
        unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: min(limit, 1 << 20)) }
        var input = unsafe ZSTD_inBuffer(src: nil, size: frame.count, pos: 0)
        var produced = 0, blockStart = 0
        if blockLimit != nil { unsafe input.size = Self.anonymousHeaderSize }
        return unsafe frame.withUnsafeBytes { source in
            unsafe input.src = source.baseAddress
            while true {
                let capacity = buffer.count
                let (status, position) = unsafe buffer.withUnsafeMutableBytes { target in
                    var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: produced)
                    let status = unsafe ZSTD_decompressStream(context, &output, &input)
                    return unsafe (status, output.pos)
                }
                let isStuck = position == produced
                produced = position
                if ZSTD_isError(status) != 0 {
                    return .failure(
                        Failure(
                            code: ZSTD_getErrorCode(status) == ZSTD_error_checksum_wrong ? .checksum : .frameCorrupt))
                }
                if status == 0, let blockLimit, produced - blockStart > blockLimit {
                    return .failure(Failure(code: .frameCorrupt))
                }
                if status == 0 { return produced > limit ? .failure(Failure(code: .frameLimit)) : .success(produced) }
                if produced == capacity {
                    if capacity >= limit + 1 { return .failure(Failure(code: .frameLimit)) }
                    buffer += [UInt8](repeating: 0, count: min(capacity, limit + 1 - capacity))
                } else if let blockLimit, unsafe input.pos == input.size, unsafe input.pos < frame.count {
                    if produced - blockStart > blockLimit { return .failure(Failure(code: .frameCorrupt)) }
                    blockStart = produced
                    unsafe input.size = Self.endOfBlock(in: frame, from: input.size)
                } else if isStuck, unsafe input.pos == input.size {
                    // All input is used, the frame is not at its end: its blocks say less than they hold.
                    return .failure(Failure(code: .frameCorrupt))
                }
            }
        }
    }

    /// Returns the end of a block; for the last one, the end of the frame. `ContainerReader` has seen that blocks state
    /// sizes that are there.
    private static func endOfBlock(in frame: Span<UInt8>, from start: Int) -> Int {
        guard start + 3 <= frame.count else { return frame.count }
        let block = Int(frame[start]) | Int(frame[start + 1]) << 8 | Int(frame[start + 2]) << 16
        return block & 1 == 1 ? frame.count : min(frame.count, start + 3 + (block >> 1 & 3 == 1 ? 1 : block >> 3))
    }

    // MARK: Damaged frames

    /// The part of a frame that could be decoded.
    public struct Partial {
        /// Bytes of text, in the decoder's buffer.
        public let textSize: Int
        /// Bytes of the frame that were decoded.
        public let frameSize: Int
        /// Why the rest, or all of it, cannot be trusted; nil where the frame is whole.
        public let fault: ContainerFault.Code?
    }

    /// Decodes a frame as far as its blocks decode; the text is then the front of `text`.
    public mutating func decodeAsFarAsPossible(_ found: FoundFrame) -> Partial {
        if found.cut == nil {
            switch decode(found.raw) {
            case .text(let size): return Partial(textSize: size, frameSize: found.raw.bytes.count, fault: nil)
            case .textOfOtherSize(let size):
                return Partial(textSize: size, frameSize: found.raw.bytes.count, fault: nil)
            case .lost: break
            }
        }
        return decodedByBlocks(found)
    }

    /// Gives the decoder block after block, so that it is known what each of them held when one fails.
    private mutating func decodedByBlocks(_ found: FoundFrame) -> Partial {
        let frame = found.raw.bytes
        unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        var text = 0
        guard
            feed((Self.magic + [found.raw.header.hasChecksum ? 4 : 0, found.raw.header.windowByte]).span, at: &text)
                == nil
        else { return Partial(textSize: 0, frameSize: 0, fault: .frameCorrupt) }
        var offset = found.raw.header.size
        while offset + 3 <= frame.count {
            let block = UInt32(frame[offset]) | UInt32(frame[offset + 1]) << 8 | UInt32(frame[offset + 2]) << 16
            let end = offset + 3 + (block >> 1 & 3 == 1 ? 1 : Int(block >> 3))
            guard end <= frame.count else { break }
            let before = text
            if let code = feed(frame.span.extracting(offset..<end), at: &text) {
                return Partial(textSize: text, frameSize: offset, fault: code)
            }
            let isUnclear =
                block >> 1 & 3 == 2 && SymbolModes.areUnclear(inBlock: frame.span.extracting(offset + 3..<end))
            if isUnclear || text - before > found.raw.header.blockLimit {
                return Partial(textSize: before, frameSize: offset, fault: .frameCorrupt)
            }
            offset = end
            if text > limit { return Partial(textSize: limit, frameSize: offset, fault: .frameLimit) }
            guard block & 1 == 1 else { continue }
            guard found.raw.header.hasChecksum else {
                return Partial(textSize: text, frameSize: offset, fault: found.cut)
            }
            guard offset + 4 <= frame.count else { break }
            let code = feed(frame.span.extracting(offset..<offset + 4), at: &text)
            return Partial(textSize: text, frameSize: offset + 4, fault: code)
        }
        return Partial(textSize: text, frameSize: offset, fault: found.cut ?? .frameCorrupt)
    }

    /// Decodes one piece behind the text so far. A block holds at most 128 KiB (RFC 8878, 3.1.1.2), so that there
    /// is always room for it.
    private mutating func feed(_ piece: Span<UInt8>, at text: inout Int) -> ContainerFault.Code? {
        if buffer.count < text + Self.blockSize {
            buffer += [UInt8](
                repeating: 0, count: min(max(buffer.count, 1 << 20), limit + 2 * Self.blockSize - buffer.count))
        }
        let capacity = buffer.count, start = text
        var used = 0
        while used < piece.count {
            let (status, read, written) = unsafe piece.withUnsafeBytes { source in
                unsafe buffer.withUnsafeMutableBytes { target in
                    var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: used)
                    var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: text)
                    let status = unsafe ZSTD_decompressStream(context, &output, &input)
                    return unsafe (status, input.pos, output.pos)
                }
            }
            if ZSTD_isError(status) != 0 {
                text = start
                return ZSTD_getErrorCode(status) == ZSTD_error_checksum_wrong ? .checksum : .frameCorrupt
            }
            guard read > used || written > text else { return .frameCorrupt }
            (used, text) = (read, written)
        }
        return nil
    }

    private static let blockSize = 1 << 17
}

/// The contents of compressed blocks that releases of the library read differently. The byte that says how the
/// sequences of a block are coded has two reserved bits (RFC 8878, 3.1.1.3.2.1). A count of no sequences can also be
/// written in two bytes. Neither is right in a bundle (`Spec/container.md`).
///
///     literals section | number of sequences, 1 to 3 bytes | symbol compression modes | …
///     └ its header, 1 to 5 bytes, has its kind and sizes (3.1.1.3.1.1)
enum SymbolModes {
    /// Returns `true` if one of the blocks after a frame's header is read differently. The blocks are there.
    static func areUnclear(inBlocksOf frame: Span<UInt8>, from start: Int) -> Bool {
        var offset = start
        while offset + 3 <= frame.count {
            let block = Int(frame[offset]) | Int(frame[offset + 1]) << 8 | Int(frame[offset + 2]) << 16
            let size = block >> 1 & 3 == 1 ? 1 : block >> 3
            let end = min(frame.count, offset + 3 + size)
            if block >> 1 & 3 == 2, areUnclear(inBlock: frame.extracting(offset + 3..<end)) { return true }
            if block & 1 == 1 { return false }
            offset = end
        }
        return false
    }

    /// Returns `true` if a compressed block is read differently; `false` if it is too short to decide.
    static func areUnclear(inBlock block: Span<UInt8>) -> Bool {
        guard let literals = literalsSize(of: block), literals < block.count else { return false }
        let sequences = block[literals]
        if sequences == 0 { return false }
        if sequences == 128, literals + 1 < block.count, block[literals + 1] == 0 { return true }
        let modes = literals + (sequences < 128 ? 1 : sequences < 255 ? 2 : 3)
        return modes < block.count && block[modes] & 3 != 0
    }

    /// Bytes of the literals section, with its header.
    private static func literalsSize(of block: Span<UInt8>) -> Int? {
        guard block.count > 0 else { return nil }
        let kind = block[0] & 3, form = block[0] >> 2 & 3
        let header: Int, shift: Int, bits: Int
        switch (kind < 2, form) {
        case (true, 1): (header, shift, bits) = (2, 4, 12)
        case (true, 3): (header, shift, bits) = (3, 4, 20)
        case (true, _): (header, shift, bits) = (1, 3, 5)
        // Behind the size of the text of the literals stands that of the literals themselves.
        case (false, 2): (header, shift, bits) = (4, 18, 14)
        case (false, 3): (header, shift, bits) = (5, 22, 18)
        case (false, _): (header, shift, bits) = (3, 14, 10)
        }
        guard header <= block.count else { return nil }
        if kind == 1 { return header + 1 }
        var number = 0
        for index in 0..<header { number |= Int(block[index]) << (8 * index) }
        return header + (number >> shift & (1 << bits - 1))
    }
}
