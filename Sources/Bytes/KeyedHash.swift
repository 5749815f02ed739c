/// A hash that nobody can aim at: SipHash-1-3 with 128 bits (Aumasson and Bernstein, "SipHash: a fast short-input
/// PRF"), under a key that is drawn anew in each run, after the files were written.
///
/// The variant of hash tables, one round a word and three at the end, is enough: it withstands those who see what their
/// inputs lead to, and here nobody sees even that.
///
/// It is made for sums. What is summed modulo 2^128 is the hash of each entry of a multiset, so that a sum does not
/// depend on the order (Clarke and others, "Incremental Multiset Hash Functions", MSet-Add-Hash). Of two multisets that
/// differ, take an entry that d times more stand in one than in the other: its hash is as good as drawn at random, so
/// the sums are equal with a probability of at most d / 2^128, whatever else differs. Nobody who made the file or the
/// archive knew the key, and the sums are shown to nobody.
public struct KeyedHash: Sendable {
    private let first, second: UInt64

    /// A hash with a new key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(key: (generator.next(), generator.next()))
    }

    /// A hash with the two halves of a key, each read with its lowest byte first.
    public init(key: (UInt64, UInt64)) { (first, second) = key }

    /// Returns the hash of some bytes; as bytes, its lowest comes first. O(n).
    public func hash(_ bytes: Span<UInt8>) -> UInt128 {
        var state = State(first, second)
        var offset = 0
        while offset &+ 8 <= bytes.count {
            state.add(bytes.word(at: offset))
            offset &+= 8
        }
        state.add(UInt64(truncatingIfNeeded: bytes.count) << 56 | Self.rest(bytes, from: offset))
        return state.finish()
    }

    /// Returns the last bytes, fewer than eight, the lowest first. After others they are taken from the last eight at
    /// once.
    @inline(__always)
    private static func rest(_ bytes: Span<UInt8>, from offset: Int) -> UInt64 {
        let count = bytes.count &- offset
        if offset > 0, count > 0 { return bytes.word(at: bytes.count &- 8) &>> UInt64(64 &- 8 &* count) }
        var rest: UInt64 = 0
        for index in 0..<count { rest |= UInt64(bytes[offset &+ index]) &<< UInt64(8 &* index) }
        return rest
    }

    /// The four words that are stirred.
    private struct State {
        private var a, b, c, d: UInt64

        @inline(__always)
        init(_ first: UInt64, _ second: UInt64) {
            a = first ^ 0x736f_6d65_7073_6575
            b = second ^ 0x646f_7261_6e64_6f6d ^ 0xee
            c = first ^ 0x6c79_6765_6e65_7261
            d = second ^ 0x7465_6462_7974_6573
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            d ^= word
            stir(1)
            a ^= word
        }

        mutating func finish() -> UInt128 {
            c ^= 0xee
            stir(3)
            let low = a ^ b ^ c ^ d
            b ^= 0xdd
            stir(3)
            return UInt128(a ^ b ^ c ^ d) << 64 | UInt128(low)
        }

        @inline(__always)
        private mutating func stir(_ rounds: Int) {
            for _ in 0..<rounds {
                a = a &+ b
                c = c &+ d
                b = Self.turned(b, 13) ^ a
                d = Self.turned(d, 16) ^ c
                a = Self.turned(a, 32)
                c = c &+ b
                a = a &+ d
                b = Self.turned(b, 17) ^ c
                d = Self.turned(d, 21) ^ a
                c = Self.turned(c, 32)
            }
        }

        @inline(__always)
        private static func turned(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word &<< count | word &>> (64 &- count)
        }
    }
}
