/// The exact sum of finite doubles, rounded once to the nearest double, ties to even. It does not depend on the
/// order of the terms.
///
/// A long fixed-point number: limb i counts multiples of 2^(32·i − 1074). A double touches at most three limbs; a
/// limb holds 2^30 terms before carries must be passed on.
///
///     limb 0 │ limb 1 │ … │ limb 66        2^-1074 … 2^1055
///
/// Only the limbs from the lowest to the highest that a term touched are kept: three or four of values of one kind.
package struct ExactSum: Sendable {
    /// The limbs from `first` on.
    private var limbs: [Int64] = []
    private var first = 0
    private var terms = 0
    private static let limbCount = 67

    /// A sum of nothing.
    package init() {}

    /// Forgets all terms.
    package mutating func reset() {
        limbs.removeAll(keepingCapacity: true)
        terms = 0
    }

    /// Adds a finite double.
    package mutating func add(_ value: Double) {
        precondition(value.isFinite, "a sum of numbers that are not finite")
        guard value != 0 else { return }
        let exponent = Int(value.exponentBitPattern)
        let significand = exponent == 0 ? value.significandBitPattern : value.significandBitPattern | 1 << 52
        // value = significand × 2^(position − 1074)
        let position = max(exponent, 1) - 1
        let index = place(of: position >> 5, count: 3)
        let shift = UInt64(position & 31)
        let wide = UInt128(significand) << UInt128(shift)
        let sign: Int64 = value.sign == .minus ? -1 : 1
        limbs[index] += sign * Int64(truncatingIfNeeded: wide & 0xFFFF_FFFF)
        limbs[index + 1] += sign * Int64(truncatingIfNeeded: wide >> 32 & 0xFFFF_FFFF)
        limbs[index + 2] += sign * Int64(truncatingIfNeeded: wide >> 64)
        terms += 1
        if terms == 1 << 30 { carry() }
    }

    /// Keeps the limbs from one on; returns where that is.
    private mutating func place(of index: Int, count: Int) -> Int {
        if limbs.isEmpty { first = index }
        if index < first {
            limbs.insert(contentsOf: repeatElement(0, count: first - index), at: 0)
            first = index
        }
        let missing = index + count - first - limbs.count
        if missing > 0 { limbs.append(contentsOf: repeatElement(0, count: missing)) }
        return index - first
    }

    /// Adds all terms of another sum. A carry is passed on first, so that no limb holds more than two sums' worth.
    package mutating func add(_ other: ExactSum) { add(other, sign: 1) }

    /// Takes all terms of another sum away.
    package mutating func subtract(_ other: ExactSum) { add(other, sign: -1) }

    private mutating func add(_ other: ExactSum, sign: Int64) {
        var other = other
        other.carry()
        carry()
        guard !other.limbs.isEmpty else { return }
        let place = place(of: other.first, count: other.limbs.count)
        for index in other.limbs.indices { limbs[place + index] += sign * other.limbs[index] }
        terms += 2
    }

    /// Returns the sum; `nil` if it is beyond the doubles.
    package mutating func value() -> Double? {
        carry()
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        let isNegative = limbs[top] < 0
        if isNegative {
            negate()
            carry()
        }
        defer { if isNegative { negate() } }
        guard let magnitude = rounded() else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    private mutating func negate() { for index in limbs.indices { limbs[index] = -limbs[index] } }

    /// Brings every limb but the highest into 0 ..< 2^32.
    private mutating func carry() {
        terms = 0
        var carried: Int64 = 0
        var index = 0
        while index < limbs.count || carried != 0 {
            if index == limbs.count {
                precondition(first + index < Self.limbCount, "fewer than 2^30 terms reach no further")
                limbs.append(0)
            }
            let sum = limbs[index] + carried
            // The highest limb keeps the sign.
            if index == limbs.count - 1, sum >= -(1 << 31), sum < 1 << 32 {
                limbs[index] = sum
                carried = 0
            } else {
                limbs[index] = sum & 0xFFFF_FFFF
                carried = sum >> 32
            }
            index += 1
        }
    }

    /// Returns the magnitude, from limbs that are 0 ..< 2^32.
    private func rounded() -> Double? {
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        func limb(_ index: Int) -> UInt64 { index >= 0 ? UInt64(limbs[index]) : 0 }
        let length = 64 - limb(top).leadingZeroBitCount
        // The highest 64 bits or more, and whether anything is below them.
        let high = UInt128(limb(top)) << 64 | UInt128(limb(top - 1)) << 32 | UInt128(limb(top - 2))
        let isSticky = limbs.prefix(max(top - 2, 0)).contains { $0 != 0 }
        // `high` counts multiples of 2^(32·(first + top − 2) − 1074); a double keeps 53 bits, or down to 2^-1074.
        let scale = 32 * (first + top - 2)
        let bits = length + 64
        let dropped = max(bits - 53, -scale, 0)
        var kept = UInt64(truncatingIfNeeded: high >> UInt128(dropped))
        if dropped > 0 {
            let rest = high & (UInt128(1) << UInt128(dropped) - 1)
            let half = UInt128(1) << UInt128(dropped - 1)
            if rest > half || (rest == half && (isSticky || kept & 1 == 1)) { kept += 1 }
        }
        let value = Double(sign: .plus, exponent: scale + dropped - 1074, significand: Double(kept))
        return value.isFinite ? value : nil
    }
}
