/// The exact sum of finite doubles, rounded once to the nearest double, ties to even.
///
/// It is kept as an expansion: doubles of growing magnitude that do not overlap and whose sum is the sum (Shewchuk,
/// "Adaptive Precision Floating-Point Arithmetic", 1997). What captures keeps a long fixed-point number instead; the
/// two share nothing, so that neither agrees with a mistake of the other.
///
///     large × 2^128  +  small        large: terms from 2^960 on, so that no sum of them is infinite on the way
struct ExpansionSum {
    private var small = Expansion()
    private var large = Expansion()

    private static let scale = 0x1p128
    private static let firstLarge = 0x1p960

    /// Adds a finite double.
    mutating func add(_ value: Double) {
        precondition(value.isFinite, "a sum of numbers that are not finite")
        if value.magnitude < Self.firstLarge { small.add(value) } else { large.add(value / Self.scale) }
    }

    /// Adds all terms of another sum.
    mutating func add(_ other: ExpansionSum) {
        for part in other.small.parts { small.add(part) }
        for part in other.large.parts { large.add(part) }
    }

    /// The sum; nil where it is beyond the doubles.
    func value() -> Double? {
        guard let top = large.parts.last else { return small.rounded }
        // Below 2^1019 everything fits as it is: there are fewer than 2^50 terms.
        if top.magnitude < 0x1p890 {
            var all = small
            for part in large.parts { all.add(part * Self.scale) }
            return all.rounded
        }
        // The sum is about 2^1018 or more. What is small to it decides between two doubles only by its sign.
        var all = large
        var sign = 0.0
        for part in small.parts {
            if part.magnitude >= 0x1p-800 { all.add(part / Self.scale) } else { sign = part < 0 ? -1 : 1 }
        }
        if sign != 0 { all.add(sign * 0x1p-1000) }
        let value = all.rounded * Self.scale
        return value.isFinite ? value : nil
    }
}

/// Doubles that do not overlap, the smallest in magnitude first, none of them zero.
private struct Expansion {
    private(set) var parts: [Double] = []

    /// Adds a double. What each addition rounds off is exact itself, and kept.
    mutating func add(_ value: Double) {
        var carried = value
        var kept = 0
        for part in parts {
            let (greater, lesser) = carried.magnitude < part.magnitude ? (part, carried) : (carried, part)
            let sum = greater + lesser
            let rest = lesser - (sum - greater)
            if rest != 0 {
                parts[kept] = rest
                kept += 1
            }
            carried = sum
        }
        parts.removeSubrange(kept...)
        if carried != 0 { parts.append(carried) }
    }

    /// The nearest double to the sum of all parts.
    var rounded: Double {
        guard var sum = parts.last else { return 0 }
        var next = parts.count - 2
        var rest = 0.0
        while next >= 0, rest == 0 {
            let before = sum
            sum = before + parts[next]
            rest = parts[next] - (sum - before)
            next -= 1
        }
        // Exactly between two doubles it was rounded to the even one. What is below decides, if there is anything.
        if next >= 0, (rest < 0) == (parts[next] < 0), rest != 0 {
            let twice = rest * 2
            let other = sum + twice
            if other - sum == twice { sum = other }
        }
        return sum
    }
}
