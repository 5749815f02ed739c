internal import Capture
internal import Files

/// The source of an export's bytes: a file, a pipe, or a member of a zip.
struct ExportInput: ~Copyable {
    private enum Source: ~Copyable {
        case file(Descriptor)
        /// It gives little at a time and may give nothing for long.
        case pipe(Descriptor)
        case member(ZipMemberReader)
    }

    private let source: Source
    /// The bytes that were read already to detect the kind of the input.
    private var begun: [UInt8]
    private let shouldStop: @Sendable () -> Bool

    /// Bytes of a file; nil of a pipe and of a member of a zip.
    var size: Int? {
        switch source {
        case .file(let file): (try? file.status()).map { Int($0.size) }
        case .pipe: nil
        case .member: nil
        }
    }

    /// A text. `begun` is what was read of it already.
    init(
        _ file: consuming Descriptor, isPipe: Bool = false, begun: [UInt8] = [],
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) {
        source = isPipe ? .pipe(file) : .file(file)
        self.begun = begun
        self.shouldStop = shouldStop
    }

    /// A member of a zip.
    init(_ member: consuming ZipMemberReader) {
        source = .member(member)
        begun = []
        shouldStop = { false }
    }

    /// Reads the next bytes into the front of the buffer; 0 at the end or where it is to stop, nil where a member of a
    /// zip is damaged.
    mutating func read(into buffer: inout [UInt8]) throws(CaptureError) -> Int? {
        guard begun.isEmpty else {
            let count = min(begun.count, buffer.count)
            for at in 0..<count { buffer[at] = begun[at] }
            begun.removeFirst(count)
            return count
        }
        switch source {
        case .file(let file):
            return try readingSource { () throws(FileError) in try file.read(into: &buffer) }
        case .pipe(let file): return try Self.fill(&buffer, from: file, shouldStop)
        case .member(let member): return try member.read(into: &buffer)
        }
    }

    /// Fills the buffer from a pipe: a long tag is looked at again with every stretch, so these must not be short.
    private static func fill(
        _ buffer: inout [UInt8], from pipe: borrowing Descriptor, _ shouldStop: () -> Bool
    ) throws(CaptureError) -> Int {
        var part = [UInt8](repeating: 0, count: min(buffer.count, 1 << 16))
        var filled = 0
        while filled < buffer.count {
            let wanted = min(part.count, buffer.count - filled)
            let count = try readingSource { () throws(FileError) in
                try pipe.waitForInput(shouldStop) ? try pipe.read(into: &part, count: wanted) : 0
            }
            if count == 0 { break }
            for index in 0..<count { buffer[filled + index] = part[index] }
            filled += count
        }
        return filled
    }
}

/// An export before it is read: a text, or a zip or folder with texts.
enum ExportFile: ~Copyable {
    case text(ExportInput)
    case package(ExportPackage)

    /// Opens a file or folder, or standard input where the path is `-`. A zip is known by its first bytes.
    static func open(
        _ path: Path, _ limits: ZipLimits, _ shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> ExportFile {
        if path.bytes == [UInt8(ascii: "-")] { return try openStandardInput(limits, shouldStop) }
        // Before it is opened: opening a device can have effects.
        guard let status = try readingSource({ () throws(FileError) in try FileStatus.of(path) }) else {
            throw CaptureError(.source, "\(path.display): no such file")
        }
        if status.isDirectory { return .package(.folder(try ExportFolder(path, limits, shouldStop))) }
        guard status.isRegular else {
            throw CaptureError(
                .source, "\(path.display): \(status.kind), not a regular file or a folder",
                hint: "- reads standard input")
        }
        return try open(readingSource { () throws(FileError) in try Descriptor.reading(path) }, limits, shouldStop)
    }

    /// Opens a regular file.
    private static func open(
        _ file: consuming Descriptor, _ limits: ZipLimits, _ shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> ExportFile {
        var front = [UInt8](repeating: 0, count: 4)
        let count = try readingSource { () throws(FileError) in try file.read(into: &front, at: 0, count: front.count) }
        guard isZip(front[..<count]) else { return .text(ExportInput(file)) }
        return .package(.zip(try ZipArchive(file, limits, shouldStop)))
    }

    private static func openStandardInput(
        _ limits: ZipLimits, _ shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> ExportFile {
        let input = try readingSource { () throws(FileError) in try Descriptor.standardInput() }
        let status = try readingSource { () throws(FileError) in try input.status() }
        if status.isRegular { return try open(input, limits, shouldStop) }
        guard status.isPipe else { throw CaptureError(.source, "standard input: \(status.kind), not a file or a pipe") }
        var front = [UInt8](repeating: 0, count: 1 << 16)
        var begun: [UInt8] = []
        while begun.count < 4 {
            let count = try readingSource { () throws(FileError) in
                try input.waitForInput(shouldStop) ? try input.read(into: &front) : 0
            }
            if count == 0 { break }
            begun += front[..<count]
        }
        guard isZip(begun[...]) else {
            return .text(ExportInput(input, isPipe: true, begun: begun, shouldStop: shouldStop))
        }
        return .package(
            .zip(try ZipArchive(staged(begun, input, limits.pipeBytes, shouldStop), limits, shouldStop)))
    }

    /// Copies a pipe into a file without a name, because a zip is read from its end.
    private static func staged(
        _ begun: [UInt8], _ input: borrowing Descriptor, _ limit: Int64, _ shouldStop: () -> Bool
    ) throws(CaptureError) -> Descriptor {
        var copy: Descriptor?
        do throws(FileError) {
            copy = try Descriptor.unnamedCopy(of: input, after: begun.span, limit: limit, shouldStop: shouldStop)
        } catch {
            throw CaptureError(.source, error.description)
        }
        if shouldStop() { throw CaptureError(.source, "standard input: stopped") }
        guard let copy = copy.take() else {
            let text = "standard input: a zip of more than \(limit >> 30) GiB"
            throw CaptureError(.source, text, hint: "name it as a file")
        }
        return copy
    }

    /// Returns `true` if a file begins like a zip with a member, or without any.
    private static func isZip(_ front: ArraySlice<UInt8>) -> Bool {
        front.starts(with: [UInt8(ascii: "P"), UInt8(ascii: "K"), 3, 4])
            || front.starts(with: [UInt8(ascii: "P"), UInt8(ascii: "K"), 5, 6])
    }
}

/// Does something with a file, and throws what the system refused as an error of a capture.
func readingSource<Value: ~Copyable>(_ body: () throws(FileError) -> Value) throws(CaptureError) -> Value {
    do throws(FileError) { return try body() } catch { throw CaptureError(.source, error.description) }
}
