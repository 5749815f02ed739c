package import Bytes
package import Files

/// Rows in order: in memory, or a part of a temporary file.
package struct RowRun: Sendable {
    package let memory: [UInt8]
    package let file: SortFile?
    package let range: Range<Int64>

    package init(memory: [UInt8]) {
        self.memory = memory
        file = nil
        range = 0..<0
    }

    package init(_ file: SortFile, _ range: Range<Int64>) {
        memory = []
        self.file = file
        self.range = range
    }
}

/// A temporary file without a name, which its runs share.
package final class SortFile: Sendable {
    private let descriptor: Descriptor
    private let path: Path

    /// - Parameter path: the archive's, for errors.
    package init(of path: Path) throws(ArchiveError) {
        let opened = try Self.sorting(path) { () throws(FileError) in try Descriptor.unnamed(in: .sortingFolder) }
        descriptor = opened
        self.path = path
    }

    /// Bytes so far.
    package func size() throws(ArchiveError) -> Int64 {
        try Self.sorting(path) { () throws(FileError) in try descriptor.status().size }
    }

    /// Writes behind everything else.
    package func write(_ bytes: Span<UInt8>) throws(ArchiveError) {
        do {
            try descriptor.write(bytes)
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Reads exactly so many bytes into the buffer's front.
    package func read(into buffer: inout [UInt8], at offset: Int64, count: Int) throws(ArchiveError) {
        let found = try Self.sorting(path) { () throws(FileError) in
            try descriptor.read(into: &buffer, at: offset, count: count)
        }
        guard found == count else {
            throw Self.failure(path, FileError("read", descriptor.path, number: FileError.inputOutput))
        }
    }

    private static func sorting<Result: ~Copyable>(_ path: Path, _ body: () throws(FileError) -> Result)
        throws(ArchiveError) -> Result
    {
        do {
            return try body()
        } catch {
            throw failure(path, error)
        }
    }

    private static func failure(_ path: Path, _ error: FileError) -> ArchiveError {
        ArchiveError(.storage, "\(path.display): cannot sort its rows: \(error.description)")
    }
}

/// Writes a run to the end of a temporary file, in large pieces.
package struct SortOutput: ~Copyable {
    private let file: SortFile
    private let start: Int64
    private var written: Int64 = 0
    private var buffer: ByteBuffer
    private static let size = 1 << 18

    package init(_ file: SortFile) throws(ArchiveError) {
        self.file = file
        start = try file.size()
        buffer = ByteBuffer(capacity: Self.size)
    }

    package mutating func append(_ bytes: Span<UInt8>) throws(ArchiveError) {
        if buffer.count + bytes.count > Self.size { try flush() }
        guard bytes.count > Self.size else { return buffer.append(copying: bytes) }
        try file.write(bytes)
        written += Int64(bytes.count)
    }

    package consuming func finish() throws(ArchiveError) -> RowRun {
        try flush()
        return RowRun(file, start..<start + written)
    }

    private mutating func flush() throws(ArchiveError) {
        try file.write(buffer.span)
        written += Int64(buffer.count)
        buffer.removeAll()
    }
}

/// The place of a row among bytes that hold several.
package struct RowPlace {
    /// The index at which its head begins.
    package let start: Int
    package let rowCount: Int
    package let companionCount: Int

    /// Bytes of the two lengths.
    package static let headSize = 8

    package init(start: Int, rowCount: Int, companionCount: Int) {
        self.start = start
        self.rowCount = rowCount
        self.companionCount = companionCount
    }

    /// Reads the head at `start`.
    package init(_ bytes: Span<UInt8>, at start: Int) {
        self.init(
            start: start, rowCount: Self.count(bytes, at: start), companionCount: Self.count(bytes, at: start + 4))
    }

    package var row: Range<Int> { start + Self.headSize..<start + Self.headSize + rowCount }
    package var companion: Range<Int> { row.upperBound..<row.upperBound + companionCount }
    /// Everything, with the head.
    package var range: Range<Int> { start..<end }
    package var end: Int { start + Self.headSize + rowCount + companionCount }

    /// Returns `true` if a row sorts before another one: by its bytes, then by those of what it brings along.
    package func precedes(_ other: RowPlace, _ bytes: Span<UInt8>, _ otherBytes: Span<UInt8>) -> Bool {
        let order = bytes.extracting(row).compared(with: otherBytes.extracting(other.row))
        return order < 0
            || (order == 0 && bytes.extracting(companion).compared(with: otherBytes.extracting(other.companion)) < 0)
    }

    package func appendHead(to bytes: inout ByteBuffer) {
        bytes.append(lowBytesOf: UInt64(rowCount) | UInt64(companionCount) << 32)
    }

    /// Returns the first eight bytes of a row as a number that compares like them; short rows count as filled up with
    /// zeros.
    package static func prefix(_ row: Span<UInt8>) -> UInt64 {
        if row.count >= 8 {
            return unsafe row.withUnsafeBytes { unsafe UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | (index < row.count ? UInt64(row[index]) : 0) }
        return prefix
    }

    private static func count(_ bytes: Span<UInt8>, at start: Int) -> Int {
        Int(
            UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16 | UInt32(
                bytes[start + 3]) << 24)
    }
}
