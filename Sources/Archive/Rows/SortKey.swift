/// The front of every packed row: the keys of the bundle order (`Spec/bundle.md`, Order of items), so that comparing
/// rows as bytes puts them in it.
///
///     rank of the type │ start date (8) │ end date (8) │ form (1) │ identity hash │ payload hash │ strict fingerprint
///     │ kind (1) │ sample id │ storage class (1) and version id │ range: first observation, row id
///     dates: ordered bits, big-endian; 0 where there is no timestamp
///     hashes, compact form: 0 for none, or 1 and 32 bytes
///     hashes, plain form: text as stored, empty where it has no canonical form, and 0
///     numbers: 0x80 + count and that many bytes, big-endian; below zero 0x7F − count and the complement's bytes
///
/// Packed hashes sort like their digits, but not among other texts: the compact form is for archives in which every
/// text in these places is 64 lower-case hex digits.
struct SortKey {
    /// The form that hashes have. It is the same in all rows of a statement.
    enum Form: UInt8 { case plain = 0, compact = 1 }

    /// `true` if the fields are packed hashes.
    let isCompact: Bool
    /// Start and end date, where they have a timestamp.
    let startDate, endDate: Double
    /// The positions of identity hash, payload hash and strict fingerprint; empty if there is none.
    private(set) var fields: InlineArray<3, Range<Int>>
    let kind: UInt8
    let sampleID: Int64
    let versionID: Int64?
    /// The index at which the packed columns begin.
    private(set) var end: Int

    init(_ bytes: Span<UInt8>, at start: Int) {
        var position = start + 1 + Self.count(bytes[start])
        startDate = OrderKeyFunction.double(orderedBits: Self.bigEndian(bytes, at: &position, count: 8))
        endDate = OrderKeyFunction.double(orderedBits: Self.bigEndian(bytes, at: &position, count: 8))
        isCompact = bytes[position] == Form.compact.rawValue
        position += 1
        let identity = Self.field(bytes, at: &position, isCompact: isCompact)
        let payload = Self.field(bytes, at: &position, isCompact: isCompact)
        fields = [identity, payload, Self.field(bytes, at: &position, isCompact: isCompact)]
        kind = bytes[position]
        position += 1
        sampleID = Self.number(bytes, at: &position)
        let hasVersion = bytes[position] != 0
        position += 1
        let version = Self.number(bytes, at: &position)
        versionID = hasVersion ? version : nil
        for _ in 0..<2 { position += 1 + Self.count(bytes[position]) }
        end = position
    }

    /// Returns the front of the same row, `shift` bytes further on.
    func moved(by shift: Int) -> SortKey {
        var moved = self
        for index in fields.indices {
            moved.fields[index] = fields[index].lowerBound &+ shift..<fields[index].upperBound &+ shift
        }
        moved.end = end &+ shift
        return moved
    }

    @inline(__always)
    private static func field(_ bytes: Span<UInt8>, at position: inout Int, isCompact: Bool) -> Range<Int> {
        let first = position
        guard isCompact else {
            while bytes[position] != 0 { position += 1 }
            position += 1
            return first..<position - 1
        }
        position += bytes[first] == 0 ? 1 : 33
        return first + 1..<position
    }

    private static func count(_ head: UInt8) -> Int { head >= 0x80 ? Int(head) - 0x80 : 0x7F - Int(head) }

    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, at position: inout Int) -> Int64 {
        let head = bytes[position]
        position += 1
        let value = Int64(bitPattern: bigEndian(bytes, at: &position, count: count(head)))
        if head >= 0x80 { return value }
        let count = count(head)
        return count == 8 ? value : value | -1 << Int64(8 * count)
    }

    @inline(__always)
    private static func bigEndian(_ bytes: Span<UInt8>, at position: inout Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<count { value = value << 8 | UInt64(bytes[position + index]) }
        position += count
        return value
    }
}
