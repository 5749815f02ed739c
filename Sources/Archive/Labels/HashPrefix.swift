/// A hash by its first digits.
public enum HashPrefix {
    /// Fewest digits that name a hash.
    public static let least = 8

    /// The result of a search for the hash that digits begin.
    public enum Answer: Equatable, Sendable {
        case one(String)
        /// Several begin so.
        case several(Int)
        /// None; the one that has the most first digits in common, if there is one at all.
        case none(nearest: String?)
        /// These are no such digits.
        case malformed
    }

    /// Returns the hash that the digits begin.
    public static func find(_ digits: String, among known: Set<String>) -> Answer {
        let isHexadecimal = digits.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        guard isHexadecimal, (least...64).contains(digits.utf8.count) else { return .malformed }
        let found = known.filter { $0.utf8.starts(with: digits.utf8) }
        if found.count == 1, let hash = found.first { return .one(hash) }
        guard found.isEmpty else { return .several(found.count) }
        func common(_ hash: String) -> Int { zip(hash.utf8, digits.utf8).prefix { $0 == $1 }.count }
        return .none(nearest: known.min { (-common($0), $0) < (-common($1), $1) })
    }
}
