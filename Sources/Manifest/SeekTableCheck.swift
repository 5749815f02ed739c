/// Compares a seek table with the frames that are there. Apart from the writer, `SeekTable`, on purpose.
enum SeekTableCheck {
    /// The first thing in a seek table (a whole skippable frame) that does not hold.
    static func fault(in table: Span<UInt8>, frames: [(compressed: Int, text: UInt64)], offset: Int64) -> ContainerFault? {
        func number(_ index: Int) -> UInt64 {
            UInt64(table[index]) | UInt64(table[index + 1]) << 8 | UInt64(table[index + 2]) << 16 | UInt64(table[index + 3]) << 24
        }
        let footer = table.count - Container.seekTableFooter
        guard number(table.count - 4) == UInt64(Container.seekableMagic) else {
            return ContainerFault(.seekTable, byte: offset + Int64(table.count) - 4, expected: "magic 0x8F92EAB1")
        }
        guard table[footer + 4] == 0 else { return ContainerFault(.seekTable, byte: offset + Int64(footer) + 4, expected: "descriptor 0", found: "\(table[footer + 4])") }
        let stated = number(footer)
        guard (footer - 8) == Int(stated) * 8 else {
            return ContainerFault(.seekTable, byte: offset + Int64(footer), expected: "\((footer - 8) / 8) entries", found: "\(stated)")
        }
        guard frames.count == Int(stated) else {
            return ContainerFault(.seekTableMismatch, byte: offset + Int64(footer), expected: "\(frames.count) frames", found: "\(stated)")
        }
        for (index, frame) in frames.enumerated() {
            let entry = 8 + index * 8
            // A frame that does not state its text size has a finding of its own.
            let isRight = number(entry) == UInt64(frame.compressed) && (frame.text == .max || number(entry + 4) == frame.text)
            guard isRight else { return ContainerFault(.seekTableMismatch, byte: offset + Int64(entry), expected: "the sizes of frame \(index + 1)") }
        }
        return nil
    }
}
