internal import Capture
internal import Files

/// The facts about a zip before libzip reads it: where its directory may end, and how many members that states.
enum ZipEnd {
    private static let endMark: [UInt8] = [UInt8(ascii: "P"), UInt8(ascii: "K"), 5, 6]
    private static let locatorMark: [UInt8] = [UInt8(ascii: "P"), UInt8(ascii: "K"), 6, 7]
    /// An end record without its comment, the longest comment, and the locator of a ZIP64 end.
    private static let (endSize, commentSize, locatorSize) = (22, 65_535, 20)

    /// Refuses a zip beyond the limits.
    static func check(_ file: borrowing Descriptor, _ limits: ZipLimits) throws(CaptureError) {
        let size = try readingSource { () throws(FileError) in try file.status().size }
        var tail = [UInt8](repeating: 0, count: Int(min(size, Int64(endSize + commentSize + locatorSize))))
        let start = size - Int64(tail.count)
        let count = try readingSource { () throws(FileError) in
            try file.read(into: &tail, at: start, count: tail.count)
        }
        var ends = 0
        for at in 0..<max(0, count - endSize + 1) where tail[at...].starts(with: endMark) {
            ends += 1
            guard ends <= limits.ends else {
                let text = "more than \(limits.ends) ends of a zip in its last 64 KiB"
                throw CaptureError(.format, "\(file.path.display): \(text)")
            }
            guard try members(tail, at, file) <= UInt64(limits.members) else { throw tooMany(file.path, limits) }
        }
        guard ends > 0 else {
            throw CaptureError(
                .format,
                "\(file.path.display): this zip is cut off: the list of its files, which ends a zip, is missing",
                hint: "copy it again")
        }
    }

    /// Returns the error for too many members.
    static func tooMany(_ path: Path, _ limits: ZipLimits) -> CaptureError {
        CaptureError(.format, "\(path.display): more than \(limits.members) members in this zip")
    }

    /// Returns the number of members that an end record states, or the ZIP64 record to which its locator leads.
    private static func members(
        _ tail: [UInt8], _ at: Int, _ file: borrowing Descriptor
    ) throws(CaptureError) -> UInt64 {
        let stated = number(tail, at + 10, 2)
        guard at >= locatorSize, tail[(at - locatorSize)...].starts(with: locatorMark) else { return stated }
        let place = number(tail, at - locatorSize + 8, 8)
        guard place < UInt64(Int64.max) else { return stated }
        var record = [UInt8](repeating: 0, count: 40)
        let count = try readingSource { () throws(FileError) in
            try file.read(into: &record, at: Int64(place), count: record.count)
        }
        guard count == record.count else { return stated }
        let full = number(record, 32, 8)
        // This is not a count: it says that the count is in the other record.
        return stated == 0xFFFF ? full : max(stated, full)
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
        bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
