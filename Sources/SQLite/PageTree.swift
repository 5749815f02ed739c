/// A page of a b-tree, as far as it leads to other pages (SQLite manual, "Database File Format", 1.6).
///
///     header:  0: kind │ 3: cells │ 8: right-most child, if interior │ then the places of the cells, 2 bytes each
///     cell:    child, if interior │ size of the payload, but for interior table pages │ row id, in tables
///              │ payload, of which a part may be on overflow pages │ first overflow page
///
/// Where a page is none that SQLite reads, SQLite says so. Here, cells must not take more bytes together than the page
/// has: cells that share bytes would let a small page hold many large rows.
struct PageTree {
    /// The bytes of a page that cells may use.
    let usable: Int

    /// A fault of a page.
    enum Fault: Error {
        /// A cell is not inside the page, or cells share bytes.
        case cells
        /// Row ids do not rise.
        case order
    }

    /// A link of a page.
    enum Link {
        case child(UInt32)
        /// The first of the overflow pages of a cell, and how many there are.
        case overflow(UInt32, count: UInt64)
    }

    /// Calls `body` with each link of a page.
    ///
    /// - Parameter start: where the header is: 100 on the first page, else 0.
    func forEachLink<E: Error>(
        _ page: borrowing RawSpan, from start: Int, _ body: (Link) throws(E) -> Void
    ) throws(E) -> Fault? {
        guard page.byteCount >= 512, usable <= page.byteCount else { return nil }
        let kind = page.byte(start)
        let isTable = kind == 5 || kind == 13, isInterior = kind == 2 || kind == 5
        guard isTable || kind == 2 || kind == 10 else { return nil }
        let count = page.number16(start + 3), first = start + (isInterior ? 12 : 8)
        guard first + 2 * count <= usable else { return .cells }
        var room = usable - first - 2 * count
        var previous: Int64?
        for index in 0..<count {
            // SQLite takes the place within the page, whatever is above it.
            var cell = Cell(place: page.number16(first + 2 * index) & (page.byteCount - 1))
            let begin = cell.place
            guard begin + 4 <= usable else { return .cells }
            if isInterior {
                try body(.child(page.number32(begin)))
                cell.place += 4
            }
            if !(isTable && isInterior) { cell.readPayload(page) }
            if isTable {
                let id = cell.readRowID(page)
                if let previous, id <= previous { return .order }
                previous = id
            }
            let (local, overflow) = parts(of: cell.payload, isLeafOfTable: kind == 13)
            var end = cell.place + local
            if overflow > 0 {
                guard end + 4 <= usable else { return .cells }
                try body(.overflow(page.number32(end), count: overflow))
                end += 4
            }
            guard end <= usable else { return .cells }
            room -= max(4, end - begin)
            guard room >= 0 else { return .cells }
        }
        if isInterior { try body(.child(page.number32(start + 8))) }
        return nil
    }

    /// Returns the number of a payload's bytes on the page, and the number of overflow pages that hold the others.
    private func parts(of payload: UInt32, isLeafOfTable: Bool) -> (local: Int, overflow: UInt64) {
        let payload = Int(payload)
        let most = isLeafOfTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard payload > most else { return (payload, 0) }
        let least = (usable - 12) * 32 / 255 - 23
        let surplus = least + (payload - least) % (usable - 4)
        let local = surplus <= most ? surplus : least
        return (local, UInt64((payload - local + usable - 5) / (usable - 4)))
    }

    /// A place in a page, and what was read up to there. Bytes behind the page are zeros.
    private struct Cell {
        var place: Int
        var payload: UInt32 = 0

        /// Reads the size of the payload as SQLite does: of 32 bits, whatever is written.
        mutating func readPayload(_ page: borrowing RawSpan) { payload = UInt32(truncatingIfNeeded: variable(page)) }

        mutating func readRowID(_ page: borrowing RawSpan) -> Int64 { Int64(bitPattern: variable(page)) }

        /// Returns a number of 1 to 9 bytes, seven bits in each but the ninth.
        @inline(__always)
        private mutating func variable(_ page: borrowing RawSpan) -> UInt64 {
            var value: UInt64 = 0
            for index in 0..<9 {
                let byte = page.byte(place)
                place += 1
                if index == 8 { return value << 8 | UInt64(byte) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
            return value
        }
    }
}

extension RawSpan {
    /// Returns a byte; 0 after the end.
    @inline(__always)
    func byte(_ place: Int) -> UInt8 {
        place < byteCount ? unsafe unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self) : 0
    }

    /// Returns a number of two bytes, the high one first.
    @inline(__always)
    func number16(_ place: Int) -> Int { Int(byte(place)) << 8 | Int(byte(place + 1)) }

    /// Returns a number of four bytes, the highest first.
    @inline(__always)
    func number32(_ place: Int) -> UInt32 { UInt32(number16(place)) << 16 | UInt32(number16(place + 2)) }
}
