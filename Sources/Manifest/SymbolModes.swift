/// What compressed blocks may say that releases of the library read differently: the byte that says how the sequences
/// of a block are coded has two reserved bits (RFC 8878, 3.1.1.3.2.1), and that there are no sequences can be written
/// in two bytes, too. Neither is right in a bundle (`Spec/container.md`).
///
///     literals section | number of sequences, 1 to 3 bytes | symbol compression modes | …
///     └ its header, 1 to 5 bytes, has its kind and sizes (3.1.1.3.1.1)
enum SymbolModes {
    /// Whether one of the blocks behind a frame's header is read differently. The blocks are there.
    static func areUnclear(inBlocksOf frame: Span<UInt8>, from start: Int) -> Bool {
        var offset = start
        while offset + 3 <= frame.count {
            let block = Int(frame[offset]) | Int(frame[offset + 1]) << 8 | Int(frame[offset + 2]) << 16
            let size = block >> 1 & 3 == 1 ? 1 : block >> 3
            let end = min(frame.count, offset + 3 + size)
            if block >> 1 & 3 == 2, areUnclear(inBlock: frame.extracting(offset + 3..<end)) { return true }
            if block & 1 == 1 { return false }
            offset = end
        }
        return false
    }

    /// Whether a compressed block is read differently. One that is too short to say so is not.
    static func areUnclear(inBlock block: Span<UInt8>) -> Bool {
        guard let literals = literalsSize(of: block), literals < block.count else { return false }
        let sequences = block[literals]
        if sequences == 0 { return false }
        if sequences == 128, literals + 1 < block.count, block[literals + 1] == 0 { return true }
        let modes = literals + (sequences < 128 ? 1 : sequences < 255 ? 2 : 3)
        return modes < block.count && block[modes] & 3 != 0
    }

    /// Bytes of the literals section, with its header.
    private static func literalsSize(of block: Span<UInt8>) -> Int? {
        guard block.count > 0 else { return nil }
        let kind = block[0] & 3, form = block[0] >> 2 & 3
        let header: Int, shift: Int, bits: Int
        switch (kind < 2, form) {
        case (true, 1): (header, shift, bits) = (2, 4, 12)
        case (true, 3): (header, shift, bits) = (3, 4, 20)
        case (true, _): (header, shift, bits) = (1, 3, 5)
        // Behind the size of the text of the literals stands that of the literals themselves.
        case (false, 2): (header, shift, bits) = (4, 18, 14)
        case (false, 3): (header, shift, bits) = (5, 22, 18)
        case (false, _): (header, shift, bits) = (3, 14, 10)
        }
        guard header <= block.count else { return nil }
        if kind == 1 { return header + 1 }
        var number = 0
        for index in 0..<header { number |= Int(block[index]) << (8 * index) }
        return header + (number >> shift & (1 << bits - 1))
    }
}
