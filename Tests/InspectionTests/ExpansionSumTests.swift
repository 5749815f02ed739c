import Scratch
import Testing

@testable import Inspection

@Suite struct `Sums as expansions` {
    private static let greatest = Double.greatestFiniteMagnitude

    /// Terms in hard places.
    static let hard: [[Double]] = [
        [], [0, -0.0], [0.1, 0.2, 0.3], [1e16, 1, 1e-16], [1e100, 1, -1e100], [0.1, -0.1, 0x1p-1074],
        // Halfway between two doubles, and a trace to either side of it, below all else.
        [0x1p53, 1], [9_007_199_254_740_994, 1], [0x1p53, 1, 0x1p-1074], [9_007_199_254_740_994, 1, -0x1p-1074],
        [-0x1p53, -1, -0x1p-1074],
        // Subnormals.
        [0x1p-1074, 0x1p-1074], [0x1p-1022, -0x1p-1074], [0x1p-1022, 0x1p-1074, -0x1p-1022],
        // Infinite on the way, and then not.
        [greatest, greatest, -greatest], [greatest, 1, greatest, -greatest, -greatest],
        [0x1p1023, 0x1p1023, -0x1p1023, 0x1p960, -0x1p907], [0x1p1000, 0x1p947, 0x1p-1074], [0x1p1000, 0x1p947, -1],
        // Beyond the doubles, just not, and just.
        [greatest, 0x1p969], [greatest, 0x1p970], [greatest, 0x1p970, -0x1p-1074], [-greatest, -greatest],
        // From the large part alone to nearly nothing.
        [0x1p961, 0x1p-1000, -0x1p961], [0x1p1017, 0x1p1017, -0x1p1018, 0x1p-1000], [0x1p959, 0x1p959, -0x1p960, 3],
    ]

    /// The sums are those of Python's fractions, which Python rounds once, ties to even.
    @Test(arguments: hard)
    func `is the nearest double to the exact sum`(terms: [Double]) throws {
        let expected = try Self.expected([terms])[0]
        for order in [terms, terms.reversed()] {
            var sum = ExpansionSum()
            for term in order { sum.add(term) }
            #expect(sum.value() == expected)
        }
    }

    @Test func `is that of random terms of all sizes, whatever was added first and however it was split`() throws {
        var random = SeededNumbers(seed: 14)
        let lists = (0..<600).map { _ -> [Double] in
            var terms: [Double] = []
            let spread = UInt64.random(in: 1...2046, using: &random)
            let low = UInt64.random(in: 0...(2046 - spread), using: &random)
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let exponent = UInt64.random(in: low...low + spread, using: &random)
                // Few bits make ties and cancellations.
                let mask = [UInt64.max, ~0 << 50, ~0 << 26].randomElement(using: &random)!
                let fraction = random.next() & mask & (1 << 52 - 1)
                terms.append(Double(bitPattern: random.next() & 1 << 63 | exponent << 52 | fraction))
                if random.next() % 4 == 0 { terms.append(-terms.randomElement(using: &random)!) }
            }
            return terms
        }
        for (terms, expected) in zip(lists, try Self.expected(lists)) {
            var sum = ExpansionSum()
            for term in terms { sum.add(term) }
            #expect(sum.value() == expected, "seed 14: \(terms)")
            let middle = terms.count / 2
            var (first, second) = (ExpansionSum(), ExpansionSum())
            for term in terms[..<middle] { first.add(term) }
            for term in terms[middle...] { second.add(term) }
            second.add(first)
            #expect(second.value() == expected, "seed 14: \(terms)")
        }
    }

    /// What Python's `fractions` gives; nil where that is beyond the doubles.
    private static func expected(_ lists: [[Double]]) throws -> [Double?] {
        let script = """
            import fractions, struct, sys
            for line in sys.argv[1].split(';'):
                terms = [struct.unpack('>d', bytes.fromhex(word))[0] for word in line.split()]
                try: print(struct.pack('>d', float(sum(map(fractions.Fraction, terms)))).hex())
                except OverflowError: print('-')
            """
        func digits(_ value: Double) -> String {
            let text = String(value.bitPattern, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        var found: [Double?] = []
        for start in stride(from: 0, to: lists.count, by: 50) {
            let part = lists[start..<min(start + 50, lists.count)]
            let text = part.map { $0.map(digits).joined(separator: " ") }.joined(separator: ";")
            let output = String(decoding: try Program.run("python3", ["-c", script, text]), as: UTF8.self)
            found += output.split(separator: "\n").map { UInt64($0, radix: 16).map(Double.init(bitPattern:)) }
        }
        try #require(found.count == lists.count)
        return found
    }
}

/// Numbers that are the same in every run (SplitMix64; Steele, Lea and Flood).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
