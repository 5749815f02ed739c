/// Constants of the Zstandard frame format (RFC 8878) and of its seekable variant: all that reader and writer of a
/// bundle share.
enum Container {
    /// The skippable frame that holds a seek table.
    static let seekTableMagic: UInt32 = 0x184D_2A5E
    /// Last four bytes of a seek table.
    static let seekableMagic: UInt32 = 0x8F92_EAB1
    /// Bytes after a seek table's entries: number of frames, descriptor, magic.
    static let seekTableFooter = 9
    /// The largest window that a frame may ask for.
    static let windowLimit: UInt64 = 1 << 23
}

/// The limits that a reader accepts. Limits are applied while bytes stream, never taken from a header.
public struct ContainerLimits: Sendable {
    /// Text of one frame, in bytes.
    public var frame: Int
    /// One line without its LF, in bytes.
    public var line: Int

    /// The limits of `Spec/bundle.md`, or others.
    public init(frame: Int = 66 << 20, line: Int = 64 << 20) {
        self.frame = frame
        self.line = line
    }
}

/// Something in the container that is invalid. The code is one of `Spec/verification-codes.md`, layer container.
public struct ContainerFault: Error, Sendable {
    /// The part of the code after `container.`.
    public enum Code: String, Sendable {
        case empty, notZstd = "not_zstd", frameHeader = "frame_header", dictionary, window, frameLimit = "frame_limit",
            frameEmpty = "frame_empty"
        case frameCorrupt = "frame_corrupt", checksumMissing = "checksum_missing", checksum, contentSizeMissing =
            "content_size_missing"
        case contentSize = "content_size", truncated, frameLineEnd = "frame_line_end", skippable, trailing
        case seekTableMissing = "seek_table_missing", seekTable = "seek_table", seekTableMismatch =
            "seek_table_mismatch"
    }

    /// The code of the invalid thing.
    public let code: Code
    /// The offset in the file, from 0.
    public let byte: Int64
    /// The number of the frame, from 1.
    public let frame: Int?
    /// The expected thing, if it adds to the code.
    public let expected: String?
    /// The thing that was found.
    public let found: String?

    init(_ code: Code, byte: Int64, frame: Int? = nil, expected: String? = nil, found: String? = nil) {
        self.frame = frame
        self.code = code
        self.byte = byte
        self.expected = expected
        self.found = found
    }
}
