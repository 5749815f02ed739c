/// An exact ratio between two units of one dimension (`Spec/measures.md`, "Conversion").
package struct UnitConversion: Equatable, Sendable {
    let minus, times, over: Int64

    /// Returns a value in the other unit: less `minus`, multiplied by `times`, divided by `over`, in this order, each
    /// rounded to double. Infinite if that is too large.
    package func callAsFunction(_ value: Double) -> Double {
        var value = value
        // What changes nothing is left out, so that a value in the canonical unit stays as it is.
        if minus != 0 { value -= Double(minus) }
        if times != 1 { value *= Double(times) }
        if over != 1 { value /= Double(over) }
        return value
    }

    /// Returns the conversion to another unit, if both units convert to the first unit of their dimension. A unit with
    /// an origin of its own is never the canonical one.
    func to(_ other: UnitConversion) -> UnitConversion {
        let (first, second) = (Self.common(times, other.times), Self.common(other.over, over))
        return UnitConversion(
            minus: minus, times: times / first * (other.over / second), over: over / second * (other.times / first))
    }

    private static func common(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }

    /// Converts `mmol<M>/L` to mg/dL, for a molar mass M in grams (`Spec/measures.md`, "Molar masses"); `nil` if the
    /// unit has another form.
    static func ofMolarMass(_ unit: [UInt8], in dimension: String) -> UnitConversion? {
        let (prefix, suffix) = (Array("mmol<".utf8), Array(">/L".utf8))
        guard dimension == "mass concentration", unit.count > prefix.count + suffix.count, unit.starts(with: prefix),
            unit.suffix(suffix.count).elementsEqual(suffix)
        else { return nil }
        var (times, over): (Int64, Int64) = (0, 10)
        var (digits, isFraction) = (0, false)
        for byte in unit[prefix.count..<unit.count - suffix.count] {
            if byte == UInt8(ascii: "."), !isFraction, digits > 0 {
                isFraction = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10, digits < 17 else { return nil }
            times = times * 10 + Int64(digit)
            if isFraction { over *= 10 }
            digits += 1
        }
        guard times > 0, !isFraction || over > 10 else { return nil }
        let factor = common(times, over)
        return UnitConversion(minus: 0, times: times / factor, over: over / factor)
    }

    /// By dimension and unit: what converts to the first unit of the dimension.
    static let table: [String: [String: UnitConversion]] = {
        var table: [String: [String: UnitConversion]] = [:]
        for line in MeasureTable.unitText.split(separator: "\n") {
            let cells = line.split(separator: "|").map(String.init)
            guard cells.count == 5, let minus = Int64(cells[2]), let times = Int64(cells[3]), let over = Int64(cells[4])
            else { continue }
            table[cells[0], default: [:]][cells[1]] = UnitConversion(minus: minus, times: times, over: over)
        }
        return table
    }()
}
