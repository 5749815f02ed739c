internal import CZstd

/// What a frame's blocks hold.
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
        guard let context = unsafe ZSTD_createDCtx() else { preconditionFailure("no memory for a decompression context") }
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
        if isUsual, let size = frame.header.contentSize, size <= UInt64(min(limit, Self.usualSize)), let count = decodedAtOnce(frame.bytes.span, size: Int(size)) { return .text(count) }
        // Whatever is wrong, is found behind a header that states no size, so that a wrong size is told apart from wrong blocks.
        let anonymous = Self.magic + [frame.header.hasChecksum ? 4 : 0, frame.header.windowByte] + frame.bytes[frame.header.size...]
        switch decodedAsStream(anonymous.span, blockLimit: isUsual ? nil : frame.header.blockLimit) {
        case .success(let count):
            return frame.header.contentSize.map { $0 == UInt64(count) } ?? true ? .text(count) : .textOfOtherSize(count)
        case .failure(let failure): return .lost(failure.code)
        }
    }

    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    private static let usualSize = 8 << 20
    private static let usualBlockLimit = 1 << 17
    private static let anonymousHeaderSize = 6

    private struct Failure: Error { let code: ContainerFault.Code }

    /// The usual frame: everything is as its header says.
    private mutating func decodedAtOnce(_ frame: Span<UInt8>, size: Int) -> Int? {
        if buffer.count < size { buffer += [UInt8](repeating: 0, count: size - buffer.count) }
        let capacity = buffer.count
        let count = unsafe buffer.withUnsafeMutableBytes { target in
            unsafe frame.withUnsafeBytes { unsafe ZSTD_decompressDCtx(context, target.baseAddress, capacity, $0.baseAddress, $0.count) }
        }
        return ZSTD_isError(count) == 0 && count == size ? count : nil
    }

    /// Decodes into the buffer, which grows as text comes out and never beyond the limit.
    ///
    /// With a limit for blocks they are given one by one, and none may hold more text: releases of the library differ in whether they see to that.
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
                if ZSTD_isError(status) != 0 { return .failure(Failure(code: ZSTD_getErrorCode(status) == ZSTD_error_checksum_wrong ? .checksum : .frameCorrupt)) }
                if status == 0, let blockLimit, produced - blockStart > blockLimit { return .failure(Failure(code: .frameCorrupt)) }
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

    /// Where a block ends; of the last one, the end of the frame. `ContainerReader` has seen that blocks state sizes that are there.
    private static func endOfBlock(in frame: Span<UInt8>, from start: Int) -> Int {
        guard start + 3 <= frame.count else { return frame.count }
        let block = Int(frame[start]) | Int(frame[start + 1]) << 8 | Int(frame[start + 2]) << 16
        return block & 1 == 1 ? frame.count : min(frame.count, start + 3 + (block >> 1 & 3 == 1 ? 1 : block >> 3))
    }
}
