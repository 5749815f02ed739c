package import Files
internal import Manifest

/// A file that is looked at anywhere.
package struct FileSource: RandomAccess {
    private let file: SharedDescriptor
    /// Bytes of the file.
    package let size: Int64
    /// Bytes that are read at a time, and that make up a piece.
    let pieceSize: Int

    /// The file as large as it is now.
    package init(_ file: borrowing Descriptor, pieceSize: Int = 1 << 20) throws {
        size = try file.status().size
        self.pieceSize = pieceSize
        self.file = SharedDescriptor(try file.duplicate())
    }

    package func read(at offset: Int64, count: Int) throws -> [UInt8] {
        let count = Int(max(0, min(Int64(count), size - offset)))
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try file.descriptor.read(into: &bytes, at: offset, count: count)
        if got < count { bytes.removeLast(count - got) }
        return bytes
    }
}

/// A descriptor that several values refer to.
private final class SharedDescriptor {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
