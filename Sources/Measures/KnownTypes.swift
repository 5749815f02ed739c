/// The sample types that people can name: those of an archive, and those that `Spec/measures.json` has.
///
/// A type is named by its identifier, by what stands in it (`HeartRate`), or by what people call it (`Heart rate`); the
/// latter two also in other letter case (`Spec/command-line.md`, "Sample types").
package struct KnownTypes {
    /// What a text names.
    package enum Answer: Equatable {
        case type(String)
        /// One text names several types.
        case several([String])
        /// None; the name that is spelled most like it.
        case none(nearest: String)
    }

    /// Identifiers, sorted by UTF-8 bytes, each once.
    private let identifiers: [String]

    /// Texts of an archive may be of any length; more of one is not compared.
    private static let comparedBytes = 200
    /// An archive may have any number of types; of more, the nearest is not looked for.
    private static let comparedTypes = 2_000

    /// - Parameter identifiers: of the archive.
    package init(adding identifiers: [String] = []) {
        let all = Set((identifiers + SampleTypeNames.table.keys).map { Array($0.utf8) })
        self.identifiers = all.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The type that a text names.
    ///
    /// - Complexity: the text's length times that of all names.
    package func find(_ text: String) -> Answer {
        if identifiers.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return .type(text) }
        let wanted = Self.folded(text)
        let found = identifiers.filter { identifier in names(of: identifier).contains { Self.folded($0) == wanted } }
        guard found.isEmpty else { return found.count == 1 ? .type(found[0]) : .several(found) }
        var nearest = (name: "", distance: Int.max)
        for identifier in identifiers.prefix(Self.comparedTypes) {
            for name in names(of: identifier) {
                let distance = Self.distance(wanted, Self.folded(name))
                if distance < nearest.distance { nearest = (name, distance) }
            }
        }
        return .none(nearest: nearest.name)
    }

    /// What a type is named by; of names that are alike near, the first is said.
    private func names(of identifier: String) -> [String] {
        [SampleTypeNames.shortName(of: identifier), SampleTypeNames.name(of: identifier), identifier].compactMap { $0 }
    }

    /// Its bytes, with small letters for those of ASCII.
    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// How many bytes have to be put in, left out or replaced to make one text of the other (Levenshtein). Of long
    /// texts the beginnings count.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let (left, right) = (left.prefix(comparedBytes), right.prefix(comparedBytes))
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let replaced = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}

/// What sample types are called.
package enum SampleTypeNames {
    /// What people call a type, in English; nil where the table does not have it.
    package static func name(of identifier: String) -> String? { table[identifier] }

    /// What stands in an identifier of Apple's: `HeartRate` in `HKQuantityTypeIdentifierHeartRate`, and `Workout` in
    /// `HKWorkoutTypeIdentifier`; nil where it is none.
    package static func shortName(of identifier: String) -> String? {
        let bytes = Array(identifier.utf8), middle = Array("TypeIdentifier".utf8)
        guard bytes.starts(with: Array("HK".utf8)), bytes.count >= middle.count + 2 else { return nil }
        for start in 2...bytes.count - middle.count where bytes[start...].starts(with: middle) {
            let rest = bytes[(start + middle.count)...]
            let name = rest.isEmpty ? bytes[2..<start] : rest
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }
        return nil
    }

    static let table: [String: String] = {
        var table: [String: String] = [:]
        for line in NameTable.typeText.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            if cells.count == 2 { table[cells[0]] = cells[1] }
        }
        return table
    }()
}
