/// Reads seek tables. Apart from the writer, `SeekTable`, on purpose.
enum SeekTableReader {
    /// Returns the number of entries of a well-formed table that fills `start..<end`; `nil` if it is none.
    static func count(_ source: inout some RandomAccess, from start: Int64, to end: Int64) throws -> Int? {
        guard start >= 0, end <= source.size, end - start >= 17, try source.read(at: start, count: 4) == .tableMagic
        else { return nil }
        let length = Int64(try source.read(at: start + 4, count: 4).number(at: 0))
        let footer = try source.read(at: end - 9, count: 9)
        let count = Int64(footer.number(at: 0))
        guard length == end - start - 8, length == 8 * count + 9, footer[4] == 0, Array(footer[5...]) == .tableEnd
        else { return nil }
        return Int(count)
    }

    /// Returns the starts of frames, by a table at the end of the file whose compressed sizes add up to its own place;
    /// `nil` if there is none.
    static func starts(_ source: inout some RandomAccess) throws -> [Int64]? {
        guard source.size >= 17 else { return nil }
        let count = Int64(try source.read(at: source.size - 9, count: 4).number(at: 0))
        let start = source.size - 17 - 8 * count
        // No frame is smaller than nine bytes: a table that states more frames than there is room for is not loaded.
        guard start >= 9 * count else { return nil }
        guard try self.count(&source, from: start, to: source.size) != nil else { return nil }
        let entries = try source.read(at: start + 8, count: Int(count) * 8)
        var starts: [Int64] = [0]
        for index in 0..<Int(count) { starts.append(starts[index] + Int64(entries.number(at: index * 8))) }
        return starts.last == start ? starts : nil
    }
}

extension [UInt8] {
    static var frameMagic: [UInt8] { [0x28, 0xB5, 0x2F, 0xFD] }
    static var tableMagic: [UInt8] { [0x5E, 0x2A, 0x4D, 0x18] }
    static var tableEnd: [UInt8] { [0xB1, 0xEA, 0x92, 0x8F] }

    var isFrameMagic: Bool { self == .frameMagic }
    var isSkippableMagic: Bool { count == 4 && self[0] & 0xF0 == 0x50 && self[1...].elementsEqual([0x2A, 0x4D, 0x18]) }

    /// Returns a little-endian 32-bit number.
    func number(at index: Int) -> UInt32 {
        UInt32(self[index]) | UInt32(self[index + 1]) << 8 | UInt32(self[index + 2]) << 16 | UInt32(self[index + 3])
            << 24
    }
}

/// Small numbers of a file, read in larger pieces.
struct WindowOnFile {
    private var start: Int64
    private var bytes: [UInt8] = []

    init(at start: Int64) { self.start = start }

    /// Returns a little-endian number of up to four bytes; `nil` beyond the end of the file.
    mutating func number(at offset: Int64, count: Int, _ source: inout some RandomAccess) throws -> UInt32? {
        if offset < start || offset + Int64(count) > start + Int64(bytes.count) {
            start = offset
            bytes = try source.read(at: offset, count: 1 << 12)
        }
        let index = Int(offset - start)
        guard index + count <= bytes.count else { return nil }
        var value: UInt32 = 0
        for position in 0..<count { value |= UInt32(bytes[index + position]) << UInt32(8 * position) }
        return value
    }
}
