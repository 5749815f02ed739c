internal import Files

/// The log beside an archive (`-wal`), as SQLite judges it when it opens the archive (SQLite manual, "WAL-mode File
/// Format", 1.3 to 1.5).
///
///     header, 32 bytes: magic │ 3007000 │ page size │ checkpoints │ salt, 8 │ checksum, 8 of the 24 before
///     frame, 24 bytes:  page │ pages after a commit │ salt, 8 │ checksum, 8 of the first 8, the page and those before
struct LogFile: ~Copyable {
    private let file: Descriptor
    private let size: Int64
    private var buffer: [UInt8] = []
    private var checksum: (UInt32, UInt32) = (0, 0)
    private var isBigEndian = false

    /// Returns the reason why SQLite uses nothing of a log with content; `nil` if it does, or if there is none.
    ///
    /// A log that ends in a transaction which was not committed is what a cut leaves, and no fault; so is one whose
    /// first frame is of an earlier use of the file.
    static func fault(of file: Path) throws(ArchiveError) -> String? {
        try ArchiveError.wrapping { () throws(FileError) -> String? in
            let descriptor: Descriptor
            do throws(FileError) {
                descriptor = try Descriptor.readingName(file.withSuffix("-wal"))
            } catch {
                if error.isMissing { return nil }
                throw error
            }
            let status = try descriptor.status()
            guard status.isRegular, status.size > 32 else { return nil }
            var log = LogFile(file: descriptor, size: status.size)
            return try log.fault()
        }
    }

    private init(file: consuming Descriptor, size: Int64) {
        self.file = file
        self.size = size
    }

    private mutating func fault() throws(FileError) -> String? {
        guard try read(at: 0, 32) else { return nil }
        let magic = number(0)
        guard magic & ~1 == 0x377F_0682 else { return "its header is none of a log" }
        isBigEndian = magic & 1 == 1
        let pageSize = Int64(number(8))
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            return "its header states a page size that SQLite does not have"
        }
        add(0..<24)
        guard checksum == (number(24), number(28)) else { return "the checksum of its header does not fit" }
        let salt = (number(16), number(20))
        guard 32 + 24 + pageSize <= size, try read(at: 32, Int(24 + pageSize)) else { return nil }
        guard salt == (number(8), number(12)) else { return nil }
        add(0..<8)
        add(24..<buffer.count)
        return checksum == (number(16), number(20)) ? nil : "the checksum of its first frame does not fit"
    }

    private mutating func read(at offset: Int64, _ count: Int) throws(FileError) -> Bool {
        buffer = [UInt8](repeating: 0, count: count)
        return try file.read(into: &buffer, at: offset, count: count) == count
    }

    private func number(_ place: Int) -> UInt32 { buffer[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    /// Adds bytes, a multiple of eight, to the checksum.
    private mutating func add(_ range: Range<Int>) {
        for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let (first, second) = (number(place), number(place + 4))
            checksum.0 &+= (isBigEndian ? first : first.byteSwapped) &+ checksum.1
            checksum.1 &+= (isBigEndian ? second : second.byteSwapped) &+ checksum.0
        }
    }
}

extension Archive {
    /// Why SQLite uses nothing of the log beside the archive, which has content; nil where that is not so.
    package var logFault: String? {
        get throws(ArchiveError) { try LogFile.fault(of: file) }
    }
}
