internal import Bytes
internal import CZstd

/// Compresses text into independent Zstandard frames, each with content size and checksum.
///
/// One context serves all frames. The bytes of a frame depend on its text and the level alone.
@safe public struct FrameCompressor: ~Copyable {
    private let context: OpaquePointer
    /// The buffer in which frames are made: room for the worst case. Only the written part takes memory, and always the
    /// same.
    private var output = ByteBuffer()

    /// Levels that keep a frame's window within what readers accept.
    public static let levels = 1...19

    /// Creates a compressor for a level of `levels`.
    public init(level: Int) {
        precondition(Self.levels.contains(level))
        guard let context = unsafe ZSTD_createCCtx() else { preconditionFailure("no memory for a compression context") }
        unsafe self.context = context
        set(ZSTD_c_compressionLevel, Int32(level))
        set(ZSTD_c_checksumFlag, 1)
        set(ZSTD_c_contentSizeFlag, 1)
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// Returns one frame that holds `text`. Complexity: O(n).
    public mutating func frame(of text: Span<UInt8>) -> [UInt8] {
        output.removeAll()
        output.reserve(ZSTD_compressBound(text.count))
        unsafe output.appendUninitialized { room in
            let size = unsafe text.withUnsafeBytes { input in
                unsafe ZSTD_compress2(context, room.baseAddress, room.count, input.baseAddress, input.count)
            }
            // Only a broken installation can fail here.
            precondition(ZSTD_isError(size) == 0, "zstd cannot compress")
            return size
        }
        return output.array
    }

    private func set(_ parameter: ZSTD_cParameter, _ value: Int32) {
        precondition(
            unsafe ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0, "zstd refuses a parameter")
    }
}
