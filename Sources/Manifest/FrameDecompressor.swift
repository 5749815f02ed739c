internal import CZstd

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

    /// Decodes a frame and gives its text to `body`; the text is valid for that call.
    ///
    /// - Throws: a `ContainerFault` whose byte is the start of the frame.
    public mutating func decode<Result>(_ frame: RawFrame, _ body: (Span<UInt8>) -> Result) throws(ContainerFault) -> Result {
        var failure: ContainerFault.Code
        let count: Int
        switch decoded(frame.bytes.span) {
        case .success(let size):
            return body(buffer.span.extracting(first: size))
        case .failure(let fault):
            failure = fault.code
            count = frame.header.size
        }
        // A wrong content size shows as corruption. The blocks and the checksum of such a frame decode well behind a header that states no size.
        if failure == .frameCorrupt, frame.header.contentSize != nil {
            let anonymous = Self.magic + [frame.header.hasChecksum ? 4 : 0, 0x68] + frame.bytes[count...]
            if case .success = decoded(anonymous.span) { failure = .contentSize }
        }
        throw ContainerFault(failure, byte: frame.offset)
    }

    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private struct Failure: Error { let code: ContainerFault.Code }

    /// Decodes into the buffer, which grows as text comes out and never beyond the limit.
    private mutating func decoded(_ frame: Span<UInt8>) -> Swift.Result<Int, Failure> {
        unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: min(limit, 4 << 20)) }
        var input = unsafe ZSTD_inBuffer(src: nil, size: frame.count, pos: 0)
        var produced = 0
        return unsafe frame.withUnsafeBytes { source in
            unsafe input.src = source.baseAddress
            while true {
                let capacity = buffer.count
                let (status, position) = unsafe buffer.withUnsafeMutableBytes { target in
                    var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: produced)
                    let status = unsafe ZSTD_decompressStream(context, &output, &input)
                    return unsafe (status, output.pos)
                }
                produced = position
                if ZSTD_isError(status) != 0 { return .failure(Failure(code: Self.code(of: status))) }
                if status == 0 { return .success(produced) }
                if produced < capacity {
                    // All input is used, the frame is not at its end: its blocks say less than they hold.
                    if unsafe input.pos == input.size { return .failure(Failure(code: .frameCorrupt)) }
                    continue
                }
                if capacity >= limit { return .failure(Failure(code: .frameLimit)) }
                buffer += [UInt8](repeating: 0, count: min(capacity, limit - capacity))
            }
        }
    }

    private static func code(of status: Int) -> ContainerFault.Code {
        switch ZSTD_getErrorCode(status) {
        case ZSTD_error_checksum_wrong: .checksum
        case ZSTD_error_frameParameter_windowTooLarge: .window
        case ZSTD_error_dictionary_wrong: .dictionary
        default: .frameCorrupt
        }
    }
}
