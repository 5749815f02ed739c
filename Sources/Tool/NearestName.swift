import Files

/// The search for the name that is most like a mistyped one (`Spec/command-line.md`, "Names that are mistyped").
public enum NearestName {
    /// A text may be of any length, and there may be any number of names; of more, the rest is not compared.
    private static let (comparedBytes, comparedNames) = (200, 10_000)

    /// Returns the name with the fewest changes to the text: a byte put in, left out or replaced, or two neighbours
    /// swapped. ASCII letters are compared without regard to case. Of names that are alike near, it is the first.
    ///
    /// - Returns: nil where none is near: more than a third of the longer text had to be changed, and the text is no
    ///   beginning of the name of three bytes or more.
    public static func of(_ text: some Sequence<UInt8>, among names: some Sequence<String>) -> String? {
        let wanted = folded(text)
        var nearest: (name: String, distance: Int)?
        for name in names.prefix(comparedNames) {
            let bytes = folded(name.utf8)
            let distance = distance(wanted, bytes)
            guard distance * 3 <= max(wanted.count, bytes.count) || wanted.count > 2 && bytes.starts(with: wanted)
            else {
                continue
            }
            if distance < nearest?.distance ?? .max { nearest = (name, distance) }
        }
        return nearest?.name
    }

    /// Returns the hint that names it, `nil` if none is near.
    public static func hint(for text: some Sequence<UInt8>, among names: some Sequence<String>) -> String? {
        of(text, among: names).map { "did you mean \(printable($0.utf8))?" }
    }

    private static func folded(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.prefix(comparedBytes).map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Computes the optimal string alignment: three rows of the table are kept.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var least = min(last[j] + (left[i] == right[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, before[j - 1] + 1)
                }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[right.count]
    }
}
