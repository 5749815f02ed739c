/// Leads from a place in a text that was repaired back to the place in the text as it was.
///
///     repaired  ………│……………│……        each entry: from here on, this many bytes and lines more than counted
///     original  ………│xxx│……………│……
struct PositionMap {
    private struct Entry {
        var byte: Int64
        var addedBytes: Int64
        var addedLines: Int
    }

    /// Beyond this many changes that are still asked for, places are those of the last change before; nobody places
    /// an error by so many.
    private static let limit = 65_536

    /// The first entry is for everything before the others.
    private var entries = [Entry(byte: 0, addedBytes: 0, addedLines: 0)]
    private var addedBytes: Int64 = 0
    private var addedLines = 0

    /// Notes that at a place of the repaired text, bytes and lines of the original are missing; a negative number
    /// of bytes was added.
    mutating func skip(bytes: Int64, lines: Int = 0, at byte: Int64) {
        addedBytes += bytes
        addedLines += lines
        if entries[entries.count - 1].byte == byte || entries.count >= Self.limit { entries.removeLast() }
        entries.append(Entry(byte: byte, addedBytes: addedBytes, addedLines: addedLines))
    }

    /// Forgets what is only needed for places before one.
    mutating func forget(before byte: Int64) {
        let kept = entries.lastIndex { $0.byte <= byte } ?? 0
        if kept > 0 { entries.removeFirst(kept) }
    }

    /// Returns a place of the repaired text in the original: the byte, and how many lines more than the repaired text
    /// counts.
    func original(of byte: Int64) -> (byte: Int64, lines: Int) {
        var (low, high) = (0, entries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].byte <= byte { low = middle } else { high = middle }
        }
        return (byte + entries[low].addedBytes, entries[low].addedLines)
    }
}
