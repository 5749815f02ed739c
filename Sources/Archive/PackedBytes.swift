/// A growing piece of memory that one row is packed into, used again for each row.
///
/// An array would ask at each byte whether it is shared and large enough; here room is made once a value, and numbers are stored whole.
/// Whoever holds it calls `deallocate`.
@unsafe struct PackedBytes {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    /// Bytes so far.
    private(set) var count = 0

    init() {
        unsafe capacity = 4096
        unsafe start = .allocate(byteCount: capacity, alignment: 16)
    }

    func deallocate() { unsafe start.deallocate() }

    /// What was appended. Valid until the next change.
    var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { unsafe count = 0 }

    /// Takes the last byte back.
    mutating func removeLast() { unsafe count -= 1 }

    /// Makes room: the calls that follow may append so many bytes together.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if unsafe capacity - count < more { unsafe grow(more) }
    }

    private mutating func grow(_ more: Int) {
        let larger = unsafe max(capacity * 2, count + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe moved.copyMemory(from: start, byteCount: count)
        unsafe start.deallocate()
        unsafe start = moved
        unsafe capacity = larger
    }

    /// Appends a byte.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        unsafe start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        unsafe count += 1
    }

    /// Appends the first `count` bytes of a number, the lowest first. Room for all eight must be there.
    @inline(__always)
    mutating func append(lowBytesOf number: UInt64, count bytes: Int = 8) {
        unsafe start.storeBytes(of: number.littleEndian, toByteOffset: count, as: UInt64.self)
        unsafe count += bytes
    }

    /// Appends the last `count` bytes of a number, the highest first. Room for all eight must be there.
    @inline(__always)
    mutating func append(bigEndian number: UInt64, count bytes: Int = 8) {
        unsafe start.storeBytes(of: (number &<< UInt64(64 - 8 * bytes)).bigEndian, toByteOffset: count, as: UInt64.self)
        unsafe count += bytes
    }

    /// Appends bytes.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        unsafe (start + count).copyMemory(from: source, byteCount: bytes.count)
        unsafe count += bytes.count
    }

    /// Appends 64 lower-case hex digits as 32 bytes; false, and nothing appended, where they are something else.
    @inline(__always)
    mutating func append(hex digits: UnsafePointer<UInt8>) -> Bool {
        let source = unsafe UnsafeRawPointer(digits)
        let target = unsafe start + count
        var faults: UInt64 = 0
        for group in 0..<8 {
            let text = unsafe UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 8 * group, as: UInt64.self))
            let (bytes, fault) = HexDigits.packed(text)
            unsafe target.storeBytes(of: bytes.littleEndian, toByteOffset: 4 * group, as: UInt32.self)
            faults |= fault
        }
        guard faults == 0 else { return false }
        unsafe count += 32
        return true
    }
}

/// Eight hex digits at once.
private enum HexDigits {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Four bytes of eight digits, the first in the lowest byte; `fault` is not zero where one is no lower-case hex digit.
    @inline(__always)
    static func packed(_ text: UInt64) -> (bytes: UInt32, fault: UInt64) {
        // The low half of a digit's character is its value, of a letter's its value less nine; bit 6 tells them apart.
        let values = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ (text >> 6 & ones) &* 9
        // Going back gives the same character only where it was one of the sixteen.
        let isLetter = (values &+ 0x0606_0606_0606_0606) >> 4 & ones
        let again = values &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
        let fault = (again ^ text) | (values & 0xF0F0_F0F0_F0F0_F0F0)
        var pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return (UInt32(truncatingIfNeeded: pairs | pairs >> 16), fault)
    }
}
