public import Files
internal import Bytes
internal import CanonicalJSON

/// The names that people give to sources and devices of an archive, by the hashes that an archive has for them
/// (`Spec/labels.md`). The names are in no archive, no export and no message.
///
///     healthprobe-labels 1
///     <64 hex digits> <name as a canonical JSON string>
public struct Labels: Sendable {
    /// Its first line, with the line end.
    static let heading = "healthprobe-labels 1\n"
    /// Bytes of a file that is looked at.
    static let sizeLimit: Int64 = 8 << 20
    /// Labels of one file.
    public static let countLimit = 10_000
    /// Bytes of one name.
    public static let nameLimit = 512

    /// Names by 64 lower-case hex digits.
    public private(set) var names: [String: String] = [:]

    /// No labels.
    public init() {}

    /// Returns the usual path, beside the archive.
    public static func defaultPath(of archive: Path) -> Path { archive.withSuffix(".labels") }

    /// Returns `true` if a text is a hash as an archive has it: 64 lower-case hex digits.
    public static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Returns `true` if a text can be a name.
    public static func isName(_ text: String) -> Bool {
        let size = text.utf8.count
        return size > 0 && size <= nameLimit && !text.utf8.contains(0)
    }

    /// Gives a hash its name, instead of the one that it had.
    ///
    /// - Throws: `notFound` where there is no room for another.
    public mutating func set(_ hash: String, _ name: String) throws(ArchiveError) {
        precondition(Self.isHash(hash) && Self.isName(name), "no label")
        guard names[hash] != nil || names.count < Self.countLimit else {
            throw ArchiveError(.storage, "there are \(Self.countLimit) labels already")
        }
        names[hash] = name
    }

    /// Adds the name of a hash that has none. Returns whether it is there now; false where it cannot be a name, or
    /// there is no room.
    public mutating func add(_ hash: String, _ name: String) -> Bool {
        guard names[hash] == nil else { return true }
        guard Self.isHash(hash), Self.isName(name), names.count < Self.countLimit else { return false }
        names[hash] = name
        return true
    }

    /// Forgets a label; whether there was one.
    public mutating func forget(_ hash: String) -> Bool { names.removeValue(forKey: hash) != nil }

    /// Returns a name as it is shown: an unreadable character (of control, of format, of no use, ends of lines) becomes
    /// `\x` and two digits for each of its bytes. The dialect of a table adds its mark.
    public static func shown(_ name: String) -> String { printable(name.utf8, limit: nameLimit) }

    /// `shown` of all, by hash.
    public var shown: [String: String] { names.mapValues(Self.shown) }

    // MARK: The file

    /// Returns the labels of a file; `nil` if there is none.
    ///
    /// - Throws: `unreadable` where it is no regular file, somebody else's, open to others than its owner, too large or
    ///   malformed, which names the line.
    public static func read(_ path: Path) throws(ArchiveError) -> Labels? {
        let found = try ArchiveError.wrapping { () throws(FileError) -> FileStatus? in try FileStatus.ofName(path) }
        guard let found else { return nil }
        guard found.isRegular else {
            throw ArchiveError(.unreadable, "\(path.display): \(found.kind), not a regular file")
        }
        let bytes = try content(path)
        guard bytes.starts(with: heading.utf8) else {
            throw ArchiveError(.unreadable, "\(path.display): line 1: not a file of labels")
        }
        var labels = Labels()
        var lines = bytes[heading.utf8.count...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.popLast()?.isEmpty == true else {
            throw ArchiveError(.unreadable, "\(path.display): line \(lines.count + 2): the line has no end")
        }
        for (index, line) in lines.enumerated() {
            if let fault = labels.add(line) {
                throw ArchiveError(.unreadable, "\(path.display): line \(index + 2): \(fault)")
            }
        }
        return labels
    }

    /// Adds a line of a file; what is wrong with it, or nil.
    private mutating func add(_ line: ArraySlice<UInt8>) -> String? {
        let form = "not a hash of 64 lower-case hex digits, a blank and a name as a JSON string"
        guard line.count > 65, line[line.startIndex + 64] == UInt8(ascii: " ") else { return form }
        let hash = String(decoding: line.prefix(64), as: UTF8.self)
        guard Self.isHash(hash), let name = Self.text(Array(line.dropFirst(65))) else { return form }
        guard Self.isName(name) else { return "the name is empty, longer than \(Self.nameLimit) bytes, or has a NUL" }
        guard names[hash] == nil else { return "the hash has a label already" }
        guard names.count < Self.countLimit else { return "more than \(Self.countLimit) labels" }
        names[hash] = name
        return nil
    }

    /// Returns the text that a canonical JSON string stands for.
    private static func text(_ json: [UInt8]) -> String? {
        var reader = Reader(.canonical)
        do throws(JSONError) {
            guard case .string(let contents) = try reader.next(in: json.span) else { return nil }
            var bytes: [UInt8] = []
            reader.unescape(contents, in: json.span, into: &bytes)
            guard case .end = try reader.next(in: json.span) else { return nil }
            return String(validating: bytes, as: UTF8.self)
        } catch {
            return nil
        }
    }

    private static func content(_ path: Path) throws(ArchiveError) -> [UInt8] {
        let descriptor = try ArchiveError.wrapping { () throws(FileError) in try Descriptor.readingName(path) }
        let status = try ArchiveError.wrapping { () throws(FileError) in try descriptor.status() }
        guard status.isRegular else {
            throw ArchiveError(.unreadable, "\(path.display): \(status.kind), not a regular file")
        }
        guard status.mode & 0o077 == 0 else {
            throw ArchiveError(
                .unreadable, "\(path.display): others than the owner can read or write it",
                hint: "chmod 600 \(path.display)")
        }
        guard status.isOwn || status.isRoots else {
            throw ArchiveError(.unreadable, "\(path.display): belongs to another user")
        }
        guard status.size <= sizeLimit else {
            throw ArchiveError(.unreadable, "\(path.display): larger than \(sizeLimit >> 20) MiB")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let size = bytes.count
        let count = try ArchiveError.wrapping { () throws(FileError) in
            try descriptor.read(into: &bytes, at: 0, count: size)
        }
        return Array(bytes.prefix(count))
    }

    /// Writes the file anew, sorted by hash: whoever reads meanwhile finds the old one or the new one. Without a label
    /// there is no file.
    public func write(_ path: Path) throws(ArchiveError) {
        if let found = try ArchiveError.wrapping({ () throws(FileError) in try FileStatus.ofName(path) }),
            !found.isRegular
        {
            throw ArchiveError(.storage, "\(path.display): \(found.kind), not a regular file")
        }
        var text = Array(Self.heading.utf8)
        for (hash, name) in names.sorted(by: { $0.key < $1.key }) {
            var json = Writer()
            json.string(name)
            text += Array(hash.utf8) + [UInt8(ascii: " ")] + json.bytes + [UInt8(ascii: "\n")]
        }
        try ArchiveError.storing { () throws(FileError) in
            try PendingFile.removeAbandoned(destination: path)
            if names.isEmpty {
                if FileStatus.exists(path) { try remove(path) }
                return
            }
            var file = try PendingFile(
                destination: path, token: PendingFile.token(of: UInt64.random(in: .min ... .max)))
            try file.write(text.span)
            try file.synchronize()
            try file.publish(replacing: true)
        }
    }

    /// Returns `true` if a file is one of labels, of whichever archive: none is ever replaced by an output.
    public static func isThere(_ path: Path) -> Bool {
        let first = Array(heading.utf8)
        var bytes = [UInt8](repeating: 0, count: first.count)
        guard let status = try? FileStatus.of(path), status.isRegular,
            (try? Descriptor.reading(path).read(into: &bytes, at: 0, count: first.count)) == first.count
        else { return false }
        return bytes == first
    }
}
