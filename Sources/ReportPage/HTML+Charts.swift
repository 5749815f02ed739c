/// Charts. A table has the numbers of each; what is drawn is a function of them in whole units.
extension HTML {
    /// Appends bars from zero, of which a table behind them has the numbers. Numbers are drawn in the order given; the
    /// greatest fills the height.
    mutating func bars(_ label: String, _ counts: [Int]) {
        let greatest = max(1, counts.max() ?? 1)
        markup("<figure>\n")
        element("figcaption", label)
        let (width, height) = (20, 100)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(counts.count * width) \(height)\" width=\"\(counts.count * width)\" ")
        markup("height=\"\(height)\">\n")
        for (place, count) in counts.enumerated() {
            // A bar is whole units high, rounded down but for a number that would leave none.
            let (quotient, _) = greatest.dividingFullWidth(count.multipliedFullWidth(by: height))
            let size = count == 0 ? 0 : max(1, quotient)
            markup("<rect class=\"bar\" x=\"\(place * width + 2)\" y=\"\(height - size)\" ")
            markup("width=\"\(width - 4)\" height=\"\(size)\"></rect>\n")
        }
        markup("</svg>\n</figure>\n")
    }

    /// Appends two bars for each month over each other, from zero: an outline for before, a narrower filled one for
    /// after. A month that is not given is a gap.
    mutating func strip(_ label: String, _ scale: String, _ months: [(number: Int, before: Double?, after: Double?)]) {
        guard let first = months.first?.number, let last = months.last?.number else { return }
        let values = months.flatMap { [$0.before, $0.after] }.compactMap { $0 }
        let (lowest, highest) = (min(0, values.min() ?? 0), max(0, values.max() ?? 0))
        guard highest > lowest else { return }
        let (step, height) = (28, 120.0)
        /// How far down a value stands, in whole units.
        func place(_ value: Double) -> Int { Int(((highest - value) / (highest - lowest) * height).rounded()) }
        let width = (last - first + 1) * step
        markup("<figure>\n")
        element("figcaption", scale)
        markup("<svg role=\"img\" aria-label=\"")
        text(label)
        markup("\" viewBox=\"0 0 \(width) 122\" width=\"\(width)\" height=\"122\">\n")
        for month in months {
            let x = (month.number - first) * step
            for (value, name, edge) in [(month.before, "was", 2), (month.after, "bar", 8)] {
                guard let value else { continue }
                let (top, bottom) = (min(place(value), place(0)), max(place(value), place(0)))
                markup("<rect class=\"\(name)\" x=\"\(x + edge)\" y=\"\(top + 1)\" ")
                markup("width=\"\(step - 2 * edge)\" height=\"\(max(1, bottom - top))\"></rect>\n")
            }
        }
        markup("</svg>\n</figure>\n")
    }
}
