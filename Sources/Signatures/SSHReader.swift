/// Reads the fields of SSH's binary form (RFC 4251, section 5), front to back.
struct SSHReader {
    private let bytes: [UInt8]
    /// The place of the next byte.
    private(set) var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `true` if nothing is left.
    var isAtEnd: Bool { place == bytes.count }

    /// Reads so many bytes; `nil` if fewer are left.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= bytes.count - place else { return nil }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    /// Reads a number of 32 bits.
    mutating func number() -> UInt32? { take(4)?.reduce(0) { $0 << 8 | UInt32($1) } }

    /// Reads a string: its size, then its bytes.
    mutating func string() -> [UInt8]? {
        let start = place
        guard let size = number(), let string = take(Int(size)) else {
            place = start
            return nil
        }
        return string
    }

    /// Reads a string of printable ASCII characters, which names something.
    mutating func name() -> String? {
        let start = place
        guard let bytes = string(), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            place = start
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a whole number that is greater than 0, in its shortest form; the result has no zero at its front.
    mutating func positive() -> [UInt8]? {
        let start = place
        guard let bytes = string(), let first = bytes.first, first < 0x80,
            first != 0 || (bytes.count > 1 && bytes[1] >= 0x80)
        else {
            place = start
            return nil
        }
        return first == 0 ? Array(bytes.dropFirst()) : bytes
    }

    /// Returns bytes with their size before them.
    static func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let count = UInt32(bytes.count)
        return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> UInt32($0)) } + bytes
    }
}
