internal import Files
internal import Manifest
internal import Verification

/// Frames of recovered items, in a temporary file beside the output. It has no name of its own and goes when it is
/// dropped.
struct Spool: ~Copyable {
    private var file: PendingFile
    private(set) var size: Int64 = 0
    /// Sizes of the frames.
    private(set) var frames: [(size: Int, textSize: Int)] = []

    init(beside destination: Path, token: String) throws(FileError) {
        file = try PendingFile(destination: destination, token: token)
    }

    /// Appends a frame.
    mutating func add(_ frame: OutputFrame) throws(FileError) {
        try file.write(frame.bytes.span)
        size += Int64(frame.bytes.count)
        frames.append((frame.bytes.count, frame.textSize))
    }

    /// Returns the bytes so far, to be read.
    borrowing func source() throws -> FileSource {
        try FileSource(Descriptor.reading(file.temporary))
    }

    /// Calls `body` with the text of each frame, in order.
    borrowing func forEachText(limit: Int, _ body: (Span<UInt8>) throws -> Void) throws {
        var reader = try ContainerReader(source(), limits: ContainerLimits(frame: limit))
        var decoder = FrameDecompressor(limit: limit)
        // The spool has no seek table: that is the one thing that is reported.
        while let part = try reader.next(report: { _ in }) {
            guard case .frame(let frame) = part, case .text(let size) = decoder.decode(frame) else {
                preconditionFailure("the spool holds what was written to it")
            }
            try body(decoder.text.extracting(first: size))
        }
    }
}
