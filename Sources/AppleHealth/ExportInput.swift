internal import Capture
internal import Files

/// Where the bytes of an export come from: a file, a pipe, or a member of a zip.
struct ExportInput: ~Copyable {
    private enum Source: ~Copyable {
        case stream(Descriptor)
        case member(ZipMemberReader)
    }

    private let source: Source
    /// What was read already to see what it is.
    private var begun: [UInt8]

    /// A text. `begun` is what was read of it already.
    init(_ file: consuming Descriptor, begun: [UInt8] = []) {
        source = .stream(file)
        self.begun = begun
    }

    /// A member of a zip.
    init(_ member: consuming ZipMemberReader) {
        source = .member(member)
        begun = []
    }

    /// Reads the next bytes into the front of the buffer; 0 at the end, nil where a member of a zip is damaged.
    mutating func read(into buffer: inout [UInt8]) throws(CaptureError) -> Int? {
        guard begun.isEmpty else {
            let count = min(begun.count, buffer.count)
            for at in 0..<count { buffer[at] = begun[at] }
            begun.removeFirst(count)
            return count
        }
        switch source {
        case .stream(let file): return try readingSource { () throws(FileError) in try file.read(into: &buffer) }
        case .member(let member): return member.read(into: &buffer)
        }
    }
}

/// An export before it is read: a text, or a zip with texts.
enum ExportFile: ~Copyable {
    case text(ExportInput)
    case zip(ZipArchive)

    /// Opens a file, or standard input where the path is `-`. A zip is known by its first bytes.
    static func open(_ path: Path) throws(CaptureError) -> ExportFile {
        if path.bytes == [0x2D] { return try openStandardInput() }
        // Before it is opened: opening a device can have effects.
        guard let status = try readingSource({ () throws(FileError) in try FileStatus.of(path) }) else { throw CaptureError(.source, "\(path.display): no such file") }
        guard status.isRegular else {
            throw CaptureError(.source, "\(path.display): \(status.kind), not a regular file", hint: status.isDirectory ? "name the export.zip or export.xml" : "- reads standard input")
        }
        return try open(readingSource { () throws(FileError) in try Descriptor.reading(path) })
    }

    /// Opens a regular file.
    private static func open(_ file: consuming Descriptor) throws(CaptureError) -> ExportFile {
        var front = [UInt8](repeating: 0, count: 4)
        let count = try readingSource { () throws(FileError) in try file.read(into: &front, at: 0, count: front.count) }
        return isZip(front[..<count]) ? .zip(try ZipArchive(file)) : .text(ExportInput(file))
    }

    private static func openStandardInput() throws(CaptureError) -> ExportFile {
        let input = try readingSource { () throws(FileError) in try Descriptor.standardInput() }
        let status = try readingSource { () throws(FileError) in try input.status() }
        if status.isRegular { return try open(input) }
        guard status.isPipe else { throw CaptureError(.source, "standard input: \(status.kind), not a file or a pipe") }
        var front = [UInt8](repeating: 0, count: 1 << 16)
        var begun: [UInt8] = []
        while begun.count < 4 {
            let count = try readingSource { () throws(FileError) in try input.read(into: &front) }
            if count == 0 { break }
            begun += front[..<count]
        }
        return isZip(begun[...]) ? .zip(try ZipArchive(staged(begun, input))) : .text(ExportInput(input, begun: begun))
    }

    /// Copies a pipe into a file without a name, because a zip is read from its end.
    private static func staged(_ begun: [UInt8], _ input: borrowing Descriptor) throws(CaptureError) -> Descriptor {
        let copy = try readingSource { () throws(FileError) in try Descriptor.unnamed() }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        try readingSource { () throws(FileError) in
            try copy.write(begun.span)
            while true {
                let count = try input.read(into: &buffer)
                if count == 0 { return }
                try copy.write(buffer.span.extracting(0..<count))
            }
        }
        return copy
    }

    /// Whether a file begins like a zip with a member, or without any.
    private static func isZip(_ front: ArraySlice<UInt8>) -> Bool { front.starts(with: [0x50, 0x4B, 3, 4]) || front.starts(with: [0x50, 0x4B, 5, 6]) }
}

/// Does something with a file, and throws what the system refused as an error of a capture.
func readingSource<Value: ~Copyable>(_ body: () throws(FileError) -> Value) throws(CaptureError) -> Value {
    do throws(FileError) { return try body() } catch { throw CaptureError(.source, error.description) }
}
