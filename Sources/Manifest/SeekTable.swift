/// Collects the sizes of frames and writes the seek table that ends a bundle (Zstandard seekable format 0.1.0).
///
///     magic 0x184D2A5E │ size of the rest │ per frame: compressed, text │ number of frames │ descriptor 0 │ 0x8F92EAB1
///     all numbers 32-bit little-endian, the descriptor one byte
public struct SeekTable: Sendable {
    private var entries: [UInt8] = []
    private var count: UInt32 = 0

    /// An empty table.
    public init() {}

    /// Adds a frame. Sizes are below 2^32 because a frame's text is limited.
    public mutating func add(compressedSize: Int, textSize: Int) {
        append(UInt32(compressedSize), to: &entries)
        append(UInt32(textSize), to: &entries)
        count += 1
    }

    /// Returns the skippable frame.
    public func frame() -> [UInt8] {
        var bytes: [UInt8] = []
        append(Container.seekTableMagic, to: &bytes)
        append(UInt32(entries.count + Container.seekTableFooter), to: &bytes)
        bytes += entries
        append(count, to: &bytes)
        bytes.append(0)
        append(Container.seekableMagic, to: &bytes)
        return bytes
    }

    private func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
