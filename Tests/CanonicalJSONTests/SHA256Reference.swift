/// SHA-256 (FIPS 180-4) as the standard describes it, for tests that need a hash from outside the code under test.
struct SHA256Reference {
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    private var schedule = [UInt32](repeating: 0, count: 64)
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// Hashes more bytes.
    mutating func update(_ bytes: [UInt8]) {
        length += UInt64(bytes.count)
        pending += bytes
        var start = 0
        while pending.count - start >= 64 {
            compress(from: start)
            start += 64
        }
        pending.removeFirst(start)
    }

    /// The digest of everything that was hashed, 32 bytes.
    mutating func finish() -> [UInt8] {
        let bits = length * 8
        let zeros = (119 - Int(length % 64)) % 64
        update(
            [0x80] + [UInt8](repeating: 0, count: zeros)
                + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private mutating func compress(from start: Int) {
        var index = 0
        while index < 16 {
            let at = start &+ index &* 4
            schedule[index] =
                UInt32(pending[at]) << 24 | UInt32(pending[at &+ 1]) << 16
                | UInt32(pending[at &+ 2]) << 8 | UInt32(pending[at &+ 3])
            index &+= 1
        }
        while index < 64 {
            let early = schedule[index &- 15]
            let late = schedule[index &- 2]
            let sigma0 = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ (early &>> 3)
            let sigma1 = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ (late &>> 10)
            schedule[index] = schedule[index &- 16] &+ sigma0 &+ schedule[index &- 7] &+ sigma1
            index &+= 1
        }
        runRounds()
    }

    private mutating func runRounds() {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        var round = 0
        while round < 64 {
            let sum1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[round] &+ schedule[round]
            let sum0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sum0 &+ majority)
            round &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, worked out from that
    /// definition.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { UInt32(truncatingIfNeeded: cubeRootTimes2To32(of: $0)) }
    }()

    /// The largest x with x³ ≤ prime × 2^96.
    private static func cubeRootTimes2To32(of prime: UInt64) -> UInt64 {
        let target = UInt128(prime) << 96
        var root: UInt128 = 0
        for bit in (0..<36).reversed() {
            let next = root | 1 << UInt128(bit)
            if next * next * next <= target { root = next }
        }
        return UInt64(root)
    }
}

/// The SHA-256 digest of `bytes`.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256Reference()
    hash.update(bytes)
    return hash.finish()
}

extension [UInt8] {
    /// The bytes in lower-case hexadecimal.
    var hex: String {
        map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
