internal import Archive

/// Levels and powers of sounds (`Spec/changes.md`, Sides): made of operations that IEEE 754 rounds correctly, so that
/// every implementation has the same bits.
enum SoundLevel {
    /// 10^(1/2), 10^(1/4), …: each the square root of the one before.
    private static let roots: [Double] = {
        var roots: [Double] = []
        var root = 10.0
        for _ in 0..<40 {
            root = root.squareRoot()
            roots.append(root)
        }
        return roots
    }()

    /// The power 10^(level ÷ 10); nil beyond ±1000.
    static func power(_ level: Double) -> Double? {
        guard level.magnitude <= 1000 else { return nil }
        let exponent = (level / 10).rounded(.down)
        var rest = level / 10 - exponent
        var power = 1.0
        for _ in 0..<Int(exponent.magnitude) { power = exponent > 0 ? power * 10 : power / 10 }
        var bit = 1.0
        for root in roots {
            bit /= 2
            guard rest >= bit else { continue }
            rest -= bit
            power *= root
        }
        return power
    }

    /// The level of a power above 0; nil of any other.
    static func level(_ power: Double) -> Double? {
        guard power > 0, power.isFinite else { return nil }
        var (power, exponent) = (power, 0.0)
        while power >= 10 { (power, exponent) = (power / 10, exponent + 1) }
        while power < 1 { (power, exponent) = (power * 10, exponent - 1) }
        var bit = 1.0
        for root in roots {
            bit /= 2
            guard power >= root else { continue }
            power /= root
            exponent += bit
        }
        return exponent * 10
    }
}
