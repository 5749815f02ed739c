import Scratch
import Testing

@testable import Archive

@Suite struct `Exact sums` {
    /// Expected values are those of Python's `math.fsum`, and of `fractions` where that overflows on the way.
    static let cases: [(terms: [Double], sum: Double?)] = [
        ([], 0),
        ([1e16, 1, -1e16], 1),
        ([Double](repeating: 0.1, count: 10), 1),
        ([1e308, 1e308, -1e308], 1e308),
        ([1e308, 1e308], nil),
        (
            [Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude],
            Double(bitPattern: 3)
        ),
        ([9007199254740992, 1], 9007199254740992),
        ([9007199254740992, 1, Double.leastNonzeroMagnitude], 9007199254740994),
        ([-9007199254740992, -1], -9007199254740992),
        ([1.5, -1.5], 0),
        ([1e300, -1e300, 1e-300], 1e-300),
        ([0.1, 0.2, 0.3, -0.6], 2.7755575615628914e-17),
        ([0x1p1023, 0x1p1023 - 0x1p970, -0x1p1000], 1.7976930277114552e+308),
    ]

    private func sum(_ terms: [Double]) -> Double? {
        var sum = ExactSum()
        for term in terms { sum.add(term) }
        return sum.value()
    }

    @Test(arguments: cases)
    func `a sum is exact and rounded once`(terms: [Double], expected: Double?) { #expect(sum(terms) == expected) }

    @Test(arguments: cases)
    func `what is taken away was never there`(terms: [Double], expected: Double?) {
        for count in 0...terms.count {
            var (whole, part) = (ExactSum(), ExactSum())
            for term in terms + terms.prefix(count) { whole.add(term) }
            for term in terms.prefix(count) { part.add(term) }
            whole.subtract(part)
            #expect(whole.value() == expected)
        }
    }

    @Test(arguments: cases)
    func `a sum does not depend on the order`(terms: [Double], expected: Double?) {
        var random = SeededGenerator()
        for _ in 0..<20 { #expect(sum(terms.shuffled(using: &random)) == expected, "\(random)") }
    }

    @Test func `a sum can be asked for and go on`() {
        var sum = ExactSum()
        sum.add(-3)
        #expect(sum.value() == -3)
        sum.add(1)
        #expect(sum.value() == -2)
        sum.reset()
        #expect(sum.value() == 0)
    }

    @Test func `sums of whole numbers are those of integers`() {
        var random = SeededGenerator()
        for _ in 0..<200 {
            let terms = (0..<50).map { _ in Int64.random(in: -(1 << 40)...(1 << 40), using: &random) }
            #expect(sum(terms.map(Double.init)) == Double(terms.reduce(0, +)), "\(random)")
        }
    }
}
