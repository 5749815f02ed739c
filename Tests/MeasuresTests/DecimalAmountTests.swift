import Testing

@testable import Measures

struct DecimalAmountTests {
    @Test(arguments: [
        (119.50286806883365, 6, 119_502_868), (0.0000024, 9, 2400), (1.5, 9, 1_500_000_000), (0, 6, 0),
        (-2.5, 6, -2_500_000),
        // Halves go up; what is below a half of the last decimal is 0.
        (0.0078125, 6, 7813), (-0.0078125, 6, -7812), (1e-300, 6, 0), (-1e-300, 6, 0), (0.0000019073486328125, 6, 2),
        (1e9, 6, 1_000_000_000_000_000), (-1e9, 6, -1_000_000_000_000_000),
    ])
    func `a value is a whole number of its last decimal`(_ value: Double, _ digits: Int, _ whole: Int64) {
        #expect(DecimalAmount.whole(value, digits: digits) == whole)
    }

    @Test(arguments: [1_000_000_000.000001, 1e300, -.infinity, .nan, -1_000_000_001])
    func `a value that is too large is no amount`(_ value: Double) {
        #expect(DecimalAmount.whole(value, digits: 6) == nil)
    }

    @Test(arguments: [
        // The shares of Spec/days.md: 10 over three days, 470 over 47 hours.
        (10_000_000, 1, 3, 3_333_333), (10_000_000, 2, 3, 6_666_667), (470_000_000, 24, 47, 240_000_000),
        (-10_000_000, 1, 3, -3_333_333), (-1, 1, 2, 0), (1, 1, 2, 1), (7, 0, 5, 0), (7, 5, 5, 7),
        // Beyond 64 bits.
        (1_000_000_000_000_000, 172_800_000_000_000, 345_600_000_000_000, 500_000_000_000_000),
    ])
    func `an amount is spread evenly`(_ amount: Int64, _ elapsed: Int64, _ length: Int64, _ share: Int64) {
        #expect(DecimalAmount.share(of: amount, after: elapsed, of: length) == share)
    }

    static let sums: [(Int128, Int, Double)] = [
        (119_502_868, 6, 119.502868), (-1, 9, -1e-9), (0, 6, 0),
        (9_007_199_254_740_993_000_000, 6, 9_007_199_254_740_992),
        (9_007_199_254_740_993_000_001, 6, 9_007_199_254_740_994), (-1_000_000_000_000_000_000_000_000_000, 9, -1e18),
        (170_141_183_460_469_231_731_687_303_715_884_105_727, 6, 1.7014118346046923e32),
    ]

    @Test(arguments: sums)
    func `a sum is the nearest double`(_ sum: Int128, _ digits: Int, _ number: Double) {
        #expect(DecimalAmount.number(sum, digits: digits) == number)
    }

    static let numbers: [(Double, Int, Int128)] = [
        (119.502868, 6, 119_502_868), (-0.5e-6, 6, 0), (1.5e-6, 6, 2),
        (1e300, 6, 1_000_000_000_000_000_000_000_000_000),
        (-1e21, 6, -1_000_000_000_000_000_000_000_000_000), (9_007_199_254_740_994, 6, 9_007_199_254_740_994_000_000),
        (1e-300, 9, 0),
    ]

    @Test(arguments: numbers)
    func `totals add the nearest whole number`(_ number: Double, _ digits: Int, _ whole: Int128) {
        #expect(DecimalAmount.nearest(number, digits: digits) == whole)
    }

    @Test func `amounts of fifteen digits survive a double`() {
        for amount in stride(from: Int64(-999_999_999_999_999), through: 999_999_999_999_999, by: 7_777_777_777_777) {
            for digits in [6, 9] {
                let number = DecimalAmount.number(Int128(amount), digits: digits)
                #expect(DecimalAmount.nearest(number, digits: digits) == Int128(amount))
            }
        }
    }
}
