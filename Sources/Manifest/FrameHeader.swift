/// The header of a Zstandard frame (RFC 8878, 3.1.1.1), read without trusting it.
///
///     magic (4) │ descriptor (1) │ window (0 or 1) │ dictionary id (0, 1, 2 or 4) │ content size (0, 1, 2, 4 or 8)
///     descriptor: bits 7-6 content size flag, 5 single segment, 4 unused, 3 reserved, 2 checksum,
///                 1-0 dictionary id flag
public struct FrameHeader: Sendable {
    /// Bytes of the header, the magic included.
    public let size: Int
    /// `true` if a checksum follows the blocks.
    public let hasChecksum: Bool
    /// Text size that the header states.
    public let contentSize: UInt64?
    /// Window that a decoder needs.
    public let windowSize: UInt64
    /// Most text that one block may hold: no more than 128 KiB, and no more than a window that the header describes
    /// (RFC 8878, 3.1.1.2.4).
    public let blockLimit: Int
    /// The byte that states the window; for a single segment, which has none, that of the largest window.
    public let windowByte: UInt8
    /// `true` if the header names a dictionary.
    public let hasDictionary: Bool

    /// Returns the size of a header whose descriptor byte is `descriptor`.
    static func size(descriptor: UInt8) -> Int {
        let single = descriptor & 0x20 != 0
        let dictionary = [0, 1, 2, 4][Int(descriptor & 3)]
        let content = [single ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        return 5 + (single ? 0 : 1) + dictionary + content
    }

    /// Reads a header; `bytes` holds at least `size(descriptor:)` bytes.
    init(_ bytes: Span<UInt8>) {
        let descriptor = bytes[4]
        let single = descriptor & 0x20 != 0
        let size = Self.size(descriptor: descriptor)
        self.size = size
        hasChecksum = descriptor & 4 != 0
        func number(_ count: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in 0..<count { value |= UInt64(bytes[size - count + index]) << UInt64(8 * index) }
            return value
        }
        let contentSize: UInt64? =
            switch descriptor >> 6 {
            case 0: single ? number(1) : nil
            case 1: number(2) + 256
            case 2: number(4)
            default: number(8)
            }
        self.contentSize = contentSize
        let idSize = [0, 1, 2, 4][Int(descriptor & 3)]
        // An id of 0 names no dictionary.
        hasDictionary = (0..<idSize).contains { bytes[5 + (single ? 0 : 1) + $0] != 0 }
        windowByte = single ? 0x68 : bytes[5]
        if single {
            windowSize = contentSize ?? 0
            blockLimit = 1 << 17
        } else {
            let base: UInt64 = 1 << (10 + UInt64(bytes[5] >> 3))
            windowSize = base + base / 8 * UInt64(bytes[5] & 7)
            blockLimit = Int(min(windowSize, 1 << 17))
        }
    }
}
