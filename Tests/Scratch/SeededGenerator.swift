import Glibc

/// Random numbers that are the same in every run (splitmix64), and that say which they are.
///
/// The environment variable `HP_SEED` is added to each test's own seed, so that other numbers can be tried.
/// A test names both where it fails: `#expect(…, "\(random)")`.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible {
    private let seed: UInt64
    private var state: UInt64

    /// Begins the numbers of a seed.
    public init(seed: UInt64 = 1) {
        self.seed = seed
        state = seed &+ Self.offset
    }

    private static let offset = unsafe getenv("HP_SEED").flatMap { text in unsafe UInt64(String(cString: text)) } ?? 0

    /// What gives the same numbers again.
    public var description: String { "seed \(seed), HP_SEED=\(Self.offset)" }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
